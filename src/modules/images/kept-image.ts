// Images that the blob store still holds all parts of: taken into a repository by their digest, without a push.

import { readFileSync } from 'node:fs';
import type { World } from '../../world/world.js';
import { blobStoreOf } from '../registry/blobs.js';
import { imageTypes, indexTypes, type Manifest, readConfig, readManifest } from '../registry/manifest.js';
import { maxConfigBytes, maxManifestBytes, referencesOf, rowOf } from '../registry/manifests.js';
import { addBlob, type ManifestRow, putManifest, putTag } from '../registry/store.js';

/** Points a tag at an image of the blob store; false when any part of it is gone. Belongs into a transaction. */
export function takeKeptImage(world: World, repository: string, tag: string, digest: string): boolean {
  const rows = rowsOf(world, repository, digest);
  if (rows === undefined) return false;
  for (const row of rows) {
    putManifest(world.db, row);
    if (!imageTypes.includes(row.media_type)) continue;
    for (const blob of JSON.parse(row.refers_to) as string[]) addBlob(world.db, repository, blob);
  }
  putTag(world.db, { repository, tag, digest, pushed_at: world.clock.now() });
  return true;
}

/** The manifest of a digest and, of an index, those that it names; undefined when something is missing. */
function rowsOf(world: World, repository: string, digest: string): ManifestRow[] | undefined {
  const body = contentOf(world, digest, maxManifestBytes);
  const manifest = body === undefined ? undefined : manifestIn(body);
  if (body === undefined || manifest === undefined) return undefined;
  const parts = referencesOf(manifest);
  const config =
    manifest.kind === 'image' ? contentOf(world, manifest.content.config.digest, maxConfigBytes) : undefined;
  const read = config === undefined ? undefined : readConfig(config);
  const received = { manifest, body, digest, config: read === undefined ? null : JSON.stringify(read) };
  const row = rowOf(repository, received, world.clock.now());
  if (manifest.kind === 'image')
    return parts.some((part) => blobStoreOf(world).sizeOf(part) === undefined) ? undefined : [row];
  const inside = parts.map((part) => rowsOf(world, repository, part));
  return inside.includes(undefined) ? undefined : [...inside.flatMap((rows) => rows ?? []), row];
}

// A manifest need not say itself what it is.
function manifestIn(body: Buffer): Manifest | undefined {
  for (const type of ['', imageTypes[0], indexTypes[0]]) {
    const manifest = readManifest(body, type ?? '');
    if (typeof manifest !== 'string') return manifest;
  }
  return undefined;
}

function contentOf(world: World, digest: string, most: number): Buffer | undefined {
  const blobs = blobStoreOf(world);
  const size = blobs.sizeOf(digest);
  return size === undefined || size > most ? undefined : readFileSync(blobs.pathOf(digest));
}
