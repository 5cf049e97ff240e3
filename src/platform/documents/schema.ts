// The wire shapes of documents.

import * as z from 'zod';
import { characters, id, success } from '../../http/wire.js';
import { documentText, name as filename } from '../knowledge/schema.js';

const contentType = characters(1, 100);
const characterId = z.uuid().meta({ description: 'Agent of the caller’s own; without it, documents for no agent' });
const milliseconds = z.int().meta({ description: 'Milliseconds since the epoch' });

export const createBody = z.lazy(() =>
  z.object({
    content: documentText(),
    filename: filename.default('document.txt'),
    contentType: contentType.optional().meta({ description: 'Media type; by default derived from filename' }),
    characterId: characterId.nullish(),
  }),
);

export const uploadForm = z.lazy(() => z.object({ characterId: characterId.optional() }));

export const preUploadForm = z.lazy(() => z.object({}));

const blobUrl = z.string().min(1).max(2_000);

export const dropBody = z.lazy(() => z.object({ blobUrl: blobUrl.meta({ description: 'As the upload returned it' }) }));

export const submitBody = z.lazy(() =>
  z.object({
    characterId,
    files: z
      .array(z.object({ blobUrl, filename, contentType: contentType.optional(), size: z.int().min(0).optional() }))
      .min(1)
      .max(100),
  }),
);

export const documentParams = z.lazy(() => z.object({ id: z.string().meta({ format: 'uuid' }) }));

export const scopeQuery = z.lazy(() => z.object({ characterId: characterId.optional() }));

export const listQuery = z.lazy(() =>
  z.object({
    characterId: characterId.optional(),
    limit: z.int().min(1).max(200).default(100),
    offset: z.int().min(0).max(1_000_000_000).default(0),
  }),
);

export const queryBody = z.lazy(() =>
  z.object({
    query: characters(1, 10_000),
    limit: z.int().min(1).max(25).default(5),
    characterId: characterId.nullish(),
  }),
);

const metadata = z.lazy(() =>
  z
    .object({
      type: z.literal('document'),
      timestamp: milliseconds,
      scope: z.literal('user-private'),
      scopedToEntityId: id,
      addedBy: id,
      addedByRole: z.literal('USER'),
      addedFrom: z.literal('upload'),
      source: z.literal('upload'),
      filename: z.string().meta({ description: 'Without characters that no file name may have' }),
      fileName: z.string().meta({ description: 'The same as filename' }),
      originalFilename: z.string().meta({ description: 'As it was sent' }),
      fileSize: z.int().meta({ description: 'Bytes' }),
      contentType: z.string(),
      uploadedBy: id,
      uploadedAt: milliseconds,
      characterId: z.string().optional(),
    })
    .loose()
    .meta({ id: 'DocumentMetadata' }),
);

const record = z.lazy(() =>
  z
    .object({
      id,
      content: z.object({ text: z.string() }),
      createdAt: milliseconds,
      metadata,
    })
    .meta({ id: 'DocumentRecord' }),
);

export const listAnswer = z.lazy(() =>
  z.object({
    success,
    documents: z.array(record),
    total: z.int().meta({ description: 'Number of documents in this response' }),
  }),
);

export const createAnswer = z.lazy(() => z.object({ success, message: z.string(), document: record }));

export const uploadAnswer = z.lazy(() =>
  z.object({
    success,
    message: z.string(),
    successCount: z.int(),
    failedCount: z.literal(0),
    documents: z.array(record),
  }),
);

export const queryAnswer = z.lazy(() =>
  z.object({
    success,
    results: z.array(
      z.object({
        id,
        content: z.string().meta({ description: 'The whole text' }),
        similarity: z.number().meta({ description: 'From 0, exclusive, to 1' }),
        metadata,
      }),
    ),
    total: z.int(),
  }),
);

export const checkAnswer = z.lazy(() => z.object({ hasDocuments: z.boolean(), count: z.int() }));

export const preUploadAnswer = z.lazy(() =>
  z.object({
    success,
    files: z.array(
      z.object({
        id,
        filename: z.string(),
        blobUrl: z.string().meta({ description: 'What submit takes' }),
        contentType: z.string(),
        size: z.int(),
        uploadedAt: milliseconds,
      }),
    ),
    successCount: z.int(),
    failedCount: z.literal(0),
  }),
);

export const dropAnswer = z.lazy(() => z.object({ success }));

export const submitAnswer = z.lazy(() =>
  z.object({
    success: z.boolean().meta({ description: 'Whether all files have become documents' }),
    successCount: z.int(),
    failedCount: z.int(),
    results: z.array(
      z.union([
        z.object({ blobUrl: z.string(), status: z.literal('success'), document: record }),
        z.object({ blobUrl: z.string(), status: z.literal('error'), error: z.string() }),
      ]),
    ),
  }),
);

export const getAnswer = z.lazy(() => z.object({ success, document: record }));
