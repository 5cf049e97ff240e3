// The blobs of pushed images that all worlds of an emulator share, and what still refers to them.

import { join } from 'node:path';
import { afterWall } from '../../core/clock.js';
import { type BlobStore, createBlobStore } from '../../platform/registry/blobs.js';
import { blobsOf, listBlobsOfWorldImage } from '../../platform/registry/store.js';

import type { World } from '../../world/world.js';
import type { Worlds } from '../../world/worlds.js';
import type { SnapshotStore } from './snapshot-store.js';
import type { SnapshotStores } from './snapshot-stores.js';

interface ImageBlobsOptions {
  /** null: in a temporary directory that goes with the process. */
  dataDir: string | null;
  worlds: () => Worlds;
  /** The open worlds, with the one that others are filled in. */
  opened: () => World[];
  snapshots: SnapshotStores;
  /** The blobs of worlds beside the default one, as noted; null: the world is open, or must be opened to find them. */
  stored: () => { id: string; blobs: string[] | null }[];
  onError: (error: unknown) => void;
}

/** A store of blobs, each of which lies there until no world and no snapshot refers to it. */
export function createImageBlobs({
  dataDir,
  worlds,
  opened,
  snapshots,
  stored,
  onError,
}: ImageBlobsOptions): BlobStore {
  const referred = (): Set<string> => new Set(opened().flatMap(blobsOf));
  function referredByWorlds(): Set<string> {
    const kept = referred();
    for (const { blobs } of stored()) for (const digest of blobs ?? []) kept.add(digest);
    return kept;
  }
  return createBlobStore({
    dir: dataDir === null ? null : join(dataDir, 'registry'),
    referred,
    referredByWorlds,
    async referredAnywhere() {
      // Opened here, so that they count: the process was killed meanwhile.
      const unread = stored().filter(({ id, blobs }) => blobs === null && worlds().peek(id) === undefined);
      const kept = new Set(unread.flatMap(({ id }) => blobsOf(worlds().get(id))));
      for (const digest of referredByWorlds()) kept.add(digest);
      for (const store of snapshots.all()) {
        for (const { name, problem } of store.list()) {
          if (problem !== null) continue;
          for (const digest of blobsOfSnapshot(store, name)) kept.add(digest);
          // Others get their turn between two snapshots.
          await new Promise<void>((resolve) => afterWall(0, resolve));
        }
      }
      return kept;
    },
    onError,
  });
}

// A damaged one cannot be restored, so it needs nothing.
function blobsOfSnapshot(store: SnapshotStore, name: string): string[] {
  try {
    const image = store.get(name)?.image;
    return image === undefined ? [] : listBlobsOfWorldImage(image.bytes);
  } catch {
    return [];
  }
}
