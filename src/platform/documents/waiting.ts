// Files that are uploaded first and become documents of an agent when they are submitted.

import { ApiError, invalid } from '../../core/errors.js';
import type { HandlerContext } from '../../http/endpoint.js';
import { type JsonAnswer, ok } from '../../http/response.js';
import type { ReadDocument } from '../knowledge/files.js';
import { plainName } from './present.js';
import { findWaiting, insertWaiting, removeWaiting, type WaitingFile, waitingOf } from './store.js';

type Call = Pick<HandlerContext, 'world' | 'caller' | 'now' | 'baseUrl'>;

/** Files of an organization that may wait: their texts are kept until they are submitted. */
const mostFiles = 100;
const mostBytes = 20 * 1_024 * 1_024;

const folder = 'documents-pre-upload';

/** Keeps files until they are submitted, within the caller's transaction; returns the response. */
export function keepWaiting({ world, caller, now, baseUrl }: Call, files: readonly ReadDocument[]): JsonAnswer {
  const there = waitingOf(world.db, caller.organizationId);
  const bytes = files.reduce((sum, { text }) => sum + Buffer.byteLength(text), there.bytes);
  if (there.files + files.length > mostFiles || bytes > mostBytes)
    throw invalid({
      path: 'files',
      message: `are too many: at most ${mostFiles} files of an organization, with 20 MB of text, wait to be submitted; submit or delete some`,
    });
  const kept = files.map(({ name, type, bytes: size, text }): WaitingFile => {
    const seq = world.nextNumber('document uploads');
    const file = { seq, id: world.random.uuid('document upload', seq), name, type, bytes: size, text };
    const row = { ...file, organization_id: caller.organizationId, user_id: caller.userId, created_at: now };
    insertWaiting(world.db, row);
    return row;
  });
  return ok({
    success: true,
    files: kept.map((file) => ({
      id: file.id,
      filename: plainName(file.name),
      blobUrl: `${baseUrl}/${folder}/${file.user_id}/${file.id}-${encodeURIComponent(plainName(file.name))}`,
      contentType: file.type,
      size: file.bytes,
      uploadedAt: now,
    })),
    successCount: kept.length,
    failedCount: 0,
  });
}

/**
 * Deletes a file that waits; one that is gone already is no error.
 *
 * @throws ApiError VALIDATION_ERROR, FORBIDDEN for a file of somebody else
 */
export function dropWaiting({ world, caller }: Call, blobUrl: string): JsonAnswer {
  const named = nameOf(blobUrl);
  if (named === undefined)
    throw invalid({ path: 'blobUrl', message: 'must be one that an upload returned', received: blobUrl.slice(0, 100) });
  if (named.userId !== caller.userId) throw new ApiError('FORBIDDEN', { message: 'Access denied' });
  if (findWaiting(world.db, named.id)?.user_id === caller.userId) removeWaiting(world.db, named.id);
  return ok({ success: true });
}

/** A file that waits for its user, or why there is none. */
export function waitingAt({ world, caller }: Pick<Call, 'world' | 'caller'>, blobUrl: string): WaitingFile | string {
  const named = nameOf(blobUrl);
  if (named?.userId !== caller.userId) return 'Invalid blobUrl';
  const file = findWaiting(world.db, named.id);
  return file?.user_id === caller.userId ? file : 'File not found';
}

function nameOf(blobUrl: string): { userId: string; id: string } | undefined {
  const uuid = '[\\da-f]{8}(?:-[\\da-f]{4}){3}-[\\da-f]{12}';
  const [, userId, id] = new RegExp(`/${folder}/(${uuid})/(${uuid})-`).exec(blobUrl) ?? [];
  return userId === undefined || id === undefined ? undefined : { userId, id };
}
