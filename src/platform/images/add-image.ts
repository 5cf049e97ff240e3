// Adds an image that nobody pushed: generated, or taken by its digest while the blob store still holds all parts of it. For
// controls and scenarios.

import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { invalid } from '../../core/errors.js';
import { describe } from '../../core/problems.js';
import { characters } from '../../http/wire.js';
import { seededIdentity } from '../../world/seeded.js';
import type { World } from '../../world/world.js';
import { repositoryName } from '../containers/address/address.js';
import { ownRepository } from '../containers/image.js';
import { blobStoreOf } from '../registry/blobs.js';
import { imageTypes, indexTypes, type Manifest, readConfig, readManifest } from '../registry/manifest.js';
import { maxConfigBytes, maxManifestBytes, referencesOf, rowOf } from '../registry/manifests.js';
import { isRepository } from '../registry/names.js';
import { addBlob, type ManifestRow, putManifest, putTag } from '../registry/store.js';
import { imageFacts, makeImage, tagName } from './make-image.js';

export const imageRequest = z.strictObject({
  repository: characters(1, 255).describe('Project of the seeded organization, or a full repository name with slashes'),
  tag: tagName.optional().describe('Tag; by default latest'),
  ...imageFacts,
});

/** An image to generate. */
export type ImageRequest = z.input<typeof imageRequest>;

/**
 * Generates an image within a transaction, or takes the one of a digest as long as the emulator has it.
 *
 * @throws ApiError VALIDATION_ERROR
 */
export function addImage(
  world: World,
  {
    repository: wanted,
    tag = 'latest',
    digest,
    ...facts
  }: z.output<typeof imageRequest> & { digest?: string | undefined },
): { repository: string; digest: string } {
  const repository = repositoryNamed(world, wanted);
  if (digest !== undefined && takeKeptImage(world, repository, tag, digest)) return { repository, digest };
  return { repository, digest: makeImage(world, repository, tag, facts) };
}

function repositoryNamed(world: World, wanted: string): string {
  const [untagged] = /^.+(?=:[^/]*$)/.exec(wanted) ?? [];
  if (untagged !== undefined) {
    const message = 'must be without a tag, which is a field of its own (tag)';
    throw invalid({ path: 'repository', message, received: describe(wanted), suggestion: untagged });
  }
  const name = wanted.includes('/')
    ? (ownRepository(world, wanted) ?? wanted)
    : repositoryName(world, seededIdentity(world).organizationId, wanted);
  if (isRepository(name)) return name;
  throw invalid({
    path: 'repository',
    message: 'must be a project, or lower-case letters, digits and single . _ - between them, in parts divided by /',
    received: describe(wanted),
  });
}

/** Points a tag at an image of the blob store; false when any part of it is gone. Belongs into a transaction. */
function takeKeptImage(world: World, repository: string, tag: string, digest: string): boolean {
  const rows = rowsOf(world, repository, digest);
  if (rows === undefined) return false;
  for (const row of rows) {
    putManifest(world.db, row);
    if (!imageTypes.includes(row.media_type)) continue;
    for (const blob of row.refers_to) addBlob(world.db, repository, blob);
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
  const received = { manifest, body, digest, config: config === undefined ? null : (readConfig(config) ?? null) };
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
