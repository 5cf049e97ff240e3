// Converts schema issues to one problem per field: its path, what is expected, what was received, and a suggestion.

import type * as z from 'zod';
import type { FieldProblem } from './errors.js';
import { nearest } from './nearest.js';
import { fieldMeant, keysAt } from './schema-parts.js';
import { isFields, isTree, valueAt } from './tree.js';

type Path = readonly PropertyKey[];
type Issue = z.core.$ZodIssue;

/** The first problems of an input, and the number of further ones. */
export interface Problems {
  told: FieldProblem[];
  more: number;
}

/** How many problems of a request are reported: more help no one, and each costs a search for a suggestion. */
export const mostTold = 20;

/** How many problems of a file or a document are reported. */
export const mostOfDocument = 100;

/** The longest path that is reported: the client chooses the names, which may be megabytes. */
const longestPath = 200;

/** A path as people write it: `environment_vars.PORT`, `items[2].name`. */
export function pathText(path: Path): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else text += text === '' ? String(step) : `.${String(step)}`;
  }
  return text === '' ? '(whole)' : text;
}

/** A path as it is reported, shortened if the client's names are very long. */
export function toldPath(path: Path): string {
  const text = pathText(path);
  // Half a character at the end goes too.
  return text.length > longestPath ? `${text.slice(0, longestPath).replace(/[\ud800-\udbff]$/, '')}…` : text;
}

const mostCounted = 1_000_000;

/** How many characters a text has, each of those beyond 16 bits counted once. */
export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** Nobody needs to know how much longer a text is, and counting megabytes takes its time. */
function lengthOf(text: string): string {
  return text.length > 2 * mostCounted ? `more than ${mostCounted.toLocaleString('en')}` : String(codePoints(text));
}

/** The received value, shortened for a message. For a secret, only its length. */
export function describe(value: unknown, secret = false): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'string') {
    if (secret) return `a string of ${value.length} characters`;
    return value.length > 60
      ? `${JSON.stringify([...value.slice(0, 120)].slice(0, 57).join(''))}… (${lengthOf(value)} characters)`
      : JSON.stringify(value);
  }
  if (typeof value === 'function') return 'a function';
  if (typeof value === 'bigint' && !secret) return `${value}n`;
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (isTree(value)) {
    const { constructor: made }: { constructor?: unknown } = value;
    if (isFields(value)) return 'an object';
    return `an instance of ${(typeof made === 'function' && made.name) || 'a class without a name'}`;
  }
  return secret && value !== null ? `a ${typeof value}` : String(value);
}

/**
 * The first problem of each field.
 *
 * @param isSecret whether the value at a path must not be repeated
 */
export function problemsOf(
  issues: readonly Issue[],
  input: unknown,
  schema: z.ZodType,
  isSecret: (path: Path) => boolean = () => false,
): FieldProblem[] {
  return firstProblems(issues, input, schema, { isSecret, most: mostOfDocument }).told;
}

interface Telling {
  isSecret: (path: Path) => boolean;
  most: number;
}

/** The first problems, one a field. */
export function firstProblems(
  issues: readonly Issue[],
  input: unknown,
  schema: z.ZodType,
  { isSecret, most }: Telling,
): Problems {
  const paths = new Set<string>();
  const told: FieldProblem[] = [];
  for (const { path, tell } of allProblems(issues, input, schema, isSecret)) {
    if (paths.has(path)) continue;
    paths.add(path);
    if (told.length < most) told.push({ path, ...tell() });
  }
  return { told, more: paths.size - told.length };
}

/** A problem whose message is built only when it is reported. */
interface Found {
  path: string;
  tell: () => Omit<FieldProblem, 'path'>;
}

function* allProblems(
  issues: readonly Issue[],
  input: unknown,
  schema: z.ZodType,
  isSecret: (path: Path) => boolean,
): Generator<Found> {
  for (const [index, issue] of issues.entries()) {
    if (isOutdone(issue, issues[index + 1])) continue;
    if (issue.code === 'unrecognized_keys') {
      const known = keysAt(schema, issue.path);
      for (const key of issue.keys) {
        const tell = (): Omit<FieldProblem, 'path'> => ({
          message: 'is unknown',
          suggestion: fieldMeant(schema, issue.path, key, known),
        });
        yield { path: toldPath([...issue.path, key]), tell };
      }
    } else if (issue.code === 'invalid_union') yield* unionProblems(issue, input, schema, isSecret);
    else
      yield {
        path: toldPath(issue.path),
        tell: () => {
          const value = valueAt(input, issue.path);
          const words = issue.code === 'invalid_value' ? issue.values.map(String) : [];
          const meant: string | undefined = issue.code === 'custom' ? issue.params?.suggestion : undefined;
          return {
            message: meaning(issue, value),
            received: describe(value, isSecret(issue.path)),
            suggestion: meant ?? (typeof value === 'string' ? nearest(value, words) : undefined),
          };
        },
      };
  }
}

// That a number is beyond all whole numbers says less than bounds of its own, which come next.
const isOutdone = (issue: Issue, next: Issue | undefined): boolean =>
  'origin' in issue && issue.origin === 'int' && next?.code === issue.code && next.path.join() === issue.path.join();

function* unionProblems(
  issue: Extract<Issue, { code: 'invalid_union' }>,
  input: unknown,
  schema: z.ZodType,
  isSecret: (path: Path) => boolean,
): Generator<Found> {
  const value = valueAt(input, issue.path);
  // A value of another type has no further problems: zod measures a text, too, where it expects a list.
  const branches = issue.errors.map((errors) =>
    (errors[0]?.code === 'invalid_type' && errors[0].path.length === 0 ? errors.slice(0, 1) : errors).map(
      (e) => ({ ...e, path: [...issue.path, ...e.path] }) as Issue,
    ),
  );
  // The branch that got furthest into the value is the one that was meant: one to which only a list's length is wrong.
  const sized = branches.find((errors) => errors.every((e) => e.code === 'too_big' && e.origin === 'array'));
  const inside =
    sized ??
    branches.find((errors) => errors.some((e) => e.path.length > issue.path.length || e.code === 'unrecognized_keys'));
  if (inside !== undefined) return yield* allProblems(inside, input, schema, isSecret);
  yield {
    path: toldPath(issue.path),
    tell: () => {
      if (value === undefined) return { message: 'is required', received: describe(value) };
      const issues = branches.flat().flatMap(unfolded);
      const words = issues.flatMap((e) => (e.code === 'invalid_value' ? e.values.map(String) : []));
      const meanings = [...new Set(issues.map((e) => meaning(e, value).replace(/^must be /, '')))];
      return {
        message: `must be ${meanings.join(', or ')}`,
        received: describe(value, isSecret(issue.path)),
        suggestion: typeof value === 'string' ? nearest(value, words) : undefined,
      };
    },
  };
}

// The issues of nested unions, flattened.
function unfolded(issue: Issue): Issue[] {
  return issue.code === 'invalid_union' ? (issue.errors.flat() as Issue[]).flatMap(unfolded) : [issue];
}

const typeNames: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'a list',
  tuple: 'a list',
  null: 'null',
};

function meaning(issue: Issue, value: unknown): string {
  switch (issue.code) {
    case 'invalid_type':
      if (value === undefined) return 'is required';
      return `must be ${typeNames[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `must be ${issue.values.length === 1 ? String(issue.values[0]) : `one of ${issue.values.join(', ')}`}`;
    case 'too_small':
      if (issue.minimum === 1 && (issue.origin === 'string' || issue.origin === 'array')) return 'must not be empty';
      return issue.origin === 'array'
        ? `must have at least ${issue.minimum} entries`
        : `must be ${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum}${lengthUnit(issue.origin)}`;
    case 'too_big':
      return issue.origin === 'array'
        ? `must have at most ${issue.maximum} entries`
        : `must be ${issue.inclusive === false ? 'less than' : 'at most'} ${issue.maximum}${lengthUnit(issue.origin)}`;
    case 'invalid_format':
      // Zod's default messages begin like this; a schema may have its own message.
      if (!issue.message.startsWith('Invalid ')) return issue.message;
      return formats[issue.format] ?? `must match ${'pattern' in issue ? String(issue.pattern) : issue.format}`;
    case 'invalid_key':
      return 'has a name that is not allowed';
    default:
      return issue.message;
  }
}

const formats: Record<string, string> = {
  datetime: 'must be an ISO 8601 time with its zone, such as 2026-01-31T12:00:00Z',
  email: 'must be an e-mail address, such as ada@example.test',
  uuid: 'must be a UUID',
  url: 'must be a URL that begins with http:// or https://',
};

function lengthUnit(origin: string): string {
  return origin === 'string' ? ' characters long' : '';
}
