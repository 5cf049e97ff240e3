// The questions that the emulator and the platform are both asked. They follow from the declarations, so that a new endpoint
// brings its own.

import type { Endpoint } from '../../http/endpoint.js';

export const levels = ['0', '1'] as const;

/** 0: what is refused without a key, and with a wrong one; 1: also reads that change nothing. */
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
  /** What its parameters name: a thing that a list shows first, or nothing that exists. */
  of: 'first' | 'nowhere' | null;
}

/** An id that the platform has given to nothing. */
export const nowhere = '00000000-0000-4000-8000-0000d21f7000';

/**
 * The questions of a profile's operations, those that read as their owner first.
 *
 * @example questionsOf(surfaceOf(config), '1').length
 */
export function questionsOf(surface: readonly Endpoint[], level: Level): Question[] {
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
  return questions.sort((a, b) => Number(b.as === 'key') - Number(a.as === 'key'));
}

/** How often a question is asked in a run: what varies by itself shows. A refusal is always the same. */
export const timesOf = ({ as, of }: Question): number => (as === 'key' && of !== 'nowhere' ? 2 : 1);

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
