// Checks an input of very many values in parts. A schema reports all errors at once, so a list of a million invalid
// entries would make a million of them, although people read only the first few.

import type * as z from 'zod';
import { mostTold, objectsIn, type SchemaParts } from './problems.js';

type Issue = z.core.$ZodIssue;

// So many values make so many mistakes at most, which takes milliseconds.
const mostAtOnce = 5_000;

/** Whether an input holds so many values that it must not be checked at once. */
export function isLong(value: unknown): boolean {
  const waiting: unknown[] = [value];
  let seen = 0;
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (next === null || typeof next !== 'object') continue;
    // Without a name for each entry, which a loop over names would make of all of them beforehand.
    if (Array.isArray(next)) {
      seen += next.length;
      if (seen > mostAtOnce) return true;
      for (const entry of next) waiting.push(entry);
      continue;
    }
    for (const key in next) {
      if (++seen > mostAtOnce) return true;
      waiting.push((next as Record<string, unknown>)[key]);
    }
  }
  return false;
}

/** The first mistakes inside the lists and records of a long input; none does not mean that all is well. */
export function firstMistakes(schema: z.ZodType, input: unknown): Issue[] {
  const found: Issue[] = [];
  lookInto(objectsIn(schema), input, [], found);
  return found;
}

function lookInto(parts: readonly SchemaParts[], value: unknown, path: PropertyKey[], found: Issue[]): void {
  if (value === null || typeof value !== 'object') return;
  if (Array.isArray(value)) return void lookIntoList(parts, value, path, found);
  const entries = distinct(parts.map((part) => part.valueType));
  const keys = distinct(parts.map((part) => part.keyType));
  const isRecord = entries.length > 0;
  for (const name in value) {
    if (found.length >= mostTold) return;
    const child = (value as Record<string, unknown>)[name];
    const named = distinct(parts.map(({ shape }) => (shape && Object.hasOwn(shape, name) ? shape[name] : undefined)));
    const schemas = isRecord && named.length === 0 ? entries : named;
    if (schemas.length === 0) continue;
    if (isRecord && named.length === 0) found.push(...mistakes(keys, name, [...path, name], 'invalid_key'));
    if (isLong(child)) lookInto(distinct(schemas.flatMap(objectsIn)), child, [...path, name], found);
    else if (isRecord) found.push(...mistakes(schemas, child, [...path, name]));
  }
}

function lookIntoList(
  parts: readonly SchemaParts[],
  list: readonly unknown[],
  path: PropertyKey[],
  found: Issue[],
): void {
  const meant = meantBy(list[0], parts);
  const entries = distinct(meant.map((part) => part.element));
  if (entries.length === 0) return;
  // The length is checked first: a list that is too long is rejected whatever it contains.
  const most = Math.max(...meant.map(longestOf));
  if (list.length > most) return void found.push(tooLong(most, path));
  for (const [index, child] of list.entries()) {
    if (found.length >= mostTold) return;
    if (isLong(child)) lookInto(distinct(entries.flatMap(objectsIn)), child, [...path, index], found);
    else found.push(...mistakes(entries, child, [...path, index]));
  }
}

// Of several kinds of list, those that take the first entry; all of them where none does.
function meantBy(first: unknown, parts: readonly SchemaParts[]): readonly SchemaParts[] {
  const lists = parts.filter((part) => part.element !== undefined);
  if (lists.length < 2 || isLong(first)) return lists;
  const taking = lists.filter(({ element }) => element?.safeParse(first).success);
  return taking.length > 0 ? taking : lists;
}

function longestOf({ checks = [] }: SchemaParts): number {
  const maxima = checks.map(({ _zod: { def } }) => (def.check === 'max_length' ? def.maximum : undefined));
  return Math.min(Infinity, ...maxima.filter((one) => one !== undefined));
}

function tooLong(maximum: number, path: PropertyKey[]): Issue {
  return { code: 'too_big', origin: 'array', maximum, inclusive: true, path, message: '' };
}

// What the first schema says, where none takes the value.
function mistakes(schemas: readonly z.ZodType[], value: unknown, path: PropertyKey[], as?: 'invalid_key'): Issue[] {
  let first: readonly Issue[] = [];
  for (const schema of schemas) {
    const { error } = schema.safeParse(value);
    if (error === undefined) return [];
    if (first.length === 0) first = error.issues;
  }
  if (as !== undefined && first.length > 0)
    return [{ code: as, origin: 'record', issues: [...first], path, message: 'Invalid key in record' }];
  return first.map((issue) => ({ ...issue, path: [...path, ...issue.path] }) as Issue);
}

function distinct<Part>(parts: readonly (Part | undefined)[]): Part[] {
  return [...new Set(parts.filter((part) => part !== undefined))];
}
