// Replaces the data of a world with those of a snapshot.

import { StoreError } from '../../core/errors.js';
import { DamagedError } from '../../db/connection.js';
import { overtaken } from '../../http/pipeline.js';
import { reopenAddresses } from '../../platform/containers/address/open-addresses.js';
import { releaseReservations } from '../../platform/credits/reservations.js';
import type { World } from '../../world/world.js';
import { unusableSnapshot } from './find.js';
import type { Snapshot } from './snapshot-store.js';

/**
 * Restores a snapshot whose image was checked (`findUsableSnapshot`).
 *
 * @throws ApiError CONFLICT when it cannot be used, SERVICE_UNAVAILABLE when the world has ended
 */
export async function restoreSnapshot(world: World, { name, image }: Snapshot): Promise<void> {
  // The world may have ended during the check of the image.
  if (world.isClosed) throw overtaken();
  try {
    world.restore(image, name);
  } catch (error) {
    // The error says that a database is damaged: that is the image, because the world's own was in use until now.
    const isDamaged = error instanceof DamagedError;
    throw unusableSnapshot(name, isDamaged ? new StoreError(`it is damaged: ${error.reason}`) : error);
  }
  releaseReservations(world);
  await reopenAddresses(world);
}
