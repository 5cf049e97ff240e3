// The wire shapes of embeddings.

import * as z from 'zod';
import { modelName } from '../chat-schema.js';

/** The inputs of one request. */
const mostInputs = 2_048;
/** The tokens of one request, in all of its inputs. */
export const mostTokens = 300_000;

const text = z.string().min(1);
const tokens = z.array(z.int().min(0).max(10_000_000)).max(mostTokens);

const input = z
  .union([text, z.array(text).max(mostInputs), tokens, z.array(tokens).max(mostInputs)])
  .superRefine((value, context) => {
    const add = (path: number[], message: string): void => context.addIssue({ code: 'custom', path, message });
    if (value.length === 0) add([], 'must not be empty');
    if (typeof value === 'string' || typeof value[0] === 'number') return;
    const empty = value.findIndex((one) => typeof one !== 'number' && one.length === 0);
    if (empty !== -1) add([empty], 'must not be empty');
  })
  .meta({ description: 'A text, a list of texts, or their tokens' });

export const embeddingsBody = z.lazy(() =>
  z.object({
    model: modelName.default('text-embedding-3-small'),
    input,
    encoding_format: z.enum(['float', 'base64']).nullish().meta({ description: 'Default: float' }),
    dimensions: z.int().min(1).max(100_000).nullish().meta({ description: 'Default: those of the model' }),
    user: z.string().max(10_000).nullish(),
  }),
);

export type EmbeddingsBody = z.output<typeof embeddingsBody>;

export const embeddingsAnswer = z.lazy(() =>
  z.object({
    object: z.literal('list'),
    data: z.array(
      z.object({
        object: z.literal('embedding'),
        index: z.int(),
        embedding: z
          .union([z.array(z.number()), z.string()])
          .meta({ description: 'A unit vector; in base64, little-endian 32-bit floats' }),
      }),
    ),
    model: z.string(),
    usage: z.object({ prompt_tokens: z.int(), total_tokens: z.int() }),
  }),
);
