// Endpoints that upload, list, show, find and delete documents: what the newer platform has in place of knowledge.

import { ApiError, isAbout } from '../../core/errors.js';
import { textsFinder } from '../../core/find-texts.js';
import type { Db } from '../../db/db.js';
import { type Endpoint, endpoint, type HandlerContext } from '../../http/endpoint.js';
import { ok } from '../../http/response.js';
import { confirmation } from '../../http/wire.js';
import { findAgent } from '../agents/store.js';
import { keepDocuments, prepareDocuments } from '../knowledge/documents.js';
import { readDocuments, typeOf, uploads } from '../knowledge/files.js';
import { deleteDocument, findDocument, type KnowledgeDocument, readContent } from '../knowledge/store.js';
import { presentMetadata, presentRecord } from './present.js';
import * as schema from './schema.js';
import { countInScope, listInScope, type Scope } from './store.js';
import { dropWaiting, keepWaiting, prepareSubmit, submit } from './waiting.js';

const base = '/api/v1/documents';
const read = { name: 'knowledge', level: 'read' } as const;
const write = { name: 'knowledge', level: 'write' } as const;
const upload = { ...uploads, maxBytes: 5 * 1_024 * 1_024 };

// Why a text is refused, in the platform's words.
function flatTextOf(error: ApiError): string | undefined {
  if (error.code === 'INVALID_JSON') return 'Request body must be JSON';
  const isBlank = /content (is required|must not be blank|must be a string)/.test(error.message);
  return isAbout(error, 'content') && isBlank ? 'content is required' : undefined;
}

// A form without a file.
const withoutFiles = (error: ApiError) => (isAbout(error, 'files') ? { error: 'No files provided' } : {});

export const documentEndpoints: Endpoint[] = [
  endpoint({
    id: 'documents.query',
    method: 'POST',
    path: `${base}/query`,
    summary: 'Find the documents that have the words of a question',
    permission: read,
    body: schema.queryBody,
    example: { query: 'deploy container', limit: 5 },
    responses: { 200: { description: 'The documents, the most similar first', schema: schema.queryAnswer } },
    errors: ['NOT_FOUND'],
    assumptions: ['documents.query', 'documents.records'],
    handle({ world, caller, body }) {
      const found = findDocuments(world.db, scopeOf({ world, caller }, body.characterId), body.query);
      const results = found.slice(0, body.limit).map(({ document, similarity, text }) => ({
        id: document.id,
        content: text,
        similarity,
        metadata: presentMetadata(document),
      }));
      return ok({ success: true, results, total: results.length });
    },
  }),
  endpoint({
    id: 'documents.upload',
    method: 'POST',
    path: `${base}/upload-file`,
    summary: 'Upload files: txt, md, html, json, csv, docx',
    permission: write,
    body: schema.uploadForm,
    upload,
    flatAs: withoutFiles,
    responses: { 200: { description: 'The documents can be found', schema: schema.uploadAnswer } },
    errors: ['NOT_FOUND'],
    assumptions: ['documents.records'],
    async prepare({ world, caller, files, body }) {
      const { characterId } = scopeOf({ world, caller }, body.characterId);
      const documents = await readDocuments(files);
      return prepareDocuments({ world, caller }, documents, { metadata: {}, characterId });
    },
    handle: (call) =>
      keepDocuments(call, call.prepared, (documents) =>
        ok({
          success: true,
          message: `Successfully uploaded ${documents.length} file(s)`,
          successCount: documents.length,
          failedCount: 0,
          documents: documents.map((one, index) => presentRecord(one, call.prepared[index]?.text ?? '')),
        }),
      ),
  }),
  endpoint({
    id: 'documents.check',
    method: 'GET',
    harmless: true,
    path: `${base}/check`,
    summary: 'Say whether there are documents',
    permission: read,
    query: schema.scopeQuery,
    responses: { 200: { description: 'How many there are', schema: schema.checkAnswer } },
    errors: ['NOT_FOUND'],
    assumptions: ['documents.records'],
    handle(call) {
      const count = countInScope(call.world.db, scopeOf(call, call.query.characterId));
      return ok({ hasDocuments: count > 0, count });
    },
  }),
  endpoint({
    id: 'documents.preUpload',
    method: 'POST',
    path: `${base}/pre-upload`,
    summary: 'Upload files that wait to be submitted',
    permission: write,
    body: schema.preUploadForm,
    upload,
    flatAs: withoutFiles,
    responses: { 200: { description: 'The files wait', schema: schema.preUploadAnswer } },
    assumptions: ['documents.waiting'],
    prepare: ({ files }) => readDocuments(files),
    handle: (call) => keepWaiting(call, call.prepared),
  }),
  endpoint({
    id: 'documents.dropUpload',
    method: 'DELETE',
    path: `${base}/pre-upload`,
    summary: 'Delete a file that waits to be submitted',
    permission: write,
    body: schema.dropBody,
    responses: { 200: { description: 'The file is gone', schema: schema.dropAnswer } },
    assumptions: ['documents.waiting'],
    handle: (call) => dropWaiting(call, call.body.blobUrl),
  }),
  endpoint({
    id: 'documents.submit',
    method: 'POST',
    path: `${base}/submit`,
    summary: 'Make documents of an agent from files that were uploaded before',
    permission: write,
    body: schema.submitBody,
    responses: { 200: { description: 'What has become of each file', schema: schema.submitAnswer } },
    errors: ['NOT_FOUND'],
    assumptions: ['documents.waiting', 'documents.records'],
    prepare({ world, caller, body }) {
      const { characterId } = scopeOf({ world, caller }, body.characterId);
      return prepareSubmit({ world, caller }, body.files, characterId ?? '');
    },
    handle: (call) => submit(call, call.prepared),
  }),
  endpoint({
    id: 'documents.list',
    method: 'GET',
    harmless: true,
    path: base,
    summary: 'List documents with their texts, newest first',
    permission: read,
    query: schema.listQuery,
    responses: { 200: { description: 'A page of documents', schema: schema.listAnswer } },
    errors: ['NOT_FOUND'],
    assumptions: ['documents.records'],
    handle(call) {
      const { limit, offset, characterId } = call.query;
      const documents = listInScope(call.world.db, scopeOf(call, characterId), { limit, offset }).map((document) =>
        presentRecord(document, readContent(call.world.db, document.seq)),
      );
      return ok({ success: true, documents, total: documents.length });
    },
  }),
  endpoint({
    id: 'documents.create',
    method: 'POST',
    path: base,
    summary: 'Upload a text',
    permission: write,
    body: schema.createBody,
    flatAs: (error) => ({ error: flatTextOf(error) }),
    example: { filename: 'deploying.md', content: 'Push the image, create the container, poll until it runs.' },
    responses: { 200: { description: 'The document can be found', schema: schema.createAnswer } },
    errors: ['NOT_FOUND'],
    assumptions: ['documents.records'],
    prepare({ world, caller, body }) {
      const { content, filename, contentType = typeOf(filename) } = body;
      const { characterId } = scopeOf({ world, caller }, body.characterId);
      const document = { name: filename, type: contentType, bytes: Buffer.byteLength(content), text: content };
      return prepareDocuments({ world, caller }, [document], { metadata: {}, characterId });
    },
    handle: (call) =>
      keepDocuments(call, call.prepared, ([document]) =>
        ok({
          success: true,
          message: 'Document uploaded successfully',
          document: document === undefined ? undefined : presentRecord(document, call.body.content),
        }),
      ),
  }),
  endpoint({
    id: 'documents.get',
    method: 'GET',
    harmless: true,
    path: `${base}/{id}`,
    summary: 'Get a document with its text',
    permission: read,
    params: schema.documentParams,
    responses: { 200: { description: 'The document', schema: schema.getAnswer } },
    errors: ['NOT_FOUND'],
    assumptions: ['documents.records'],
    handle(call) {
      const document = own(call);
      return ok({ success: true, document: presentRecord(document, readContent(call.world.db, document.seq)) });
    },
  }),
  endpoint({
    id: 'documents.delete',
    method: 'DELETE',
    path: `${base}/{id}`,
    summary: 'Delete a document',
    permission: write,
    params: schema.documentParams,
    responses: { 200: { description: 'The document is deleted', schema: confirmation } },
    errors: ['NOT_FOUND'],
    assumptions: ['documents.records'],
    handle(call) {
      deleteDocument(call.world.db, own(call).seq);
      return ok({ success: true, message: 'Document deleted successfully' });
    },
  }),
];

type Asking = Pick<HandlerContext, 'world' | 'caller'>;

/** @throws ApiError NOT_FOUND for an agent that is not the caller's */
function scopeOf({ world, caller }: Asking, characterId: string | null | undefined): Scope {
  const { organizationId, userId } = caller;
  if (characterId !== null && characterId !== undefined && findAgent(world.db, characterId)?.user_id !== userId)
    throw new ApiError('NOT_FOUND', { message: 'Character not found' });
  return { organizationId, userId, characterId: characterId ?? null };
}

function own({ world, caller, params }: Asking & { params: { id: string } }): KnowledgeDocument {
  const document = findDocument(world.db, caller.organizationId, params.id);
  if (document?.user_id !== caller.userId) throw new ApiError('NOT_FOUND', { message: 'Document not found' });
  return document;
}

// Finding documents by the words of a question: 1 where a text has the whole question, else the share of its words.

/** A document with its similarity to a question, from 0, exclusive, to 1. */
interface FoundDocument {
  document: KnowledgeDocument;
  similarity: number;
  text: string;
}

/** The documents that have something of a question, the most similar first; among equals by their ids. */
function findDocuments(db: Db, scope: Scope, query: string): FoundDocument[] {
  const similarityOf = scorer(query);
  const found: FoundDocument[] = [];
  for (const document of listInScope(db, scope)) {
    const text = readContent(db, document.seq);
    const similarity = similarityOf(text.toLowerCase());
    if (similarity > 0) found.push({ document, similarity, text });
  }
  return found.sort((a, b) => b.similarity - a.similarity || (a.document.id < b.document.id ? -1 : 1));
}

/** How similar texts in small letters are to a question. */
export function scorer(query: string): (text: string) => number {
  const whole = query.toLowerCase();
  const words = [...new Set(whole.split(/\s+/).filter((word) => word.length > 1))];
  const texts = [...new Set([whole, ...words])];
  const placeOf = new Map(texts.map((text, place) => [text, place]));
  const places = words.map((word) => placeOf.get(word) ?? -1);
  const find = textsFinder(texts);
  return (text) => {
    const found = find(text);
    if (found.has(0)) return 1;
    return places.length === 0 ? 0 : places.filter((place) => found.has(place)).length / places.length;
  };
}
