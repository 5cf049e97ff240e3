// The snapshots of each world of a process: files for worlds that are files themselves, else memory.

import { join } from 'node:path';
import { createFileSnapshotStore, createMemorySnapshotStore, type SnapshotStore } from './snapshot-store.js';

export interface SnapshotStores {
  of(worldId: string): SnapshotStore;
  /** Forgets the snapshots of a world that has ended; those of one that was closed are read again from their files. */
  drop(worldId: string): void;
  all(): SnapshotStore[];
}

/** The directories of the snapshots of worlds beside the default one. */
export interface SnapshotDirs {
  of(worldId: string): string;
  all(): string[];
}

/**
 * @param dataDir where the default world's data lie; null: in memory
 * @param dirs those of other worlds; undefined: in memory
 */
export function createSnapshotStores(dataDir: string | null, dirs?: () => SnapshotDirs | undefined): SnapshotStores {
  const stores = new Map<string, SnapshotStore>();
  const of = (id: string): SnapshotStore => {
    let store = stores.get(id);
    if (store === undefined) {
      const dir = id !== 'default' ? dirs?.()?.of(id) : dataDir === null ? undefined : join(dataDir, 'snapshots');
      store = dir === undefined ? createMemorySnapshotStore() : createFileSnapshotStore(dir);
      stores.set(id, store);
    }
    return store;
  };
  return {
    of,
    drop: (id) => void stores.delete(id),
    all() {
      const files = dirs?.();
      // Those on disk are there whether or not anybody has asked for them yet.
      const others = files?.all().map(createFileSnapshotStore);
      return [of('default'), ...(others ?? [...stores].filter(([id]) => id !== 'default').map(([, store]) => store))];
    },
  };
}
