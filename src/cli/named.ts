// The names by which a person knows the fields of a refused request: the options and arguments that they typed.

import { type FieldProblem, problemLines } from '../core/errors.js';
import { type Command, target, type Values } from './command.js';
import { correctedLine, type ErrorFacts, helpFor } from './error-document.js';
import { type Declined, linesOf } from './refusal.js';

/** A field of a request, as it is typed. */
export interface Typed {
  /** Its name on the command line. */
  name: string;
  /** Its path in the request. */
  path: readonly string[];
  isArg: boolean;
}

/** The flags and arguments that were given, as fields of requests that a command makes itself. */
export function typedIn({ args = [], flags }: Pick<Command, 'args' | 'flags'>, values: Values): Typed[] {
  const typed = (name: string, isArg: boolean): Typed => ({
    name,
    path: [name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())],
    isArg,
  });
  // The flags that select an emulator are no fields of a request.
  const own = Object.keys(flags).filter((name) => !Object.hasOwn(target, name));
  const all = [...args.map(({ name }) => typed(name, true)), ...own.map((name) => typed(name, false))];
  return all.filter(({ name }) => values[name] !== undefined);
}

/** The problems of a request, a line each, in the words of the command line. */
export function declinedLines(error: Declined, nameOf: (path: string) => string): string[] {
  const lines = linesOf(error.said, error.status, problemLines(error.details, nameOf));
  return lines.map((line) => line.replace(/`(\w+)`/g, (_, name: string) => `\`${nameOf(name)}\``));
}

/** The same for a program: the first of the fields that are wrong, in the words of the command line. */
export function declinedFacts(error: Declined, nameOf: (path: string) => string, argv: readonly string[]): ErrorFacts {
  const { code, details } = error;
  const [problem] = (Array.isArray(details) ? details : []) as Partial<FieldProblem>[];
  if (problem?.path === undefined) return { code, ...(error.exitCode === 2 && { next: [helpFor(argv)] }) };
  const received = problem.received?.replace(/^"(.*)"$/s, '$1');
  const suggestion = problem.suggestion?.replace(/^"(.*)"$/s, '$1');
  const corrected = correctedLine(argv, received, suggestion);
  const next = [...(corrected === undefined ? [] : [corrected]), helpFor(argv)];
  return { code, field: nameOf(problem.path), received, suggestion, next };
}

/** How the field at a path of a request is typed; of several, all. Paths of a query may begin with its name. */
export function nameIn(fields: readonly Typed[], path: string): string {
  const written = ({ name, isArg }: Typed): string => (isArg ? `<${name}>` : `--${name}`);
  const wanted = path.replace(/^(query|path)\./, '');
  const restAfter = (place: string): string => (wanted.startsWith(place) ? wanted.slice(place.length) : '');
  const placed = fields.map((field) => ({ field, place: field.path.join('.') }));
  const found = placed.find(({ place }) => wanted === place || /^[.[]/.test(restAfter(place)));
  if (found !== undefined)
    return written(found.field) + restAfter(found.place).replace(/^\.|^\[\d+\]$/, (part) => (part === '.' ? ' ' : ''));
  const inside = placed.filter(({ place }) => place.startsWith(`${wanted}.`));
  // Messages name a neighbour without its path.
  const neighbour = placed.find(({ place }) => place.endsWith(`.${wanted}`));
  if (inside.length === 0 && neighbour !== undefined) return written(neighbour.field);
  return inside.length === 0 ? path : `One of ${inside.map(({ field }) => written(field)).join(', ')}`;
}
