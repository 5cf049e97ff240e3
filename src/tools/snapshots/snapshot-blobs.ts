// The blobs of images in an exported snapshot: small ones travel with it, layers of usual sizes do not.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { invalid } from '../../core/errors.js';
import type { WorldImage } from '../../db/image.js';
import type { BlobStore } from '../../platform/registry/blobs.js';
import { listBlobsOfWorldImage } from '../../platform/registry/store.js';

const largest = 1_000_000;
const mostTogether = 16_000_000;

/** The small blobs that a snapshot's image refers to, the smallest first. */
export function portableBlobs(store: BlobStore, image: WorldImage): { blobs?: Record<string, string> } {
  const sizes = listBlobsOfWorldImage(image.bytes)
    .map((digest) => ({ digest, size: store.sizeOf(digest) ?? Number.POSITIVE_INFINITY }))
    .filter(({ size }) => size <= largest)
    .sort((a, b) => a.size - b.size);
  const blobs: Record<string, string> = {};
  let total = 0;
  for (const { digest, size } of sizes) {
    total += size;
    if (total > mostTogether) break;
    blobs[digest] = readFileSync(store.pathOf(digest)).toString('base64');
  }
  return Object.keys(blobs).length === 0 ? {} : { blobs };
}

/**
 * Keeps the blobs of an imported snapshot.
 *
 * @throws ApiError VALIDATION_ERROR when one is not what its digest says; nothing is kept then
 */
export function takeBlobs(store: BlobStore, blobs: Readonly<Record<string, string>>): void {
  const contents = Object.entries(blobs).map(([digest, text]) => ({ digest, content: Buffer.from(text, 'base64') }));
  for (const { digest, content } of contents)
    if (`sha256:${createHash('sha256').update(content).digest('hex')}` !== digest)
      throw invalid({ path: `blobs.${digest}`, message: 'is not what its digest says: the file was changed' });
  for (const { content } of contents) store.put(content);
}
