// The blobs that a world needs: those of its images, and of images that it had at a place to which its history goes back.

import type { World } from '../../world/world.js';
import { listBlobs, listBlobsOfWorldImage } from './store.js';

const digests = /sha256:[0-9a-f]{64}/g;

/** Every blob that a world refers to, now or before; manifests are blobs too. */
export function blobsOf({ db, remembered }: World): string[] {
  const blobs = new Set(listBlobs(db));
  const entries = remembered.history?.entries();
  if (entries === undefined) return [...blobs];
  for (const { rows = [] } of entries.backwards('"table":"registry_'))
    for (const { table, before } of rows)
      if (table.startsWith('registry_'))
        for (const [digest] of JSON.stringify(before).matchAll(digests)) blobs.add(digest);
  // A restore replaces everything: its entry keeps what was there before.
  for (const { seq } of entries.backwards('"replaced":true')) {
    const image = entries.image(seq);
    if (image?.includes('sha256:') === true) for (const digest of listBlobsOfWorldImage(image)) blobs.add(digest);
  }
  return [...blobs];
}
