// The wire shapes of embeddings.

import * as z from 'zod';
import { modelName } from '../chat-schema.js';

/** The inputs of one request. */
const mostInputs = 2_048;
/** The tokens of one request, in all of its inputs. */
export const mostTokens = 300_000;

const greatestToken = 10_000_000;

/** The input that is turned into vectors: a text, texts, the tokens of a text, or of several. */
export type Input = string | string[] | number[] | number[][];

const isToken = (value: unknown): boolean =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= greatestToken;

/** The problem of an input, with its place. */
function problemOf(value: unknown): { path: number[]; message: string } | undefined {
  if (value === undefined) return { path: [], message: 'is required' };
  if (typeof value === 'string') return value === '' ? { path: [], message: 'must not be empty' } : undefined;
  if (!Array.isArray(value)) return { path: [], message: 'must be a string, or a list' };
  if (value.length === 0) return { path: [], message: 'must not be empty' };
  return typeof value[0] === 'number' ? problemOfTokens(value, []) : problemOfList(value);
}

function problemOfTokens(list: readonly unknown[], path: number[]): { path: number[]; message: string } | undefined {
  if (list.length === 0) return { path, message: 'must not be empty' };
  if (list.length > mostTokens) return { path, message: `must have at most ${mostTokens} entries` };
  const bad = list.findIndex((one) => !isToken(one));
  const message = `must be a token: a whole number from 0 to ${greatestToken}`;
  return bad === -1 ? undefined : { path: [...path, bad], message };
}

function problemOfList(list: readonly unknown[]): { path: number[]; message: string } | undefined {
  if (list.length > mostInputs) return { path: [], message: `must have at most ${mostInputs} entries` };
  const areTexts = typeof list[0] === 'string';
  for (const [index, one] of list.entries()) {
    if (areTexts ? typeof one !== 'string' : !Array.isArray(one))
      return { path: [index], message: areTexts ? 'must be a string' : 'must be a list of tokens' };
    const problem = areTexts ? problemOf(one) : problemOfTokens(one as unknown[], [index]);
    if (problem !== undefined) return areTexts ? { ...problem, path: [index] } : problem;
  }
  return undefined;
}

const texts = { type: 'string', minLength: 1 };
const tokens = {
  type: 'array',
  maxItems: mostTokens,
  items: { type: 'integer', minimum: 0, maximum: greatestToken },
};

// By hand: a union tries each of its kinds on all of the 300,000 entries.
const input = z
  .unknown()
  .superRefine((value, context) => {
    const problem = problemOf(value);
    if (problem !== undefined) context.addIssue({ code: 'custom', ...problem });
  })
  .meta({
    description: 'A text, a list of texts, or their tokens',
    anyOf: [
      texts,
      { type: 'array', maxItems: mostInputs, items: texts },
      tokens,
      { type: 'array', maxItems: mostInputs, items: tokens },
    ],
  }) as unknown as z.ZodType<Input>;

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
