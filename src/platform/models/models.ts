// The models that exist, what their tokens cost, and how responses show them: the shipped catalogue, and the settings.

import * as z from 'zod';
import { readJsonFile } from '../../config/json-file.js';
import { modelFields, modelKinds } from '../../config/models.js';
import { ApiError, invalid } from '../../core/errors.js';
import { fileVersion, fixturePath } from '../../core/files.js';
import { memoizeLast } from '../../core/memoize-last.js';
import { toMicros } from '../../core/money.js';
import { nearest } from '../../core/nearest.js';
import { describe, problemsOf } from '../../core/problems.js';
import type { HandlerContext } from '../../http/endpoint.js';
import type { World } from '../../world/world.js';
import type { Price } from '../credits/ledger.js';

/** A model, whole. */
export interface Model {
  id: string;
  kind: (typeof modelKinds)[number];
  owner: string;
  /** Unix seconds. */
  created: number;
  /** Maximum number of tokens of prompt and response together. */
  contextWindow: number;
  /** Tokens of an answer. */
  maxOutput: number;
  /** Credits per 1,000 tokens of the question. */
  input: number;
  /** Credits per 1,000 tokens of the answer. */
  output: number;
  /** The length of an embedding's vector. */
  dimensions: number;
}

/** Tokens of a question and its answer. */
export interface Tokens {
  input: number;
  output: number;
}

const shippedCatalogue = fixturePath('models.json');
const catalogueFile = z.strictObject({ models: z.record(z.string(), modelFields) });
const unbounded = 1_000_000_000;

/** Every known model, in the order of the catalogue. */
export function listModels(world: World): Model[] {
  const known = knownModels(world);
  return Object.keys(known).map((id) => modelNamed(world, known, id));
}

/** A known model; its id may be prefixed with its owner. */
export function findModel(world: World, id: string): Model | undefined {
  const known = knownModels(world);
  if (Object.hasOwn(known, id)) return modelNamed(world, known, id);
  const short = id.slice(id.indexOf('/') + 1);
  const isOwned = Object.hasOwn(known, short) && id === `${known[short]?.owner}/${short}`;
  return isOwned ? modelNamed(world, known, short) : undefined;
}

/**
 * The model of that name, known or not.
 *
 * @param warn receives a warning for an unknown model
 * @throws ApiError NOT_FOUND where the settings refuse unknown models
 */
function modelOf(world: World, id: string, warn: (text: string) => void): Model {
  const found = findModel(world, id);
  if (found !== undefined) return found;
  const suggestion = nearest(id, Object.keys(knownModels(world)));
  const hint = suggestion === undefined ? '' : `, did you mean ${suggestion}?`;
  if (world.config.models.unknown === 'refuse')
    throw new ApiError('NOT_FOUND', { message: `The model ${describe(id)} does not exist${hint}` });
  warn(`model ${id.slice(0, 100)} is not in the catalogue${hint}`);
  return unknownModel(world, id);
}

/** An unknown model: it has the usual prices and no limits of its own. */
export function unknownModel({ config }: World, id: string): Model {
  const { inputTokens: input, outputTokens: output } = config.prices;
  const limits = { contextWindow: unbounded, maxOutput: unbounded, dimensions: 1_536 };
  return { id, kind: 'chat', owner: 'unknown', created: 0, ...limits, input, output };
}

/** The price of tokens of a model, in whole micro-credits, rounded up. */
export function tokenPrice({ config }: World, model: Model, { input, output }: Tokens): Price {
  const { tokenMarkup: markup } = config.prices;
  const exact = ((input * model.input + output * model.output) / 1_000) * markup;
  const parts = [`${input} tokens × ${model.input}/1,000`];
  if (output > 0) parts.push(`${output} tokens × ${model.output}/1,000`);
  const rule = `${model.id}: ${parts.join(' + ')}${markup === 1 ? '' : `, × ${markup}`}`;
  // Sums of fractions come out a little above the whole numbers that they are.
  return { amount: toMicros(Math.ceil(exact * 1_000_000 - 1e-6) / 1_000_000), rule };
}

type Known = Record<string, z.output<typeof modelFields>>;

function modelNamed(world: World, known: Known, id: string): Model {
  const fields = known[id] ?? {};
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  const output = fields.kind === 'embedding' ? 0 : world.config.prices.outputTokens;
  return { ...unknownModel(world, id), output, ...given };
}

function knownModels({ config }: World): Known {
  return shipped(fileVersion(shippedCatalogue))(config.models.catalogue);
}

// The file is read anew when it was edited.
const shipped = memoizeLast((_version: string | undefined) => {
  const known = readCatalogue(shippedCatalogue);
  return memoizeLast((catalogue: Known): Known => {
    const merged = { ...known };
    for (const [id, fields] of Object.entries(catalogue)) merged[id] = { ...merged[id], ...fields };
    return merged;
  });
});

function readCatalogue(file: string): Known {
  const reading = readJsonFile(file);
  if ('problem' in reading) throw unusable(file, reading.problem);
  const result = catalogueFile.safeParse(reading.value);
  if (result.success) return result.data.models;
  const [first] = problemsOf(result.error.issues, reading.value, catalogueFile);
  throw unusable(file, `${first?.path} ${first?.message}`);
}

function unusable(file: string, problem: string): ApiError {
  return new ApiError('INTERNAL_ERROR', { message: `${file} cannot be used: ${problem}` });
}

/**
 * The model of that name, if it is of the kind or unknown.
 *
 * @throws ApiError VALIDATION_ERROR for one of another kind; NOT_FOUND where the settings refuse unknown ones
 */
export function modelOfKind(
  { world, warn }: Pick<HandlerContext, 'world' | 'warn'>,
  id: string,
  kind: Model['kind'],
): Model {
  const model = findModel(world, id);
  if (model === undefined) return { ...modelOf(world, id, warn), kind };
  if (model.kind === kind) return model;
  const fitting = listModels(world)
    .filter((each) => each.kind === kind)
    .map((each) => each.id);
  throw invalid({
    path: 'model',
    message: `is a model for ${model.kind}: for ${kind} there are ${fitting.slice(0, 6).join(', ') || 'none'}`,
    received: describe(id),
    suggestion: nearest(id, fitting) ?? fitting[0],
  });
}

export const modelParams = z.lazy(() => z.object({ id: z.string() }));

export const modelRecord = z.lazy(() =>
  z.object({
    id: z.string(),
    object: z.literal('model'),
    created: z.int(),
    owned_by: z.string(),
    type: z.enum(modelKinds),
    context_window: z.int(),
    max_output_tokens: z.int().optional(),
    pricing: z.object({ input: z.number(), output: z.number(), unit: z.literal('1K tokens') }),
  }),
);

export const modelList = z.lazy(() => z.object({ object: z.literal('list'), data: z.array(modelRecord) }));

export function presentModel(model: Model): z.output<typeof modelRecord> {
  const { id, created, owner, kind, contextWindow, maxOutput, input, output } = model;
  return {
    id,
    object: 'model',
    created,
    owned_by: owner,
    type: kind,
    context_window: contextWindow,
    ...(kind === 'chat' && { max_output_tokens: maxOutput }),
    pricing: { input, output, unit: '1K tokens' },
  };
}
