// Endpoints that upload, list, show, delete and search documents.

import { found } from '../../core/errors.js';
import { type Endpoint, endpoint, type HandlerContext } from '../../http/endpoint.js';
import { ok } from '../../http/response.js';
import { confirmation } from '../../http/wire.js';
import { keepDocuments, prepareDocuments } from './documents.js';
import { readDocuments, typeOf, uploads } from './files.js';
import { presentDocument, presentFound } from './present.js';
import { findFragments } from './ranking.js';
import * as schema from './schema.js';
import {
  countDocuments,
  deleteDocument,
  findDocument,
  type KnowledgeDocument,
  listDocuments,
  readContent,
} from './store.js';

const base = '/api/v1/knowledge';
const read = { name: 'knowledge', level: 'read' } as const;
const write = { name: 'knowledge', level: 'write' } as const;
const kept = { 201: { description: 'The documents can be found', schema: schema.uploadAnswer } };

export const knowledgeEndpoints: Endpoint[] = [
  endpoint({
    id: 'knowledge.query',
    method: 'POST',
    path: `${base}/query`,
    summary: 'Find the parts of documents that match a question best',
    permission: read,
    limit: 'knowledge',
    body: schema.queryBody,
    example: { query: 'How do I deploy a container?', limit: 5 },
    responses: { 200: { description: 'The parts, the best match first', schema: schema.queryAnswer } },
    assumptions: ['knowledge.query', 'knowledge.limits'],
    prepare({ world, caller, body }) {
      const { query, limit, minScore, characterId } = body;
      const selection = { organizationId: caller.organizationId, characterId: characterId ?? undefined };
      return findFragments(world.db, { ...selection, query, limit, minScore });
    },
    handle({ world, body: { query }, prepared }) {
      const results = prepared.map((one) => presentFound(world, one));
      return ok({ success: true, query, results, count: results.length });
    },
  }),
  endpoint({
    id: 'knowledge.upload',
    method: 'POST',
    path: base,
    summary: 'Upload a text',
    permission: write,
    body: schema.uploadBody,
    example: { filename: 'deploying.md', content: 'Push the image, create the container, poll until it runs.' },
    responses: kept,
    assumptions: ['knowledge.documents'],
    prepare({ world, caller, body }) {
      const { content, filename, type = typeOf(filename), characterId = null, metadata = {} } = body;
      const document = { name: filename, type, bytes: Buffer.byteLength(content), text: content };
      return prepareDocuments({ world, caller }, [document], { metadata, characterId });
    },
    handle: (call) => keepDocuments(call, call.prepared),
  }),
  endpoint({
    id: 'knowledge.upload',
    method: 'POST',
    path: `${base}/upload-file`,
    summary: 'Upload files: txt, md, html, json, csv, docx',
    permission: write,
    body: schema.uploadForm,
    upload: uploads,
    responses: kept,
    assumptions: ['knowledge.documents'],
    async prepare({ world, caller, files, body }) {
      const documents = await readDocuments(files);
      return prepareDocuments({ world, caller }, documents, { metadata: {}, characterId: body.characterId ?? null });
    },
    handle: (call) => keepDocuments(call, call.prepared),
  }),
  endpoint({
    id: 'knowledge.list',
    method: 'GET',
    harmless: true,
    path: base,
    summary: 'List the documents of the organization, newest first',
    permission: read,
    query: schema.listQuery,
    responses: { 200: { description: 'A page of documents', schema: schema.listAnswer } },
    assumptions: ['knowledge.documents'],
    handle({ world, caller, query }) {
      const selection = { organizationId: caller.organizationId, characterId: query.characterId };
      const documents = listDocuments(world.db, selection, query).map(presentDocument);
      return ok({ success: true, documents, count: documents.length, total: countDocuments(world.db, selection) });
    },
  }),
  endpoint({
    id: 'knowledge.get',
    method: 'GET',
    harmless: true,
    path: `${base}/{id}`,
    summary: 'Get a document with its text',
    permission: read,
    params: schema.documentParams,
    responses: { 200: { description: 'The document', schema: schema.getAnswer } },
    errors: ['NOT_FOUND'],
    assumptions: ['knowledge.documents'],
    handle(call) {
      const document = own(call);
      const content = readContent(call.world.db, document.seq);
      return ok({ success: true, document: { ...presentDocument(document), content } });
    },
  }),
  endpoint({
    id: 'knowledge.delete',
    method: 'DELETE',
    path: `${base}/{id}`,
    summary: 'Delete a document',
    permission: write,
    params: schema.documentParams,
    responses: { 200: { description: 'The document is deleted', schema: confirmation } },
    errors: ['NOT_FOUND'],
    assumptions: ['knowledge.documents'],
    handle(call) {
      deleteDocument(call.world.db, own(call).seq);
      return ok({ success: true, message: 'Document deleted successfully' });
    },
  }),
];

function own({
  world,
  caller,
  params,
}: Pick<HandlerContext<{ id: string }>, 'world' | 'caller' | 'params'>): KnowledgeDocument {
  return found(findDocument(world.db, caller.organizationId, params.id), 'Document not found');
}
