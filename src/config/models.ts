// Settings of models: additions to the built-in catalogue, and the treatment of unknown models.

import * as z from 'zod';

const price = z.number().min(0).max(1_000);

/** The kinds of models. */
export const modelKinds = ['chat', 'embedding', 'image', 'video', 'speech'] as const;

/** The fields of a model in the catalogue. */
export const modelFields = z.lazy(() =>
  z.strictObject({
    kind: z.enum(modelKinds).optional().describe('What the model generates'),
    owner: z.string().min(1).max(100).optional().describe('Owner in the list of models'),
    created: z.int().min(0).optional().describe('Creation date in Unix seconds'),
    contextWindow: z
      .int()
      .min(1)
      .max(100_000_000)
      .optional()
      .describe('Maximum number of tokens of prompt and response together'),
    maxOutput: z.int().min(1).max(100_000_000).optional().describe('Maximum number of tokens of a response'),
    input: price.optional().describe('Credits per 1,000 tokens'),
    output: price.optional().describe('Credits per 1,000 tokens'),
    dimensions: z.int().min(1).max(100_000).optional().describe('Number of dimensions of an embedding'),
  }),
);

export const models = z.lazy(() =>
  z
    .strictObject({
      unknown: z
        .enum(['accept', 'refuse'])
        .default('accept')
        .describe('Models that are not in the catalogue: accept uses them, with a warning; refuse answers 404'),
      maxTokens: z
        .int()
        .min(1)
        .max(1_000_000)
        .default(4_096)
        .describe(
          'Maximum number of tokens of a response, if the request does not set one; credits are reserved for this many',
        ),
      catalogue: z
        .record(z.string().min(1).max(200), modelFields)
        .default({})
        .describe('Additional models, and overrides of known models, by id'),
    })
    .prefault({})
    .describe('The catalogue of models'),
);
