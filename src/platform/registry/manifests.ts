// Pushing, pulling and deleting manifests, and the lists of tags and referrers.

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { ApiError } from '../../core/errors.js';
import { readWhole } from '../../http/body.js';
import { hasCurrent } from '../../http/file-part.js';
import { type Answer, bytes, ok, text } from '../../http/response.js';
import { blobStoreOf } from './blobs.js';
import { enter, fullNameOf, pathOf, type RepositoryCall } from './credentials.js';
import {
  artifactTypeOf,
  blobsOf,
  type Descriptor,
  type ImageConfig,
  type Manifest,
  manifestTypes,
  readConfig,
  readManifest,
} from './manifest.js';
import { isDigest, isTag, requireDigest } from './names.js';
import {
  contentOf,
  findManifest,
  hasBlob,
  listReferrers,
  listTags,
  type ManifestRow,
  putManifest,
  putTag,
  removeManifest,
  removeTag,
  wasPushedTo,
} from './store.js';

export const maxManifestBytes = 4 * 1_024 * 1_024;
export const maxConfigBytes = 1_024 * 1_024;

/** A received manifest, before its references are checked. */
export interface ReceivedManifest {
  manifest: Manifest;
  body: Buffer;
  digest: string;
  config: ImageConfig | null;
}

/** Reads the body of a PUT …/manifests/<tag or digest>. */
export async function receiveManifest(call: RepositoryCall): Promise<ReceivedManifest> {
  enter(call);
  const { reference } = call.params;
  requireReference(reference);
  const body = await readWhole(call.content, maxManifestBytes, 'A manifest may have at most 4 MB');
  const manifest = readManifest(body, call.header('content-type') ?? '');
  if (typeof manifest === 'string')
    throw new ApiError('MANIFEST_INVALID', { message: `This is not a manifest: ${manifest}` });
  const digest = digestOf(body);
  if (isDigest(reference) && reference !== digest)
    throw new ApiError('DIGEST_INVALID', { message: `The manifest has the digest ${digest}, not ${reference}` });
  return { manifest, body, digest, config: await configOf(call, manifest) };
}

function requireReference(reference: string): void {
  if (isTag(reference) || isDigest(reference)) return;
  if (reference.includes(':')) requireDigest(reference);
  throw new ApiError('MANIFEST_INVALID', {
    message: `${JSON.stringify(reference.slice(0, 140))} is not a tag: at most 128 letters, digits and _ . -, with no . or - in front`,
  });
}

/** Stores a manifest whose blobs are all present, and points the tag at it. */
export function storeManifest(call: RepositoryCall, received: ReceivedManifest): Answer {
  const { world, now, params } = call;
  const { name: repository, reference } = params;
  const { manifest, digest } = received;
  requireReferences(call, manifest);
  requireSizes(call, manifest);
  const row = rowOf(repository, received, now);
  const { subject } = row;
  putManifest(world.db, row);
  // Also stored as a blob: a scenario can name the image by its digest, in another world too.
  blobStoreOf(world).put(row.body);
  if (!isDigest(reference)) putTag(world.db, { repository, tag: reference, digest, pushed_at: now });
  const headers = {
    Location: `${pathOf(call)}/manifests/${digest}`,
    'Docker-Content-Digest': digest,
    ...(subject !== null && { 'OCI-Subject': subject }),
  };
  return { ...text(''), status: 201, headers };
}

/** A manifest as the registry stores it. */
export function rowOf(repository: string, received: ReceivedManifest, now: number): ManifestRow {
  const { manifest, body, digest, config } = received;
  return {
    repository,
    digest,
    media_type: manifest.mediaType,
    body,
    subject: manifest.content.subject?.digest ?? null,
    artifact_type: artifactTypeOf(manifest) ?? null,
    refers_to: referencesOf(manifest),
    config,
    bytes: manifest.kind === 'image' ? blobsOf(manifest.content).reduce((sum, { size }) => sum + size, 0) : 0,
    pushed_at: now,
  };
}

/** GET and HEAD …/manifests/<tag or digest>. */
export function getManifest(call: RepositoryCall): Answer {
  enter(call);
  const row = findManifest(call.world.db, call.params.name, call.params.reference);
  if (row === undefined) throw notFound(call);
  const headers = { 'Docker-Content-Digest': row.digest, ETag: `"${row.digest}"` };
  if (hasCurrent(call, headers.ETag)) return { ...text(''), status: 304, headers };
  return bytes(row.body, row.media_type, headers);
}

/** DELETE …/manifests/<tag or digest>: one tag, or the manifest with all its tags. */
export function deleteManifest(call: RepositoryCall): Answer {
  enter(call);
  const { name, reference } = call.params;
  const { db } = call.world;
  const isGone = isDigest(reference) ? removeManifest(db, name, reference) : removeTag(db, name, reference);
  if (!isGone) throw notFound(call);
  blobStoreOf(call.world).collectSoon();
  return { ...text(''), status: 202 };
}

export interface PageQuery {
  n?: number | undefined;
  last?: string | undefined;
}

/** GET …/tags/list, in alphabetical order whatever the case, as the distribution specification wants it. */
export function tagList(call: RepositoryCall & { query: PageQuery }): Answer {
  enter(call);
  const { name } = call.params;
  if (!wasPushedTo(call.world.db, name))
    throw new ApiError('NAME_UNKNOWN', { message: `Nothing was pushed to ${name} yet` });
  const { n, last } = call.query;
  const after = listTags(call.world.db, name)
    .map(({ tag }) => tag)
    .filter((tag) => last === undefined || isBehind(tag, last));
  const tags = n === undefined ? after : after.slice(0, n);
  const answer = ok({ name: fullNameOf(call.world, name), tags });
  if (tags.length === after.length || tags.length === 0) return answer;
  const next = `${pathOf(call)}/tags/list?n=${n}&last=${encodeURIComponent(tags.at(-1) ?? '')}`;
  return { ...answer, headers: { Link: `<${next}>; rel="next"` } };
}

// In the order in which the tags are read: those that differ in case only stand as their characters do.
function isBehind(tag: string, last: string): boolean {
  const [one, other] = [tag.toLowerCase(), last.toLowerCase()];
  return one === other ? tag > last : one > other;
}

/** GET …/referrers/<digest>: an index of the manifests that refer to it as their subject. */
export function referrers(call: RepositoryCall & { query: { artifactType?: string | undefined } }): Answer {
  enter(call);
  const { name, reference } = call.params;
  requireDigest(reference);
  const { artifactType } = call.query;
  const manifests = listReferrers(call.world.db, name, reference)
    .filter((row) => artifactType === undefined || row.artifact_type === artifactType)
    .map((row) => {
      const { annotations } = contentOf<{ annotations?: Record<string, string> }>(row);
      return {
        mediaType: row.media_type,
        digest: row.digest,
        size: row.body.length,
        ...(row.artifact_type !== null && { artifactType: row.artifact_type }),
        ...(annotations !== undefined && { annotations }),
      };
    });
  const mediaType = 'application/vnd.oci.image.index.v1+json';
  const index = Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType, manifests }));
  return bytes(index, mediaType, artifactType === undefined ? {} : { 'OCI-Filters-Applied': 'artifactType' });
}

export function digestOf(content: Buffer | string): string {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`;
}

/** The digests that a manifest names: blobs of an image, mostly manifests of an index. */
export function referencesOf(manifest: Manifest): string[] {
  return [...new Set(descriptorsOf(manifest).map(({ digest }) => digest))];
}

function descriptorsOf(manifest: Manifest): Descriptor[] {
  return manifest.kind === 'image' ? blobsOf(manifest.content) : manifest.content.manifests;
}

function requireReferences(call: RepositoryCall, manifest: Manifest): void {
  const parts = descriptorsOf(manifest);
  const missing = [...new Set(parts.filter((part) => sizeOf(call, manifest, part) === undefined).map((p) => p.digest))];
  if (missing.length === 0) return;
  throw new ApiError('MANIFEST_BLOB_UNKNOWN', {
    message: `The manifest names what was not pushed to ${call.params.name}: ${missing.slice(0, 3).join(', ')}${missing.length > 3 ? ` and ${missing.length - 3} more` : ''}`,
    details: { missing: missing.slice(0, 20) },
  });
}

// Clients reject a pull whose parts have other sizes.
function requireSizes(call: RepositoryCall, manifest: Manifest): void {
  const wrong = descriptorsOf(manifest)
    .map((part) => ({ digest: part.digest, size: part.size, actual: sizeOf(call, manifest, part) }))
    .filter(({ size, actual }) => size !== actual);
  const [first] = wrong;
  if (first === undefined) return;
  throw new ApiError('SIZE_INVALID', {
    message: `The manifest says that ${first.digest} has ${first.size} bytes; it has ${first.actual}`,
    details: wrong.slice(0, 20),
  });
}

// The bytes of a part in the repository; undefined: it was not pushed. The parts of an image are blobs, those of an index
// manifests. BuildKit's index of a cache names blobs too: its layers and its config, by their own media types.
function sizeOf(
  { world, params }: RepositoryCall,
  { kind }: Manifest,
  { digest, mediaType }: Descriptor,
): number | undefined {
  const found = kind === 'index' ? findManifest(world.db, params.name, digest) : undefined;
  if (found !== undefined) return found.body.length;
  const isBlob = kind === 'image' || !manifestTypes.includes(mediaType);
  return isBlob && hasBlob(world.db, params.name, digest) ? blobStoreOf(world).sizeOf(digest) : undefined;
}

async function configOf({ world }: RepositoryCall, manifest: Manifest): Promise<ImageConfig | null> {
  if (manifest.kind !== 'image') return null;
  const { digest } = manifest.content.config;
  const size = blobStoreOf(world).sizeOf(digest);
  if (size === undefined || size > maxConfigBytes) return null;
  return readConfig(await readFile(blobStoreOf(world).pathOf(digest))) ?? null;
}

function notFound(call: RepositoryCall): ApiError {
  const { name, reference } = call.params;
  const tags = listTags(call.world.db, name).map(({ tag }) => tag);
  const there = tags.length === 0 ? 'it has no tags' : `its tags are ${tags.slice(0, 10).join(', ')}`;
  return new ApiError('MANIFEST_UNKNOWN', {
    message: `${name} has no manifest ${reference.slice(0, 140)}; ${there}`,
  });
}
