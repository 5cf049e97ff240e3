// Puts the data of a snapshot in the place of a world's.

import { StoreError } from '../../core/errors.js';
import { DamagedError } from '../../db/connection.js';
import { overtaken } from '../../http/pipeline.js';
import { reopenAddresses } from '../../platform/containers/address/open-addresses.js';
import { releaseReservations } from '../../platform/credits/reservations.js';
import type { World } from '../../world/world.js';
import { unusable } from './find.js';
import type { Snapshot } from './snapshot-store.js';

/**
 * Restores a snapshot whose image was looked at.
 *
 * @throws ApiError CONFLICT when it cannot be used, SERVICE_UNAVAILABLE when the world has ended
 */
export async function restoreSnapshot(world: World, { name, image }: Snapshot): Promise<void> {
  // It may have ended while the image was looked at.
  if (world.isClosed) throw overtaken();
  try {
    world.restore(image, name);
  } catch (error) {
    // The world that was there before is sound: what is damaged is the image.
    const isDamaged = error instanceof DamagedError;
    throw unusable(name, isDamaged ? new StoreError(`it is damaged: ${error.reason}`) : error);
  }
  releaseReservations(world);
  await reopenAddresses(world);
}
