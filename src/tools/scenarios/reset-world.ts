// Resets a world to its initial state, or to another one.

import { reopenAddresses } from '../../platform/containers/address/open-addresses.js';
import type { ResetRequest } from '../../world/initial-state.js';
import type { World } from '../../world/world.js';
import { fillAtOnce } from './fill.js';

/**
 * Replaces all data of a world, and its clock, by what a reset leads to; an error leaves everything as it was.
 *
 * @param how what changes of the initial state
 * @throws ApiError VALIDATION_ERROR where its scenario cannot be had
 */
export async function resetWorld(world: World, how: ResetRequest): Promise<void> {
  world.reset(how, () => fillAtOnce(world));
  await reopenAddresses(world);
}
