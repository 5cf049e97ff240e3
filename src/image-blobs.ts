// The blobs of pushed images that all worlds of an emulator share, and what still refers to them.

import { join } from 'node:path';
import { listBlobs, listBlobsOfImage, refersToBlob } from './features/registry/store.js';
import { afterWall } from './kernel/clock.js';
import { type BlobStore, createBlobStore } from './store/blobs.js';
import type { SnapshotStores } from './store/snapshot-stores.js';
import type { World } from './worlds/world.js';

export interface ImageBlobsOptions {
  /** null: in a temporary directory that goes with the process. */
  dataDir: string | null;
  worlds: () => readonly World[];
  snapshots: SnapshotStores;
  onError: (error: unknown) => void;
}

/** A store of blobs, each of which lies there until no world and no snapshot refers to it. */
export function createImageBlobs({ dataDir, worlds, snapshots, onError }: ImageBlobsOptions): BlobStore {
  return createBlobStore({
    dir: dataDir === null ? null : join(dataDir, 'registry'),
    isReferred: (digest) => worlds().some((world) => refersToBlob(world.db, digest)),
    async references() {
      const referred = new Set(worlds().flatMap((world) => listBlobs(world.db)));
      for (const store of snapshots.all()) {
        for (const { name } of store.list()) {
          const image = store.get(name)?.image;
          if (image !== undefined) for (const digest of listBlobsOfImage(image)) referred.add(digest);
          // Others get their turn between two snapshots.
          await new Promise<void>((resolve) => afterWall(0, resolve));
        }
      }
      return referred;
    },
    onError,
  });
}
