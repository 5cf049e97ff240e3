// The wire shapes of knowledge.

import * as z from 'zod';
import { characters, id, isoTime, jsonObject, success } from '../../http/wire.js';

const mega = 1_024 * 1_024;
const maxBytes = 5 * mega;
// Each result of a query repeats the metadata of its document.
const maxMetadata = 4_000;

/** The text of a document that is sent in JSON. */
export const documentText = () =>
  z
    .string()
    .refine((text) => text.trim() !== '', { message: 'must not be blank' })
    .refine((text) => Buffer.byteLength(text) <= maxBytes, { message: 'must have at most 5 MB' })
    .refine((text) => !text.includes('\u0000'), { message: 'must be text, without characters of code 0' });

export const name = z.string().trim().pipe(characters(1, 255)).meta({ minLength: 1, maxLength: 255 });
const characterId = z.string().min(1).max(100).meta({ description: 'Agent that the document is for' });

export const uploadBody = z.lazy(() =>
  z.object({
    content: documentText(),
    filename: name.default('document.txt'),
    type: z.string().min(1).max(100).optional().meta({ description: 'Media type; by default derived from filename' }),
    characterId: characterId.nullish(),
    metadata: jsonObject(maxMetadata).optional(),
  }),
);

export const uploadForm = z.lazy(() => z.object({ characterId: characterId.optional() }));

export const documentParams = z.lazy(() => z.object({ id: z.string().meta({ format: 'uuid' }) }));

export const listQuery = z.lazy(() =>
  z.object({
    characterId: characterId.optional(),
    limit: z.int().min(1).max(1_000).default(100),
    offset: z.int().min(0).max(1_000_000_000).default(0),
  }),
);

export const queryBody = z.lazy(() =>
  z.object({
    query: characters(1, 10_000),
    limit: z.int().min(1).max(100).default(5),
    characterId: characterId.nullish(),
    minScore: z.number().min(0).max(1).default(0),
  }),
);

const document = z.lazy(() =>
  z.object({
    id,
    filename: z.string(),
    type: z.string(),
    size: z.int().meta({ description: 'Bytes' }),
    uploadedAt: isoTime,
    fragmentCount: z.int(),
    characterId: z.string().nullable(),
    metadata: z.record(z.string(), z.unknown()),
    status: z.literal('completed'),
  }),
);

export const uploadAnswer = z.lazy(() =>
  z.object({
    success,
    data: z.array(document),
    document,
    message: z.string(),
    successCount: z.int(),
    failedCount: z.int(),
    totalCount: z.int(),
  }),
);

export const listAnswer = z.lazy(() =>
  z.object({
    success,
    documents: z.array(document),
    count: z.int().meta({ description: 'On this page' }),
    total: z.int(),
  }),
);

export const getAnswer = z.lazy(() =>
  z.object({ success, document: document.unwrap().extend({ content: z.string() }) }),
);

export const queryAnswer = z.lazy(() =>
  z.object({
    success,
    query: z.string(),
    results: z.array(
      z.object({
        id,
        content: z.string(),
        similarity: z.number().meta({ description: 'From 0 to 1' }),
        score: z.number().meta({ description: 'The same as similarity' }),
        documentId: id,
        documentName: z.string(),
        metadata: z.record(z.string(), z.unknown()),
      }),
    ),
    count: z.int(),
  }),
);
