// Resets a world to its initial state, or to another one: a plain world at once, one with a scenario while others are served.

import { nextTurn } from '../../core/clock.js';
import { overtaken } from '../../http/pipeline.js';
import { reopenAddresses } from '../../platform/containers/address/open-addresses.js';
import { nextInitialState, type ResetRequest } from '../../world/initial-state.js';
import type { World } from '../../world/world.js';
import { beginTime, fillAtOnce, fillWorld } from './fill.js';
import { imageMaker } from './image-maker.js';

/**
 * Replaces all data of a world, and its clock, by what a reset leads to; an error leaves everything as it was.
 *
 * @param how what changes of the initial state
 * @throws ApiError VALIDATION_ERROR where its scenario cannot be had, SERVICE_UNAVAILABLE where the world ends meanwhile
 */
export async function resetWorld(world: World, how: ResetRequest): Promise<void> {
  while (!(await tryReset(world, how)));
  await reopenAddresses(world);
}

/** @returns whether it was reset: its data, and with them its initial state, may have been replaced while it was filled */
async function tryReset(world: World, how: ResetRequest): Promise<boolean> {
  // A large scenario was just read and checked; the one that it replaces is read, too.
  if (how.scenario !== undefined) await nextTurn();
  const { epoch } = world;
  const { seed, initial } = nextInitialState(world.db, how, world.random.seed);
  if (initial.scenario === undefined) {
    world.reset(how, () => fillAtOnce(world));
    return true;
  }
  await nextTurn();
  const image = await imageMaker.of(world)({ ...initial, id: world.id, seed }, fillWorld);
  await nextTurn();
  if (world.isClosed) throw overtaken();
  if (world.epoch !== epoch) return false;
  world.reset(how, () => beginTime(world), image);
  return true;
}
