// The wire shapes of embeddings.

import * as z from 'zod';
import { modelName } from '../chat-schema.js';

/** The inputs of one request. */
export const mostInputs = 2_048;

const token = z.int().min(0).max(10_000_000);
const text = z.string().min(1);

const input = z.union([
  text,
  z.array(text).min(1).max(mostInputs),
  z.array(token).min(1).max(1_000_000),
  z.array(z.array(token).min(1).max(1_000_000)).min(1).max(mostInputs),
]);

export const embeddingsBody = z.object({
  model: modelName.default('text-embedding-3-small'),
  input: input.meta({ description: 'A text, texts, the tokens of one, or of several' }),
  encoding_format: z.enum(['float', 'base64']).nullish().meta({ description: 'Default: float' }),
  dimensions: z.int().min(1).max(100_000).nullish().meta({ description: 'Default: those of the model' }),
  user: z.string().max(10_000).nullish(),
});

export type EmbeddingsBody = z.output<typeof embeddingsBody>;

export const embeddingsAnswer = z.object({
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
});
