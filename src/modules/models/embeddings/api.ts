// The endpoint that turns texts into vectors. Texts that are too long are refused; long work is done in slices.

import { afterThisTick } from '../../../core/clock.js';
import { ApiError, invalid } from '../../../core/errors.js';
import { describe } from '../../../core/problems.js';
import { counted } from '../../../core/words.js';
import { type Endpoint, endpoint, type HandlerContext } from '../../../http/endpoint.js';
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
      const input = tokensOf(inputsOf(body)).reduce((sum, count) => sum + count, 0);
      // The response warns of an unknown model.
      const model = modelOfKind({ world, warn: () => {} }, body.model, 'embedding');
      return tokenPrice(world, model, { input, output: 0 }).amount;
    },
    assumptions: ['embeddings.vectors', 'money', 'x402.payment'],
    besideError: embeddingErrors,
    prepare: makeEmbeddings,
    handle(call) {
      const { model, tokens, data, text } = call.prepared;
      chargeTokens(call, model, { input: tokens, output: 0 }, `Embeddings of ${counted(data.length, 'text')}`);
      const usage = { prompt_tokens: tokens, total_tokens: tokens };
      const rest = { model: model.id, usage };
      const body = { object: 'list', data, ...rest };
      return {
        kind: 'json',
        status: 200,
        body,
        text: `{"object":"list","data":${text},${JSON.stringify(rest).slice(1)}`,
      };
    },
  }),
];

/** The limit that the platform documents; more are accepted, with a warning. */
const documentedInputs = 100;
/** Tokens between two pauses: a few milliseconds' work. */
const sliceTokens = 500;
/** Models whose vectors cannot be shortened. */
const fixedSize = ['text-embedding-ada-002'];

type EmbeddingsCall = Pick<HandlerContext<unknown, unknown, EmbeddingsBody>, 'world' | 'warn' | 'body'>;
type Input = string | number[];

interface Embedded {
  model: Model;
  tokens: number;
  data: { object: 'embedding'; index: number; embedding: string | number[] }[];
  /** `data` as JSON: it is made piece by piece, too. */
  text: string;
}

/** The inputs of a request, whatever form they have. */
function inputsOf({ input }: EmbeddingsBody): Input[] {
  if (typeof input === 'string') return [input];
  return typeof input[0] === 'number' ? [input as number[]] : (input as Input[]);
}

/** The tokens of each input. */
function tokensOf(inputs: readonly Input[]): number[] {
  return inputs.map((input) => (typeof input === 'string' ? countTokens(input) : input.length));
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
  if (inputs.length > documentedInputs)
    warn(`${inputs.length} inputs: the platform documents at most ${documentedInputs} in a request`);

  const data: Embedded['data'] = [];
  const texts: string[] = [];
  let worked = 0;
  for (const [index, input] of inputs.entries()) {
    const vector = shortened(embed(input, model.dimensions), dimensions);
    const embedding = body.encoding_format === 'base64' ? bytesOf(vector).toString('base64') : Array.from(vector);
    const entry = { object: 'embedding', index, embedding } as const;
    data.push(entry);
    texts.push(JSON.stringify(entry));
    worked += (counts[index] ?? 0) + dimensions / 10;
    if (worked < sliceTokens) continue;
    worked = 0;
    await new Promise<void>((resolve) => afterThisTick(resolve));
  }
  return { model, tokens: sumOf(counts), data, text: `[${texts.join(',')}]` };
}

function dimensionsOf({ dimensions }: EmbeddingsBody, { id, dimensions: size }: Model): number {
  if (typeof dimensions !== 'number') return size;
  const refused = (message: string): ApiError =>
    invalid({ path: 'dimensions', message, received: describe(dimensions), suggestion: String(size) });
  if (dimensions > size) throw refused(`must be at most ${size}, those of ${id}`);
  if (fixedSize.includes(id) && dimensions !== size) throw refused(`cannot be chosen for ${id}: it has ${size}`);
  return dimensions;
}

function checkLengths({ input }: EmbeddingsBody, { id, contextWindow }: Model, counts: readonly number[]): void {
  const index = counts.findIndex((count) => count > contextWindow);
  if (index !== -1) {
    const which = counts.length === 1 && typeof input === 'string' ? 'input' : `input[${index}]`;
    throw new ApiError('CONTEXT_LENGTH', {
      message: `This model's maximum context length is ${contextWindow} tokens (${id}), and ${which} has ${counts[index]}: shorten it`,
      details: { tokens: counts[index], contextWindow },
    });
  }
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
