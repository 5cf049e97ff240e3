// The endpoint that turns texts into vectors. Texts that are too long are refused.

import { createBudget } from '../../../core/budget.js';
import { nextTurn } from '../../../core/clock.js';
import { ApiError, invalid } from '../../../core/errors.js';
import { describe } from '../../../core/problems.js';
import { counted } from '../../../core/words.js';
import { type Endpoint, endpoint, type HandlerContext } from '../../../http/endpoint.js';
import { fromText } from '../../../http/response.js';
import { chargeTokens } from '../charges.js';
import { embeddingErrors } from '../errors.js';
import { type Model, modelOfKind, tokenPrice } from '../models.js';
import { countTokens } from '../tokens.js';
import * as schema from './schema.js';
import { type EmbeddingsBody, mostTokens } from './schema.js';
import { bytesOf, embed, shortened } from './vector.js';

export const embeddingEndpoints: Endpoint[] = [
  endpoint({
    id: 'embeddings.create',
    method: 'POST',
    path: '/api/v1/embeddings',
    summary: 'Turn texts into vectors; similar texts have similar vectors',
    permission: { name: 'embeddings', level: 'read' },
    limit: 'embeddings',
    body: schema.embeddingsBody,
    example: { model: 'text-embedding-3-small', input: 'Hello, world' },
    responses: { 200: { description: 'A vector for each input', schema: schema.embeddingsAnswer } },
    errors: ['INSUFFICIENT_CREDITS', 'NOT_FOUND', 'CONTEXT_LENGTH'],
    priceSettings: ['inputTokens', 'tokenMarkup'],
    price({ world, body }) {
      const input = sumOf(tokensOf(inputsOf(body)));
      // The response warns of an unknown model.
      const model = modelOfKind({ world, warn: () => {} }, body.model, 'embedding');
      return tokenPrice(world, model, { input, output: 0 }).amount;
    },
    assumptions: ['embeddings.vectors', 'money', 'x402.payment'],
    besideError: embeddingErrors,
    prepare: (call) => makeEmbeddings(call),
    handle(call) {
      const { model, tokens, entries, length } = call.prepared;
      chargeTokens(call, model, { input: tokens, output: 0 }, `Embeddings of ${counted(entries.length, 'text')}`);
      const usage = { prompt_tokens: tokens, total_tokens: tokens };
      const end = `],${JSON.stringify({ model: model.id, usage }).slice(1)}`;
      if (length > mostAtOnce) return { kind: 'pieces', status: 200, pieces: piecesOf(entries, end) };
      return fromText(`${head}${entries.join(',')}${end}`);
    },
  }),
];

/** The limit that the platform documents; more are accepted, with a warning. */
const documentedInputs = 100;
/** The most numbers that a response has as decimals: those of 1,041 texts of 1,536 numbers, which are 33 MB. */
const mostNumbers = 1_600_000;
/** In base64 each takes a quarter of the room: all that a request may ask for, as much. */
const mostInBase64 = 6_400_000;
/** Tokens between two pauses: a few milliseconds' work. */
const tokensPerTurn = 500;
/** Models whose vectors cannot be shortened. */
const fixedSize = ['text-embedding-ada-002'];

type EmbeddingsCall = Pick<HandlerContext<unknown, unknown, EmbeddingsBody>, 'world' | 'warn' | 'body'>;
type OneInput = string | number[];

interface Embedded {
  model: Model;
  tokens: number;
  /** The entries as JSON, made one by one. */
  entries: string[];
  /** The length of all entries together. */
  length: number;
}

const head = '{"object":"list","data":[';
/** Characters of a response, or of a piece of it, that are sent at once. */
const mostAtOnce = 256 * 1_024;

async function* piecesOf(entries: readonly string[], end: string): AsyncGenerator<string> {
  let piece = head;
  for (const [index, entry] of entries.entries()) {
    piece += index === 0 ? entry : `,${entry}`;
    if (piece.length < mostAtOnce) continue;
    yield piece;
    piece = '';
    await nextTurn();
  }
  yield piece + end;
}

/** The inputs of a request, whatever form they have. */
function inputsOf({ input }: EmbeddingsBody): OneInput[] {
  if (typeof input === 'string') return [input];
  return typeof input[0] === 'number' ? [input as number[]] : (input as OneInput[]);
}

/** The tokens of each input. */
function tokensOf(inputs: readonly OneInput[]): number[] {
  const counts = inputs.filter((input) => typeof input === 'string').map((text) => countTokens(text));
  return typeof inputs[0] === 'string' ? counts : inputs.map(({ length }) => length);
}

/**
 * The vectors that a request asks for.
 *
 * @throws ApiError VALIDATION_ERROR, CONTEXT_LENGTH
 */
async function makeEmbeddings(call: EmbeddingsCall): Promise<Embedded> {
  const { body, warn } = call;
  const model = modelOfKind(call, body.model, 'embedding');
  const dimensions = dimensionsOf(body, model);
  const inputs = inputsOf(body);
  const counts = tokensOf(inputs);
  checkLengths(body, model, counts);
  checkSize(body, inputs.length * dimensions);
  if (inputs.length > documentedInputs)
    warn(`${inputs.length} inputs: the platform documents at most ${documentedInputs} in a request`);

  const entries: string[] = [];
  let length = 0;
  let worked = 0;
  for (const [index, input] of inputs.entries()) {
    const vector = shortened(embed(input, model.dimensions), dimensions);
    const embedding = body.encoding_format === 'base64' ? bytesOf(vector).toString('base64') : Array.from(vector);
    const entry = JSON.stringify({ object: 'embedding', index, embedding });
    entries.push(entry);
    length += entry.length;
    worked += (counts[index] ?? 0) + dimensions / 10;
    if (worked < tokensPerTurn) continue;
    worked = 0;
    await nextTurn();
  }
  return { model, tokens: sumOf(counts), entries, length };
}

function dimensionsOf({ dimensions }: EmbeddingsBody, { id, dimensions: size }: Model): number {
  if (typeof dimensions !== 'number') return size;
  const refused = (message: string): ApiError =>
    invalid({ path: 'dimensions', message, received: describe(dimensions), suggestion: String(size) });
  if (dimensions > size) throw refused(`must be at most ${size}, those of ${id}`);
  if (fixedSize.includes(id) && dimensions !== size) throw refused(`cannot be chosen for ${id}: it has ${size}`);
  return dimensions;
}

function checkSize({ encoding_format: format }: EmbeddingsBody, numbers: number): void {
  const isShort = format === 'base64';
  const hint = isShort ? '' : ' as decimals: send fewer, or ask for encoding_format base64';
  const most = isShort ? mostInBase64 : mostNumbers;
  createBudget({ most, of: `numbers of vectors${hint}`, path: 'input' }).spend(numbers);
}

/** A text within the context window may still consist of spaces, which count little. */
const longestText = 200_000;

function checkLengths(body: EmbeddingsBody, { id, contextWindow }: Model, counts: readonly number[]): void {
  const { input } = body;
  const index = counts.findIndex((count) => count > contextWindow);
  if (index !== -1) {
    const which = counts.length === 1 && typeof input === 'string' ? 'input' : `input[${index}]`;
    throw new ApiError('CONTEXT_LENGTH', {
      message: `This model's maximum context length is ${contextWindow} tokens (${id}), and ${which} has ${counts[index]}: shorten it`,
      details: { tokens: counts[index], contextWindow },
    });
  }
  for (const [at, one] of inputsOf(body).entries())
    if (one.length > longestText)
      throw invalid({
        path: Array.isArray(input) ? `input[${at}]` : 'input',
        message: `must have at most ${longestText} characters`,
      });
  const total = sumOf(counts);
  if (total > mostTokens)
    throw new ApiError('CONTEXT_LENGTH', {
      message: `The inputs of one request may have ${mostTokens} tokens in all, and these have ${total}: send fewer`,
      details: { tokens: total, contextWindow: mostTokens },
    });
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}
