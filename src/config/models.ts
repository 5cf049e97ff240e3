// Models: what is known of each, and what becomes of those that nobody knows. Settings over the shipped catalogue.

import * as z from 'zod';

const price = z.number().min(0).max(1_000);

/** What a model is for. */
export const modelKinds = ['chat', 'embedding', 'image', 'video', 'speech'] as const;

/** What the catalogue says of a model. */
export const modelFields = z.lazy(() =>
  z.strictObject({
    kind: z.enum(modelKinds).optional().describe('What it makes'),
    owner: z.string().min(1).max(100).optional().describe('Whose it is, as the list of models says'),
    created: z.int().min(0).optional().describe('Unix seconds'),
    contextWindow: z.int().min(1).max(100_000_000).optional().describe('Tokens of question and answer'),
    maxOutput: z.int().min(1).max(100_000_000).optional().describe('Tokens of an answer'),
    input: price.optional().describe('Credits per 1,000 tokens'),
    output: price.optional().describe('Credits per 1,000 tokens'),
    dimensions: z.int().min(1).max(100_000).optional().describe('Of an embedding'),
  }),
);

export const models = z.lazy(() =>
  z
    .strictObject({
      unknown: z
        .enum(['accept', 'refuse'])
        .default('accept')
        .describe('accept: a model that is not in the catalogue answers, with a warning; refuse: it is 404'),
      maxTokens: z
        .int()
        .min(1)
        .max(1_000_000)
        .default(4_096)
        .describe('Tokens that an answer has at most where the request does not say; they are what is reserved'),
      catalogue: z
        .record(z.string().min(1).max(200), modelFields)
        .default({})
        .describe('Further models by their id, and what is to be otherwise with known ones'),
    })
    .prefault({})
    .describe('Models: what is known of them'),
);
