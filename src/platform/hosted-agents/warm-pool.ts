// The warm pool: containers that run already, which new dedicated agents get at once. One that was taken comes back after
// the time that a container usually takes.

import { subjectsOf } from '../../db/effects.js';
import type { World } from '../../world/world.js';
import { usualMs } from './plan.js';

/** The effect of the end of that time: the place in the pool is free again, because nothing is scheduled for it. */
export const warmEffect = 'hostedAgents.warm';

/**
 * Takes a container out of the pool, within the caller's transaction.
 *
 * @returns whether there was one
 */
export function takeWarm(world: World, now: number): boolean {
  const { warmPool } = world.config.hostedAgents;
  if (warmPool === 0) return false;
  const taken = new Set(subjectsOf(world.db, warmEffect));
  const place = Array.from({ length: warmPool }, (_, index) => String(index)).find((name) => !taken.has(name));
  if (place === undefined) return false;
  const refill = usualMs(world, 'agent_provision');
  if (refill > 0) world.schedule(warmEffect, place, now + refill);
  return true;
}
