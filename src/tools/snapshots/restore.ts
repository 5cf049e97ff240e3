// Snapshots by the names that users give, and putting one in the place of a world's data.

import { ApiError, StoreError } from '../../core/errors.js';
import { nearest } from '../../core/nearest.js';
import { describe } from '../../core/problems.js';
import { DamagedError } from '../../db/connection.js';
import { checkImage } from '../../db/image-check.js';
import { overtaken } from '../../http/pipeline.js';
import { reopenAddresses } from '../../platform/containers/address/open-addresses.js';
import { releaseReservations } from '../../platform/credits/reservations.js';
import type { World } from '../../world/world.js';
import { snapshotName } from './schema.js';
import { DamagedSnapshot, type Snapshot, snapshotStore } from './snapshot-store.js';

/**
 * The snapshot of a name.
 *
 * @throws ApiError NOT_FOUND naming the nearest, CONFLICT when it cannot be read
 */
export function findSnapshot(world: World, name: string): Snapshot {
  let snapshot: Snapshot | undefined;
  try {
    snapshot = snapshotName.safeParse(name).success ? snapshotStore.of(world).get(name) : undefined;
  } catch (error) {
    throw unusableSnapshot(name, error);
  }
  if (snapshot !== undefined) return snapshot;
  throw unknownSnapshot(world, name);
}

/**
 * The snapshot of a name, after a check that its image can be restored.
 *
 * @throws ApiError NOT_FOUND naming the nearest, CONFLICT when it cannot be used
 */
export async function findUsableSnapshot(world: World, name: string): Promise<Snapshot> {
  const snapshot = findSnapshot(world, name);
  const problem = await checkImage(snapshot.image);
  if (problem !== undefined) throw unusableSnapshot(name, new DamagedSnapshot(problem));
  return snapshot;
}

/** The refusal of a name that no snapshot has. */
export function unknownSnapshot(world: World, name: string): ApiError {
  const all = snapshotStore.of(world).list();
  const suggestion = nearest(
    name,
    all.map((known) => known.name),
  );
  return new ApiError('NOT_FOUND', {
    message: `There is no snapshot ${describe(name)}${suggestion === undefined ? '' : `; did you mean "${suggestion}"?`}`,
  });
}

/** The refusal of a snapshot that cannot be used. */
export function unusableSnapshot(name: string, error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const known = error instanceof DamagedSnapshot || error instanceof StoreError;
  const reason = known ? error.message : 'it holds no world that this cloudemu can read';
  return new ApiError('CONFLICT', { message: `The snapshot "${name}" cannot be used: ${reason}` });
}

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
