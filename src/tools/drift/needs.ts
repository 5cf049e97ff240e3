// Which fields of answers a client depends on: those without which its tests end otherwise.

import * as z from 'zod';
import { nothing } from './compare.js';
import { pointerStep } from './facts.js';

const places = z.array(z.string());

/** The file drift/needs.json. */
export const needsFile = z.object({
  profile: z.string(),
  at: z.string(),
  command: places,
  /** By operation, for those that the tests have called; what is in no list was never seen. */
  operations: z.record(
    z.string(),
    z.object({
      /** Without them the tests end otherwise. */
      needed: places,
      /** Without them the tests end as usual. */
      idle: places,
      /** There was no time to find out. */
      untried: places,
    }),
  ),
});

export type Needs = z.output<typeof needsFile>;

/** A field of an operation's answers, and where it is in those that were seen. */
export interface Field {
  operation: string;
  place: string;
  pointers: string[];
}

/** As many pointers as a fault rule takes. */
const mostPointers = 50;

/**
 * The fields of answers that say something, those of an outer object before those within.
 *
 * @example fieldsOf([{ operation: 'keys.list', body: { keys: [{ id: 'k' }] } }]).map(({ place }) => place) // ['/keys', '/keys/*\/id']
 */
export function fieldsOf(answers: readonly { operation: string; body: unknown }[]): Field[] {
  const fields = new Map<string, Field>();
  const walk = (operation: string, value: unknown, place: string, pointer: string): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [name, inner] of Object.entries(value)) {
      const step = pointerStep(name);
      const own = `${place}/${Array.isArray(value) ? '*' : step}`;
      walk(operation, inner, own, `${pointer}/${step}`);
      // What is null anyway shows nothing, and an entry of a list is no field.
      if (inner === null || Array.isArray(value)) continue;
      const field = fields.get(`${operation} ${own}`) ?? { operation, place: own, pointers: [] };
      fields.set(`${operation} ${own}`, field);
      const at = `${pointer}/${step}`;
      if (!field.pointers.includes(at) && field.pointers.length < mostPointers) field.pointers.push(at);
    }
  };
  for (const { operation, body } of answers) walk(operation, body, '', '');
  const depth = ({ place }: Field): number => place.split('/').length;
  return [...fields.values()].sort((a, b) => depth(a) - depth(b));
}

/** The rule by which a field is null in all answers of its operation. */
export const withoutField = ({ operation, pointers }: Field): object => ({
  match: { operation },
  phase: 'after',
  effect: { set: Object.fromEntries(pointers.map((pointer) => [pointer, null])) },
});

/** What was found of each field; undefined: there was no time. */
export function needsOf(
  fields: readonly Field[],
  isNeeded: (field: Field) => boolean | undefined,
): Needs['operations'] {
  const operations: Needs['operations'] = {};
  for (const field of fields) {
    operations[field.operation] ??= { needed: [], idle: [], untried: [] };
    const needed = isNeeded(field);
    operations[field.operation]?.[needed === undefined ? 'untried' : needed ? 'needed' : 'idle'].push(field.place);
  }
  return operations;
}

/**
 * Whether a difference may matter to the client. What was not tried may: the status of an operation that it calls, an
 * error that its tests never met. A field that the platform has in addition does not.
 */
export function matters(
  { operation, place, emulator }: { operation: string; place: string; emulator: string },
  { operations }: Needs,
): boolean {
  const own = operations[operation];
  if (own === undefined) return false;
  return !own.idle.includes(place) && !(place.startsWith('/') && emulator === nothing);
}
