// The snapshots of each world of a process: files for worlds that are files themselves, else memory.

import { join } from 'node:path';
import { createFileSnapshotStore, createMemorySnapshotStore, type SnapshotStore } from './snapshot-store.js';

export interface SnapshotStores {
  of(worldId: string): SnapshotStore;
  /** Forgets what is read again from files, of a world that was closed. */
  close(worldId: string): void;
  /** Forgets the snapshots of a world that has ended. */
  drop(worldId: string): void;
  all(): SnapshotStore[];
}

/** The directories of the snapshots of worlds beside the default one. */
export interface SnapshotDirs {
  /** undefined: they are in memory. */
  of(worldId: string): string | undefined;
  all(): string[] | undefined;
}

/**
 * @param dataDir where the default world's data lie; null: in memory
 * @param dirs those of other worlds
 */
export function createSnapshotStores(dataDir: string | null, dirs: SnapshotDirs): SnapshotStores {
  const stores = new Map<string, SnapshotStore>();
  const of = (id: string): SnapshotStore => {
    let store = stores.get(id);
    if (store === undefined) {
      const dir = id !== 'default' ? dirs.of(id) : dataDir === null ? undefined : join(dataDir, 'snapshots');
      store = dir === undefined ? createMemorySnapshotStore() : createFileSnapshotStore(dir);
      stores.set(id, store);
    }
    return store;
  };
  return {
    of,
    close(id) {
      if (dirs.of(id) !== undefined) stores.delete(id);
    },
    drop: (id) => void stores.delete(id),
    all() {
      // Those on disk are there whether or not anybody has asked for them yet.
      const others = dirs.all()?.map(createFileSnapshotStore);
      return [of('default'), ...(others ?? [...stores].filter(([id]) => id !== 'default').map(([, store]) => store))];
    },
  };
}
