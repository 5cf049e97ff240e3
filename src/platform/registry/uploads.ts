// Pushing blobs: in one request, in resumable chunks, or by mounting them from another repository.

import { ApiError } from '../../core/errors.js';
import { type Answer, text } from '../../http/response.js';
import { type BlobUpload, DigestMismatch, LengthMismatch, UploadBusy, UploadOver } from './blob-upload.js';
import { blobStoreOf } from './blobs.js';
import { enter, pathOf, type RepositoryCall } from './credentials.js';
import { isDigest, isRepository, requireDigest } from './names.js';
import { addBlob, hasBlob } from './store.js';

interface BlobQuery {
  digest?: string | undefined;
  mount?: string | undefined;
  from?: string | undefined;
}
type UploadCall = RepositoryCall & { query: BlobQuery };

/** The result of a push: a complete blob, or an upload in progress. */
export type Pushed = { blob: string; letGo: () => void } | { upload: BlobUpload };

/** POST …/blobs/uploads/: a mount, a whole blob, or the start of an upload. */
export async function startUpload(call: UploadCall): Promise<Pushed> {
  const { repository } = enter(call);
  const { digest, mount, from } = call.query;
  const { id: world, random } = call.world;
  const blobs = blobStoreOf(call.world);
  if (mount !== undefined && isDigest(mount) && canMount(call, mount, from))
    return { blob: mount, letGo: blobs.hold(mount) };
  if (digest !== undefined) requireDigest(digest);
  // Worlds of one seed produce the same request ids.
  const id = random.uuid('registry-upload', world, call.requestId);
  const upload = blobs.begin(id, { world, repository });
  if (digest === undefined) return { upload };
  try {
    await receive(call, upload);
    return { blob: digest, letGo: await finish(call, upload, digest) };
  } catch (error) {
    await upload.discard();
    throw error;
  }
}

/** PATCH of an upload: one more chunk. */
export async function continueUpload(call: UploadCall): Promise<Pushed> {
  const upload = findUpload(call);
  await receive(call, upload);
  return { upload };
}

/** PUT of an upload: the digest of the whole blob, and optionally a last chunk. */
export async function finishUpload(call: UploadCall): Promise<Pushed> {
  const upload = findUpload(call);
  const { digest } = call.query;
  if (digest === undefined)
    throw new ApiError('DIGEST_INVALID', {
      message: 'The query parameter digest is required: sha256: and 64 hex digits',
    });
  requireDigest(digest);
  await receive(call, upload);
  return { blob: digest, letGo: await finish(call, upload, digest) };
}

/** GET of an upload: its progress. */
export function uploadStatus(call: UploadCall): Answer {
  return { ...progress(call, findUpload(call)), status: 204 };
}

/** DELETE of an upload. */
export async function cancelUpload(call: UploadCall): Promise<void> {
  await findUpload(call).discard();
}

/** Records that the repository has the blob, and responds. */
export function answerPush(call: UploadCall, pushed: Pushed): Answer {
  if ('upload' in pushed) return progress(call, pushed.upload);
  addBlob(call.world.db, call.params.name, pushed.blob);
  pushed.letGo();
  const headers = { Location: `${pathOf(call)}/blobs/${pushed.blob}`, 'Docker-Content-Digest': pushed.blob };
  return { ...text(''), status: 201, headers };
}

function progress(call: RepositoryCall, upload: BlobUpload): Answer {
  return { ...text(''), status: 202, headers: { ...placeOf(call, upload), 'Docker-Upload-UUID': upload.id } };
}

/** The URL at which an upload continues. */
function placeOf(call: RepositoryCall, upload: BlobUpload): Record<string, string> {
  return {
    Location: `${pathOf(call)}/blobs/uploads/${upload.id}`,
    // Clients read "0-0" of an empty upload as nothing: the protocol has no other notation for it.
    Range: `0-${Math.max(0, upload.size - 1)}`,
  };
}

// A blob may be mounted from another repository of the same organization.
function canMount({ world, params }: RepositoryCall, digest: string, from: string | undefined): boolean {
  const source = from?.startsWith(`w/${world.id}/`) === true ? from.slice(`w/${world.id}/`.length) : from;
  if (source === undefined || !isRepository(source)) return false;
  const isOwn = namespaceOf(source) === namespaceOf(params.name);
  return isOwn && hasBlob(world.db, source, digest) && blobStoreOf(world).sizeOf(digest) !== undefined;
}

function namespaceOf(repository: string): string {
  return repository.slice(0, repository.lastIndexOf('/'));
}

function findUpload(call: UploadCall): BlobUpload {
  const { repository } = enter(call);
  const upload = blobStoreOf(call.world).find(call.params.reference, { world: call.world.id, repository });
  if (upload === undefined) throw uploadUnknown();
  return upload;
}

async function receive(call: RepositoryCall, upload: BlobUpload): Promise<void> {
  const length = lengthOf(call, upload);
  try {
    await upload.append(call.content, length);
  } catch (error) {
    refuseState(call, upload, error);
    if (!(error instanceof LengthMismatch)) throw error;
    throw new ApiError('SIZE_INVALID', {
      message: `Content-Range names ${length} bytes, which is not what came: nothing of it was kept`,
      headers: placeOf(call, upload),
    });
  }
}

// A chunk with a range must begin where the upload ends, and have the stated length.
function lengthOf(call: RepositoryCall, upload: BlobUpload): number | undefined {
  const range = call.header('content-range');
  if (range === undefined) return undefined;
  const [, first, last] = /^(?:bytes[ =])?(\d{1,15})-(\d{1,15})(?:\/.*)?$/.exec(range) ?? [];
  const headers = placeOf(call, upload);
  if (first === undefined || last === undefined || Number(last) < Number(first))
    throw new ApiError('RANGE_INVALID', { message: 'Content-Range must be <first>-<last>, in bytes', headers });
  if (Number(first) !== upload.size)
    throw new ApiError('RANGE_INVALID', {
      message: `The next chunk must begin at byte ${upload.size}, this one begins at ${first}`,
      headers,
    });
  return Number(last) - Number(first) + 1;
}

async function finish(call: RepositoryCall, upload: BlobUpload, digest: string): Promise<() => void> {
  try {
    return await upload.finish(digest);
  } catch (error) {
    refuseState(call, upload, error);
    if (!(error instanceof DigestMismatch)) throw error;
    throw new ApiError('DIGEST_INVALID', {
      message: `What was sent has the digest ${error.message}, not ${digest}: the upload has ended`,
    });
  }
}

// Errors of concurrent requests to the same upload.
function refuseState(call: RepositoryCall, upload: BlobUpload, error: unknown): void {
  if (error instanceof UploadOver) throw uploadUnknown();
  if (!(error instanceof UploadBusy)) return;
  throw new ApiError('RANGE_INVALID', {
    message: 'Another request is still sending a part of this upload: wait for its answer, or ask how far it came',
    headers: placeOf(call, upload),
  });
}

function uploadUnknown(): ApiError {
  return new ApiError('BLOB_UPLOAD_UNKNOWN', { message: 'There is no such upload: begin a new one' });
}
