// Checks an input of very many values in parts. A schema reports all errors at once, so a list of a million invalid
// entries would make a million of them, although people read only the first few.

import type * as z from 'zod';
import { mostTold } from './problems.js';
import { objectsIn, type SchemaParts, textsIn } from './schema-parts.js';

type Issue = z.core.$ZodIssue;

// So many values make so many mistakes at most, which takes milliseconds.
const mostAtOnce = 5_000;

/** The number of entries of a list or a record in a long input whose schema sets no bound: checking as many takes 20 ms. */
const mostEntries = 20_000;
const mostNames = 5_000;

/** So many entries of each are looked at here: the schema, which looks at all of them, finds few mistakes if these are right. */
const mostLookedAt = 1_000;

/** A text that must have some form, and whose schema does not say how long it may be, has at most so many characters. */
const longestText = 100_000;

// The names of an object with very many take milliseconds to list, and each value around it is looked at as well.
const foundLong = new WeakSet<object>();

/** Whether an input holds so many values, or so long a text, that it must not be checked at once. */
export function isLong(value: unknown): boolean {
  const waiting: unknown[] = [value];
  let seen = 0;
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next === 'string' && next.length > longestText) return true;
    if (next === null || typeof next !== 'object') continue;
    // Without a name for each entry, which a loop over names would make of all of them beforehand.
    if (Array.isArray(next)) {
      seen += next.length;
      if (seen > mostAtOnce) return true;
      for (const entry of next) waiting.push(entry);
      continue;
    }
    // A loop over the names of an object with very many of them takes ten times as long as their list.
    if (foundLong.has(next)) return true;
    const names = Object.keys(next);
    seen += names.length;
    if (names.length > mostAtOnce) foundLong.add(next);
    if (seen > mostAtOnce) return true;
    for (const name of names) waiting.push((next as Record<string, unknown>)[name]);
  }
  return false;
}

/** The first mistakes inside the lists, records and texts of a long input; none does not mean that all is well. */
export function firstMistakes(schema: z.ZodType, input: unknown): Issue[] {
  const found: Issue[] = [];
  lookInto([schema], input, [], found);
  return found;
}

function lookInto(schemas: readonly z.ZodType[], value: unknown, path: PropertyKey[], issues: Issue[]): void {
  if (typeof value === 'string') lookIntoText(schemas, value, path, issues);
  if (value === null || typeof value !== 'object') return;
  const parts = distinct(schemas.flatMap(objectsIn));
  if (Array.isArray(value)) lookIntoList(parts, value, path, issues);
  else lookIntoObject(parts, value, path, issues);
}

function lookIntoText(schemas: readonly z.ZodType[], text: string, path: PropertyKey[], issues: Issue[]): void {
  const texts = schemas.flatMap(textsIn);
  const most = Math.max(...texts.map(longestOfText));
  // A character has at most two units.
  if (texts.length === 0 || text.length <= 2 * most) return;
  issues.push({ code: 'custom', path, message: `must have at most ${most} characters` });
}

function longestOfText(schema: z.ZodString): number {
  const declared = schema.maxLength ?? schema.meta()?.maxLength;
  if (typeof declared === 'number') return declared;
  const hasForm = schema.def.checks?.some(({ _zod: { def } }) => def.check === 'string_format') === true;
  return hasForm || 'format' in schema.def ? longestText : Infinity;
}

function lookIntoObject(parts: readonly SchemaParts[], value: object, path: PropertyKey[], issues: Issue[]): void {
  const entries = distinct(parts.map((part) => part.valueType));
  const keys = distinct(parts.map((part) => part.keyType));
  const isRecord = entries.length > 0;
  const names = Object.keys(value);
  if (isRecord && names.length > mostNames) return void issues.push(tooLong(mostNames, path));
  for (const name of names.slice(0, isRecord ? mostLookedAt : undefined)) {
    if (issues.length >= mostTold) return;
    const child = (value as Record<string, unknown>)[name];
    const named = distinct(parts.map(({ shape }) => (shape && Object.hasOwn(shape, name) ? shape[name] : undefined)));
    const schemas = isRecord && named.length === 0 ? entries : named;
    if (schemas.length === 0) continue;
    if (isRecord && named.length === 0) issues.push(...mistakes(keys, name, [...path, name], 'invalid_key'));
    if (isLong(child)) lookInto(schemas, child, [...path, name], issues);
    else if (isRecord) issues.push(...mistakes(schemas, child, [...path, name]));
  }
}

function lookIntoList(
  parts: readonly SchemaParts[],
  list: readonly unknown[],
  path: PropertyKey[],
  issues: Issue[],
): void {
  const meant = meantBy(list[0], parts);
  const entries = distinct(meant.map((part) => part.element));
  if (entries.length === 0) return;
  // The length is checked first: a list that is too long is rejected whatever it contains.
  const most = Math.max(...meant.map(longestOf));
  if (list.length > most) return void issues.push(tooLong(most, path));
  for (const [index, child] of list.slice(0, mostLookedAt).entries()) {
    if (issues.length >= mostTold) return;
    if (isLong(child)) lookInto(entries, child, [...path, index], issues);
    else issues.push(...mistakes(entries, child, [...path, index]));
  }
}

// Selects, of several kinds of list, those that accept the first entry; all of them if none does.
function meantBy(first: unknown, parts: readonly SchemaParts[]): readonly SchemaParts[] {
  const lists = parts.filter((part) => part.element !== undefined);
  if (lists.length < 2 || isLong(first)) return lists;
  const taking = lists.filter(({ element }) => element?.safeParse(first).success);
  return taking.length > 0 ? taking : lists;
}

function longestOf({ checks = [] }: SchemaParts): number {
  const maxima = checks.map(({ _zod: { def } }) => (def.check === 'max_length' ? def.maximum : undefined));
  const declared = maxima.filter((one) => one !== undefined);
  return declared.length > 0 ? Math.min(...declared) : mostEntries;
}

function tooLong(maximum: number, path: PropertyKey[]): Issue {
  return { code: 'too_big', origin: 'array', maximum, inclusive: true, path, message: '' };
}

// The problems by the first schema, if none accepts the value.
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
