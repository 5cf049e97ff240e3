// Instants in bodies that clients compare with their own clock.

import type { World } from './world.js';

/**
 * The instant to show for a virtual one: its wall time by default. While the clock is frozen bodies stay virtual,
 * so that two runs with one seed and one sequence of requests are equal to the byte.
 */
export function exposed(world: World, instant: number): number {
  const { speed } = world.clock.state();
  if (world.config.clock.exposed === 'virtual' || speed === 0) return instant;
  return world.clock.toWall(instant);
}
