// Pushing blobs: in one request, in chunks that may stop and go on, or by naming another repository that has them.

import { type Answer, text } from '../../api/answer.js';
import type { Call } from '../../api/endpoint.js';
import { ApiError } from '../../kernel/errors.js';
import { type BlobUpload, DigestMismatch, UploadBusy } from '../../store/blobs.js';
import { enter, pathOf, type RepositoryCall } from './access.js';
import { isDigest, isRepository } from './names.js';
import { addBlob, hasBlob } from './store.js';

export interface BlobQuery {
  digest?: string | undefined;
  mount?: string | undefined;
  from?: string | undefined;
}
type UploadCall = RepositoryCall & { query: BlobQuery };

/** What has come of a push: a blob that is whole, or an upload that goes on. */
export type Pushed = { blob: string } | { upload: BlobUpload };

/** POST …/blobs/uploads/: a mount, a whole blob, or the beginning of an upload. */
export async function startUpload(call: UploadCall): Promise<Pushed> {
  const { repository } = enter(call);
  const { digest, mount, from } = call.query;
  if (mount !== undefined && isDigest(mount) && canMount(call, mount, from)) return { blob: mount };
  if (digest !== undefined) requireDigest(digest);
  const { blobs } = call.world;
  const upload = await blobs.begin(
    call.world.random.uuid('registry-upload', call.requestId),
    ownerOf(call, repository),
  );
  if (digest === undefined) return { upload };
  try {
    await receive(call, upload);
    await finish(upload, digest);
  } catch (error) {
    await upload.discard().catch(() => {});
    throw error;
  }
  return { blob: digest };
}

/** PATCH of an upload: one more chunk. */
export async function continueUpload(call: UploadCall): Promise<Pushed> {
  const upload = findUpload(call);
  await receive(call, upload);
  return { upload };
}

/** PUT of an upload: perhaps a last chunk, and the digest of it all. */
export async function finishUpload(call: UploadCall): Promise<Pushed> {
  const upload = findUpload(call);
  const { digest } = call.query;
  if (digest === undefined)
    throw new ApiError('DIGEST_INVALID', {
      message: 'The query parameter digest is required: sha256: and 64 hex digits',
    });
  requireDigest(digest);
  await receive(call, upload);
  await finish(upload, digest);
  return { blob: digest };
}

/** GET of an upload: how far it has come. */
export function uploadStatus(call: UploadCall): Answer {
  return { ...progress(call, findUpload(call)), status: 204 };
}

/** DELETE of an upload. */
export async function cancelUpload(call: UploadCall): Promise<void> {
  await findUpload(call).discard();
}

/** Writes down that the repository has the blob, and answers. */
export function answerPush(call: UploadCall, pushed: Pushed): Answer {
  if ('upload' in pushed) return progress(call, pushed.upload);
  addBlob(call.world.db, call.params.name, pushed.blob);
  const headers = { Location: `${pathOf(call)}/blobs/${pushed.blob}`, 'Docker-Content-Digest': pushed.blob };
  return { ...text(''), status: 201, headers };
}

function progress(call: RepositoryCall, upload: BlobUpload): Answer {
  const headers = {
    Location: `${pathOf(call)}/blobs/uploads/${upload.id}`,
    // Clients read "0-0" of an empty upload as nothing, as the protocol has no other word for it.
    Range: `0-${Math.max(0, upload.size - 1)}`,
    'Docker-Upload-UUID': upload.id,
  };
  return { ...text(''), status: 202, headers };
}

// A blob may be taken from another repository of the same organization.
function canMount({ world, params }: RepositoryCall, digest: string, from: string | undefined): boolean {
  const source = from?.startsWith(`w/${world.id}/`) === true ? from.slice(`w/${world.id}/`.length) : from;
  if (source === undefined || !isRepository(source)) return false;
  const isOwn = namespaceOf(source) === namespaceOf(params.name);
  return isOwn && hasBlob(world.db, source, digest) && world.blobs.sizeOf(digest) !== undefined;
}

function namespaceOf(repository: string): string {
  return repository.slice(0, repository.lastIndexOf('/'));
}

function ownerOf({ world }: Call, repository: string): string {
  return `${world.id}/${repository}`;
}

function findUpload(call: UploadCall): BlobUpload {
  const { repository } = enter(call);
  const upload = call.world.blobs.find(call.params.reference);
  if (upload === undefined || upload.owner !== ownerOf(call, repository))
    throw new ApiError('BLOB_UPLOAD_UNKNOWN', { message: 'There is no such upload: begin a new one' });
  return upload;
}

async function receive(call: RepositoryCall, upload: BlobUpload): Promise<void> {
  checkPlace(call, upload);
  try {
    await upload.append(call.content);
  } catch (error) {
    if (error instanceof UploadBusy)
      throw new ApiError('RANGE_INVALID', {
        message: 'Another request is still sending a part of this upload: wait for its answer, or ask how far it came',
        headers: { Range: `0-${Math.max(0, upload.size - 1)}` },
      });
    throw storageError(error);
  }
}

/** An error of the disk in the registry's terms. */
function storageError(error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  const reasons: Record<string, string> = {
    ENOSPC: 'the disk is full',
    EDQUOT: 'the disk quota is used up',
    EFBIG: 'the file system takes no file of that size',
    EROFS: 'the file system is read-only',
    EIO: 'the disk failed',
  };
  const reason = reasons[code ?? ''];
  return reason === undefined
    ? error
    : new ApiError('SERVICE_UNAVAILABLE', { message: `The blob cannot be stored: ${reason} (${code})` });
}

// A chunk that names its place must begin where the upload ends, and be as long as it says.
function checkPlace(call: RepositoryCall, upload: BlobUpload): void {
  const range = call.header('content-range');
  if (range === undefined) return;
  const [, first, last] = /^(?:bytes )?(\d+)-(\d+)(?:\/.*)?$/.exec(range) ?? [];
  const here = { Range: `0-${Math.max(0, upload.size - 1)}` };
  if (first === undefined || last === undefined)
    throw new ApiError('RANGE_INVALID', { message: 'Content-Range must be <first>-<last>, in bytes', headers: here });
  if (Number(first) !== upload.size)
    throw new ApiError('RANGE_INVALID', {
      message: `The next chunk must begin at byte ${upload.size}, this one begins at ${first}`,
      headers: here,
    });
  const length = call.header('content-length');
  const expected = Number(last) - Number(first) + 1;
  if (length !== undefined && Number(length) !== expected)
    throw new ApiError('SIZE_INVALID', {
      message: `Content-Range names ${expected} bytes, Content-Length ${length}`,
    });
}

function requireDigest(digest: string): void {
  if (!isDigest(digest))
    throw new ApiError('DIGEST_INVALID', { message: 'A digest is sha256: and 64 hex digits in lower case' });
}

async function finish(upload: BlobUpload, digest: string): Promise<void> {
  try {
    await upload.finish(digest);
  } catch (error) {
    if (error instanceof UploadBusy)
      throw new ApiError('RANGE_INVALID', { message: 'Another request is still sending a part of this upload' });
    if (!(error instanceof DigestMismatch)) throw storageError(error);
    throw new ApiError('DIGEST_INVALID', {
      message: `What was sent has the digest ${error.message}, not ${digest}: the upload has ended`,
    });
  }
}
