// The snapshots of each world of a process: files for the default one where there is a data directory, else memory.

import { join } from 'node:path';
import { createFileSnapshotStore, createMemorySnapshotStore, type SnapshotStore } from './snapshot-store.js';

export interface SnapshotStores {
  of(worldId: string): SnapshotStore;
  /** Forgets the snapshots of a world that has ended. */
  drop(worldId: string): void;
  all(): SnapshotStore[];
}

/** @param dataDir where the default world's data lie; null: in memory, as those of all others */
export function createSnapshotStores(dataDir: string | null): SnapshotStores {
  const stores = new Map<string, SnapshotStore>();
  const of = (id: string): SnapshotStore => {
    let store = stores.get(id);
    if (store === undefined) {
      store =
        dataDir === null || id !== 'default'
          ? createMemorySnapshotStore()
          : createFileSnapshotStore(join(dataDir, 'snapshots'));
      stores.set(id, store);
    }
    return store;
  };
  return {
    of,
    drop: (id) => void stores.delete(id),
    // The default world's lie on disk, whether or not anybody has asked for them yet.
    all: () => [of('default'), ...[...stores].filter(([id]) => id !== 'default').map(([, store]) => store)],
  };
}
