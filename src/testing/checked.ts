// Checks the arguments of the helpers for tests before anything is signed: a slip would be signed as it stands.

import { nearest } from '../core/nearest.js';
import { describe } from '../core/problems.js';
import { isFields, type Tree } from '../core/tree.js';

/** The kind of a field: its name in words, and a check of its values. */
interface Kind {
  meant: string;
  is: (value: unknown) => boolean;
  /** Messages tell only its length. */
  isSecret?: true;
  isOptional?: true;
  /** The fields in it. */
  inside?: Kinds;
}

export type Kinds = Record<string, Kind>;

const matching = (pattern: RegExp, meant: string): Kind => ({
  meant,
  is: (value) => typeof value === 'string' && pattern.test(value),
});

export const text: Kind = { meant: 'a string', is: (value) => typeof value === 'string' };
export const number: Kind = { meant: 'a number', is: Number.isFinite };
export const address = matching(/^0x[\da-f]{40}$/i, 'an address: 0x and 40 hex digits');
export const nonce = matching(/^0x[\da-f]{64}$/i, '0x and 64 hex digits');
export const amount = matching(/^\d+$/, 'a string of digits');
export const texts: Kind = { meant: 'a list of strings', is: (value) => Array.isArray(value) && value.every(text.is) };
/** Anything: somebody else checks it. */
export const unchecked: Kind = { meant: 'anything', is: () => true, isOptional: true };

export const optional = (kind: Kind): Kind => ({ ...kind, isOptional: true });
export const among = (...values: unknown[]): Kind => ({
  meant: `one of ${values.join(', ')}`,
  is: (value) => values.includes(value),
});
export const fields = (inside: Kinds): Kind => ({ meant: 'an object', is: isFields, inside });

export const wallet = fields({
  privateKey: { ...matching(/^0x[\da-f]{64}$/i, '0x and 64 hex digits'), isSecret: true },
});

/**
 * Refuses fields that are missing or wrong, with all that is wrong.
 *
 * @param others whether further fields are let through
 * @throws Error with a line for each field
 */
export function checkFields(given: unknown, kinds: Kinds, others: 'allowed' | 'refused'): void {
  if (!isFields(given)) throw new Error(`request must be an object, got ${describe(given)}`);
  const unknown = others === 'allowed' ? [] : Object.keys(given).filter((name) => !Object.hasOwn(kinds, name));
  const hint = (name: string): string => {
    const near = nearest(name, Object.keys(kinds));
    return near === undefined ? '' : `; did you mean ${near}?`;
  };
  const problems = [...unknown.map((name) => `${name} is unknown${hint(name)}`), ...problemsIn(given, kinds, '')];
  if (problems.length > 0) throw new Error(problems.join('\n'));
}

function problemsIn(given: Tree, kinds: Kinds, before: string): string[] {
  return Object.entries(kinds).flatMap(([name, { meant, is, isSecret, isOptional, inside }]) => {
    const value = given[name];
    if (value === undefined) return isOptional === true ? [] : [`${before}${name} is required: ${meant}`];
    if (!is(value)) return [`${before}${name} must be ${meant}, got ${describe(value, isSecret === true)}`];
    return inside === undefined ? [] : problemsIn(value as Tree, inside, `${before}${name}.`);
  });
}
