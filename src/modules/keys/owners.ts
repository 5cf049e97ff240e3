// Finds the world that has a key, by the key's hash, however many worlds there are and whether they are open or not.

import type { Db } from '../../db/db.js';
import { listKeyHashes } from './store.js';

export interface KeyOwners {
  /** Notes the keys of a world that is not open yet. */
  note(id: string, hashes: readonly string[]): void;
  /** Follows the keys of an open world. */
  watch(id: string, db: Db): void;
  /** The id of a world that has a key of that hash. */
  find(hash: string): string | undefined;
  /** Forgets a world. */
  forget(id: string): void;
}

/** No world has a key yet. */
export function createKeyOwners(): KeyOwners {
  const worldsOf = new Map<string, Set<string>>();
  const hashesOf = new Map<string, readonly string[]>();
  // Worlds whose keys may have changed since they were read.
  const changed = new Map<string, Db>();

  const watched = new Map<string, Db>();

  function forgetHashes(id: string): void {
    for (const hash of hashesOf.get(id) ?? []) {
      const ids = worldsOf.get(hash);
      ids?.delete(id);
      if (ids?.size === 0) worldsOf.delete(hash);
    }
    hashesOf.delete(id);
  }
  function note(id: string, hashes: readonly string[]): void {
    forgetHashes(id);
    hashesOf.set(id, hashes);
    // Worlds of one seed have equal keys.
    for (const hash of hashes) worldsOf.set(hash, (worldsOf.get(hash) ?? new Set()).add(id));
  }
  return {
    note,
    watch(id, db) {
      watched.set(id, db);
      changed.set(id, db);
      // A world that ends flushes its writes after it was forgotten.
      db.onWrite('api_keys', () => {
        if (watched.get(id) === db) changed.set(id, db);
      });
    },
    find(hash) {
      for (const [id, db] of changed) note(id, listKeyHashes(db));
      changed.clear();
      const [id] = worldsOf.get(hash) ?? [];
      return id;
    },
    forget(id) {
      forgetHashes(id);
      watched.delete(id);
      changed.delete(id);
    },
  };
}
