// Makes documents of an agent from files that were uploaded before.

import type { HandlerContext } from '../../http/endpoint.js';
import { type JsonAnswer, ok } from '../../http/response.js';
import { keepDocuments, type Prepared, prepareDocuments } from '../knowledge/documents.js';
import type { ReadDocument } from '../knowledge/files.js';
import { presentRecord } from './present.js';
import { findWaiting, removeWaiting } from './store.js';
import { waitingAt } from './waiting.js';

type Call = Pick<HandlerContext, 'world' | 'caller' | 'now'>;

/** A file of the request. */
export interface SubmittedFile {
  blobUrl: string;
  filename: string;
  contentType?: string | undefined;
}

/** A file that was found, with what becomes of it, or why it was not found. */
export type Submitted = { blobUrl: string } & ({ id: string; prepared: Prepared } | { error: string });

interface Ready {
  id: string;
  document: ReadDocument;
}

/** Reads the files that a request submits; one that it names twice is there once. */
export async function prepareSubmit(
  { world, caller }: Pick<Call, 'world' | 'caller'>,
  files: readonly SubmittedFile[],
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
