// Time as clients know it: instants that they compare with their own clock, and durations that they wait.

import { lastInstant } from '../core/instant.js';
import type { World } from './world.js';

/**
 * The instant to show for a virtual one: its wall time by default. While the clock is frozen bodies stay virtual,
 * so that two runs with one seed and one sequence of requests are equal to the byte.
 */
export function toClientTime(world: World, instant: number): number {
  return world.clock.state().speed === 0 ? instant : toClientClock(world, instant);
}

/** The same for headers, which show wall time while the clock is frozen, too. */
export function toClientClock({ clock, config }: World, instant: number): number {
  return config.clock.exposed === 'virtual' ? instant : clock.toWall(instant);
}

/**
 * The virtual instant that a client means by one that lies ahead: it is on the client's own clock. One that has passed
 * there, but not in virtual time, was taken from the latter.
 */
export function aheadOfClient(world: World, instant: number): number {
  const { clock, config } = world;
  if (config.clock.exposed === 'virtual' || instant <= clock.clientNow()) return instant;
  return Math.min(clock.fromClient(instant), lastInstant);
}

/** How many milliseconds a client has to wait until so much virtual time has passed; waiting them suffices. */
export function waitMs({ clock }: World, virtualMs: number): number {
  return roundedUp(clock.toWallDuration(virtualMs));
}

/** The same in whole seconds. */
export function waitSeconds({ clock }: World, virtualMs: number): number {
  return roundedUp(clock.toWallDuration(virtualMs) / 1_000);
}

// 9,000 / 0.3 is a little more than 30,000 in floating point, and means no millisecond more.
function roundedUp(value: number): number {
  return Math.ceil(Number(value.toFixed(6)));
}
