// The questions that the emulator and the platform are both asked. They follow from the declarations, so that a new endpoint
// brings its own.

import type { Config } from '../../config/schema.js';
import type { Endpoint } from '../../http/endpoint.js';
import { surfaceOf } from '../../platform/surface.js';
import { nounsOf } from './nouns.js';
import { refusedBodies } from './refusals.js';

export const levels = ['0', '1', '2', '3'] as const;

/**
 * 0: what is refused without a key, and with a wrong one; 1: also reads that change nothing; 2: also bodies that are refused;
 * 3: also whole lives of things, which cost something.
 */
export type Level = (typeof levels)[number];

/** Who asks: with the user's key, without any, with one that nobody has. */
export type Asker = 'key' | 'nobody' | 'wrong key';

export interface Question {
  /** Such as "containers.get as key, of the first". */
  id: string;
  operation: string;
  level: Level;
  as: Asker;
  method: string;
  /** With `{name}` for each parameter. */
  path: string;
  /** What its parameters name: a thing that a list shows first, nothing that exists, or what the run has made. */
  of: 'first' | 'nowhere' | 'own' | null;
  /** JSON, or text as it is. */
  body?: unknown;
  /** The noun of which it makes one, or of which a laxer platform would. */
  makes?: string;
  /** What it may cost at worst, in credits. */
  price?: number;
  /** Where a difference of its status is; by default "status". */
  place?: string;
}

/** An id that the platform has given to nothing. */
export const nowhere = '00000000-0000-4000-8000-0000d21f7000';

/**
 * The questions of a profile's operations, those that read as their owner first; those of level 3 are `lifecyclesOf`.
 *
 * @example questionsOf(config, '1').length
 */
export function questionsOf(config: Config, level: Level): Question[] {
  const surface = surfaceOf(config);
  const seen = new Set<string>();
  const questions: Question[] = [];
  const add = ({ id, method, path }: Endpoint, as: Asker, of: Question['of'], needs: Level): void => {
    const name = `${id} as ${as}${of === null ? '' : of === 'first' ? ', of the first' : ', of none'}`;
    if (seen.has(name) || Number(needs) > Number(level)) return;
    seen.add(name);
    questions.push({ id: name, operation: id, level: needs, as, method, path, of });
  };
  const known = surface.filter(({ page, isLegacy }) => page !== true && isLegacy !== true);
  for (const one of known.filter(({ harmless }) => harmless === true)) {
    const hasNames = one.path.includes('{');
    const as = one.auth === 'public' ? 'nobody' : 'key';
    const needs = one.auth === 'public' ? '0' : '1';
    if (!hasNames) add(one, as, null, needs);
    // The models are for everybody; the rest belongs to whoever has the key.
    else for (const of of ['first', 'nowhere'] as const) add(one, as, of, needs);
  }
  for (const one of known) {
    if (one.auth === 'public' || one.fee !== undefined) continue;
    const of = one.path.includes('{') ? 'nowhere' : null;
    add(one, 'nobody', of, '0');
    add(one, 'wrong key', of, '0');
  }
  questions.sort((a, b) => Number(b.as === 'key') - Number(a.as === 'key'));
  if (Number(level) < 2) return questions;
  // A run of level 3 has no requests left for wrong keys: runs of the levels below ask them.
  return [...questions.filter(({ as }) => level === '2' || as !== 'wrong key'), ...refusalsOf(config)];
}

function refusalsOf(config: Config): Question[] {
  return refusedBodies(surfaceOf(config), nounsOf(config)).map(({ endpoint, what, body, noun }) => ({
    id: `${endpoint.id} as key, ${what}`,
    operation: endpoint.id,
    level: '2',
    as: 'key',
    method: endpoint.method,
    path: endpoint.path,
    of: noun === undefined ? 'nowhere' : null,
    body,
    ...(noun !== undefined && { makes: noun.name, price: noun.price }),
    ...(noun === undefined && { place: 'precedence' }),
  }));
}

/** How often a question is asked in a run: what varies by itself shows. A refusal is always the same. */
export const timesOf = ({ as, of, level }: Question): number =>
  as === 'key' && of !== 'nowhere' && Number(level) < 2 ? 2 : 1;

/** The operation whose list shows what the parameter of a path names: the path before it. */
export function listOf(surface: readonly Endpoint[], { path }: Pick<Question, 'path'>): Endpoint | undefined {
  const before = path.slice(0, path.indexOf('/{'));
  return surface.find((one) => one.harmless === true && one.path === before);
}

/** The id of the first thing in an answer's list; undefined: it shows none. */
export function firstId(body: unknown): string | undefined {
  if (Array.isArray(body)) {
    const [one] = body as { id?: unknown }[];
    return typeof one?.id === 'string' ? one.id : undefined;
  }
  if (typeof body !== 'object' || body === null) return undefined;
  for (const value of Object.values(body)) {
    const id = firstId(value);
    if (id !== undefined) return id;
  }
  return undefined;
}
