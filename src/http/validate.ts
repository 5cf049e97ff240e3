// Checks what a client sent against a declaration: every problem at once, unknown names with the nearest known one.

import type * as z from 'zod';
import { type FieldProblem, invalidFields } from '../core/errors.js';
import { firstMistakes, isLong } from '../core/long-input.js';
import { firstProblems, mostOfDocument, mostTold, toldPath } from '../core/problems.js';
import { fieldMeant, keysAt, objectsIn } from '../core/schema-parts.js';
import { secrecyOf } from '../core/secrets.js';
import { isTree } from '../core/tree.js';

export interface InputOptions {
  /** The prefix of paths in messages: 'query', 'path' or nothing for the body. */
  place?: string;
  /** Top-level fields whose values are never repeated. */
  secrets?: readonly string[] | undefined;
  /** Other names of top-level fields; suggested where they are not accepted. */
  synonyms?: { names: ReadonlyMap<string, string>; accepted: boolean } | undefined;
  /** Unknown names are errors instead of warnings. */
  strict: boolean;
  /** Finds further problems of an input whose form is wrong; a correct input is not passed to it. */
  alsoWrong?: ((sent: unknown) => readonly FieldProblem[]) | undefined;
  warn: (text: string) => void;
}

/**
 * The input in its declared types.
 *
 * @throws ApiError VALIDATION_ERROR with one entry a field
 */
export function checkInput<T extends z.ZodType>(schema: T, sent: unknown, options: InputOptions): z.output<T> {
  const { synonyms, alsoWrong } = options;
  const most = alsoWrong === undefined ? mostTold : mostOfDocument;
  const used = synonyms?.accepted === true ? synonymsIn(sent, synonyms.names) : undefined;
  const input = used === undefined || used.size === 0 ? sent : renamed(sent as object, used);
  const place = options.place === undefined ? '' : `${options.place}.`;
  const problems: FieldProblem[] = [];
  const unknown: Unknown = { first: [], count: 0, most };
  if (options.place !== 'path') findUnknown(schema, input, [], unknown);
  for (const { steps, known } of unknown.first) {
    const path = place + toldPath(steps);
    const suggestion = synonyms?.names.get(path) ?? fieldMeant(schema, steps.slice(0, -1), String(steps.at(-1)), known);
    if (options.strict) {
      // Long names may differ only behind the cut.
      const isTold = problems.some((problem) => problem.path === path);
      if (!isTold) problems.push({ path, message: 'is unknown', suggestion });
    } else {
      const hint = suggestion === undefined ? '' : `, did you mean ${suggestion}?`;
      options.warn(`unknown ${kindOfField(options)} ${path.slice(0, 100)}${hint}`);
    }
  }
  let more = unknown.count - unknown.first.length;
  if (more > 0 && !options.strict) {
    options.warn(`and ${more} more unknown ${kindOfField(options)}s`);
    more = 0;
  }
  const early = isLong(input) ? firstMistakes(schema, input) : [];
  const result = early.length > 0 ? undefined : schema.safeParse(input);
  if (result?.success !== true) {
    const told = new Set(problems.map(({ path }) => path));
    // Problems use the names that the client sent.
    const clientNames = new Map([...(used ?? [])].map(([other, name]) => [name, other]));
    const isSecret = (path: readonly PropertyKey[]): boolean =>
      options.secrets?.includes(String(path[0])) === true || path.some((step) => secrecyOf(String(step)) === 'all');
    const wrong = firstProblems(result?.error.issues ?? early, input, schema, { isSecret, most });
    for (const problem of wrong.told) {
      const named = clientNames.get(problem.path) ?? problem.path;
      const path = named === '(whole)' && place === '' ? 'body' : place + named;
      // The problems of unknown names are in the list already.
      if (!told.has(path)) problems.push({ ...problem, path });
    }
    more = Math.max(more, wrong.more);
  }
  if (problems.length > 0 || result?.success !== true) {
    if (early.length === 0) problems.push(...apartFrom(problems, alsoWrong?.(sent) ?? []));
    more += Math.max(0, problems.length - most);
    const rest = early.length > 0 ? 'the rest of so long an input was not looked at' : notListed(more);
    throw invalidFields(problems.slice(0, most), rest);
  }
  return result.data as z.output<T>;
}

// A problem of an object as a whole may follow from a problem inside it that is already reported.
function apartFrom(told: readonly FieldProblem[], others: readonly FieldProblem[]): FieldProblem[] {
  const places = new Set(
    told.flatMap(({ path }) => [...path.matchAll(/(?=[.[]|$)/g)].map(({ index }) => path.slice(0, index))),
  );
  return others.filter(({ path }) => !places.has(path));
}

/** The text about problems beyond those that are listed. */
export function notListed(more: number): string {
  return more > 0 ? `${more} more are not listed` : '';
}

function kindOfField({ place }: InputOptions): string {
  return place === 'query' ? 'query parameter' : 'field';
}

// The synonyms that replace a name; a synonym next to its name is unknown.
function synonymsIn(input: unknown, names: ReadonlyMap<string, string>): Map<string, string> {
  if (!isTree(input)) return new Map();
  return new Map([...names].filter(([other, name]) => Object.hasOwn(input, other) && !Object.hasOwn(input, name)));
}

function renamed(input: object, names: ReadonlyMap<string, string>): object {
  return Object.fromEntries(Object.entries(input).map(([key, value]) => [names.get(key) ?? key, value]));
}

interface Unknown {
  /** The unknown names to report, with the names that are known in their place. */
  first: { steps: PropertyKey[]; known: readonly string[] }[];
  count: number;
  most: number;
}

function findUnknown(schema: z.ZodType, value: unknown, path: PropertyKey[], unknowns: Unknown): void {
  if (!isTree(value)) return;
  const known = keysAt(schema, path);
  if (known.length === 0) return;
  const names = new Set(known);
  for (const key of Object.keys(value)) {
    if (names.has(key)) findUnknown(schema, value[key], [...path, key], unknowns);
    else {
      unknowns.count++;
      if (unknowns.first.length < unknowns.most) unknowns.first.push({ steps: [...path, key], known });
    }
  }
}

/** Query strings in the types that a schema asks for: "5" becomes 5 where a number is meant. */
export function readQuery(schema: z.ZodType, query: Record<string, unknown>): Record<string, unknown> {
  const shape = objectsIn(schema)[0]?.shape ?? {};
  const read = Object.entries(query).map(([name, value]): [string, unknown] => {
    // The client chooses the names: `__proto__` and `constructor` exist on every object.
    const declared = Object.hasOwn(shape, name) ? shape[name] : undefined;
    const kind = declared === undefined ? undefined : kindOf(declared);
    if (kind === 'number' && typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value)) return [name, numberOf(value)];
    if (kind === 'boolean' && (value === 'true' || value === 'false')) return [name, value === 'true'];
    return [name, value];
  });
  return Object.fromEntries(read);
}

// A number beyond the range of doubles is still a number: the message states its bounds.
function numberOf(text: string): number {
  const number = Number(text);
  return Number.isFinite(number) ? number : Math.sign(number) * Number.MAX_VALUE;
}

function kindOf(schema: z.ZodType): string {
  const def = schema.def as unknown as { type: string; innerType?: z.ZodType };
  return def.innerType === undefined ? def.type : kindOf(def.innerType);
}
