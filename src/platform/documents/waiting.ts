// Files that are uploaded first and become documents of an agent when they are submitted.

import type * as z from 'zod';
import { ApiError, invalid } from '../../core/errors.js';
import type { HandlerContext } from '../../http/endpoint.js';
import { type JsonAnswer, ok } from '../../http/response.js';
import { keepDocuments, type Prepared, prepareDocuments } from '../knowledge/documents.js';
import type { ReadDocument } from '../knowledge/files.js';
import { plainName, presentRecord } from './present.js';
import type { submitBody } from './schema.js';
import { findWaiting, insertWaiting, removeWaiting, type WaitingFile, waitingOf } from './store.js';

type KeepingCall = Pick<HandlerContext, 'world' | 'caller' | 'now' | 'baseUrl'>;

/** Files of an organization that may wait: their texts are kept until they are submitted. */
const mostFiles = 100;
const mostBytes = 20 * 1_024 * 1_024;

const folder = 'documents-pre-upload';

/** Keeps files until they are submitted, within the caller's transaction; returns the response. */
export function keepWaiting({ world, caller, now, baseUrl }: KeepingCall, files: readonly ReadDocument[]): JsonAnswer {
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
export function dropWaiting({ world, caller }: KeepingCall, blobUrl: string): JsonAnswer {
  const named = nameOf(blobUrl);
  if (named === undefined)
    throw invalid({ path: 'blobUrl', message: 'must be one that an upload returned', received: blobUrl.slice(0, 100) });
  if (named.userId !== caller.userId) throw new ApiError('FORBIDDEN', { message: 'Access denied' });
  if (findWaiting(world.db, named.id)?.user_id === caller.userId) removeWaiting(world.db, named.id);
  return ok({ success: true });
}

/** A file that waits for its user, or why there is none. */
function waitingAt({ world, caller }: Pick<KeepingCall, 'world' | 'caller'>, blobUrl: string): WaitingFile | string {
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

// Makes documents of an agent from files that were uploaded before.

type Call = Pick<HandlerContext, 'world' | 'caller' | 'now'>;

/** A file that was found, with what becomes of it, or why it was not found. */
export type Submitted = { blobUrl: string } & ({ id: string; prepared: Prepared } | { error: string });

interface Ready {
  id: string;
  document: ReadDocument;
}

/** Reads the files that a request submits; one that it names twice is there once. */
export async function prepareSubmit(
  { world, caller }: Pick<Call, 'world' | 'caller'>,
  files: z.output<typeof submitBody>['files'],
  characterId: string,
): Promise<Submitted[]> {
  const taken = new Set<string>();
  const found = files.map(({ blobUrl, filename, contentType }): { blobUrl: string } & (Ready | { error: string }) => {
    const file = waitingAt({ world, caller }, blobUrl);
    if (typeof file === 'string') return { blobUrl, error: file };
    if (taken.has(file.id)) return { blobUrl, error: 'File not found' };
    taken.add(file.id);
    const { id, type, bytes, text } = file;
    return { blobUrl, id, document: { name: filename, type: contentType ?? type, bytes, text } };
  });
  const documents = found.flatMap((one) => ('document' in one ? [one.document] : []));
  const prepared = await prepareDocuments({ world, caller }, documents, { metadata: {}, characterId });
  let next = 0;
  return found.map((one): Submitted => {
    if (!('document' in one)) return one;
    return { blobUrl: one.blobUrl, id: one.id, prepared: prepared[next++] as Prepared };
  });
}

/** Keeps the documents, in the caller's transaction; returns the response. */
export function submit(call: Call, submitted: readonly Submitted[]): JsonAnswer {
  const { db } = call.world;
  // Another request may have taken a file in the meantime.
  const files = submitted.map((one) =>
    'id' in one && findWaiting(db, one.id) === undefined ? { blobUrl: one.blobUrl, error: 'File not found' } : one,
  );
  const there = files.flatMap((one) => ('id' in one ? [one] : []));
  for (const { id } of there) removeWaiting(db, id);
  return keepDocuments(
    call,
    there.map(({ prepared }) => prepared),
    (documents) => {
      let next = 0;
      const results = files.map((one) => {
        if ('error' in one) return { blobUrl: one.blobUrl, status: 'error', error: one.error };
        const document = documents[next++];
        if (document === undefined) throw new Error('a document was not kept');
        return { blobUrl: one.blobUrl, status: 'success', document: presentRecord(document, one.prepared.text) };
      });
      const failedCount = files.length - there.length;
      return ok({ success: failedCount === 0, successCount: there.length, failedCount, results });
    },
  );
}
