// The snapshot with which a world begins, and to which a reset returns.

import { mergeTrees } from '../../core/tree.js';
import { readInitialState, writeInitialState } from '../../world/initial-state.js';
import type { World } from '../../world/world.js';
import { restoreSnapshot } from '../snapshots/restore.js';
import { type Snapshot, snapshotStore } from '../snapshots/snapshot-store.js';

/**
 * Lets a new world begin as a snapshot of another one. It keeps the snapshot, whatever becomes of the other world.
 *
 * @throws ApiError CONFLICT when it cannot be used
 */
export async function beginWith(world: World, snapshot: Snapshot): Promise<void> {
  snapshotStore.of(world).put(snapshot);
  await returnTo(world, snapshot);
  world.db.transaction(() => writeInitialState(world.db, { ...readInitialState(world.db), base: snapshot.name }));
}

/** Puts the data of the snapshot in place; settings that the world has of its own stay. */
export async function returnTo(world: World, snapshot: Snapshot): Promise<void> {
  const own = world.overlay;
  await restoreSnapshot(world, snapshot);
  if (Object.keys(own).length > 0) world.db.transaction(() => world.override(mergeTrees(world.overlay, own)));
}
