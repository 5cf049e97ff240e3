// What is wrong with a command line, as a record.

import { parseDuration } from '../core/duration.js';
import { type FieldProblem, problemLines } from '../core/errors.js';
import { nearest } from '../core/nearest.js';
import { type Arg, type Command, type Flag, restOf, target, type Values } from './command.js';
import { correctedLine, type ErrorFacts, helpFor, type Mistake } from './error-document.js';
import { type Declined, linesOf } from './refusal.js';
import { numeral } from './start-options.js';
import { commandMeant, gone, optionMeant } from './synonyms.js';

/** The mistake of a command line that calls a command of an earlier version. */
export function formerCommand([first = '', second = '']: readonly string[]): Mistake | undefined {
  const received = [`${first} ${second}`, first].find((words) => Object.hasOwn(gone, words));
  return received === undefined ? undefined : { kind: 'gone-command', received, suggestion: gone[received] ?? '' };
}

/** The mistake of a command line that calls no command. */
export function unknownCommand(said: readonly string[], commands: readonly Command[]): Mistake {
  // The words that name a group, and the one behind them.
  const startOf = (depth: number): string => [...said.slice(0, depth), ''].join(' ');
  const inside = (start: string): string[] =>
    commands.flatMap(({ words }) => (words.startsWith(start) ? words.slice(start.length) : []));
  let depth = 0;
  while (depth < said.length && inside(startOf(depth + 1)).length > 0) depth++;
  const start = startOf(depth);
  const group = start.trimEnd();
  const next = said[depth];
  if (next === undefined) return { kind: 'no-command', command: group || undefined };
  const known = [...new Set(inside(start).map((words) => words.split(' ')[0] ?? ''))];
  const near = nearest(next, depth === 0 ? [...known, 'help', 'things'] : known);
  const suggestion =
    commandMeant(start + next) ??
    (near === undefined ? undefined : start + near) ??
    (said[depth + 1] === undefined ? commandMeant(`${start}*`) : undefined);
  return { kind: 'unknown-command', command: group || undefined, received: start + next, suggestion };
}

/**
 * The first mistake in what was given to a command. What is right gets the form that the command reads: arguments their
 * names, numbers their type.
 *
 * @param rest the words behind those of the command
 */
export function mistakeIn(command: Command, values: Values, rest: readonly string[]): Mistake | undefined {
  const { words, flags } = command;
  const args = command.args ?? [];
  const known = new Set(['_', '$0', '--', 'help', 'version', ...args.map(({ name }) => name), ...Object.keys(flags)]);
  for (const { short } of Object.values(flags)) known.add(short ?? '');
  const open = Object.entries(flags).find(
    ([name, { type }]) => type !== 'boolean' && typeof values[name] === 'boolean',
  );
  if (open !== undefined) return wrongValue(command, ...open, values[open[0]]);
  const unknown = Object.keys(values).find((name) => !known.has(name));
  if (unknown !== undefined) return unknownOption(command, unknown);
  for (const [i, word] of rest.entries()) {
    const arg = args[i] ?? args.find(({ isRepeated }) => isRepeated);
    if (arg === undefined) return extraArgument(command, word);
    values[arg.name] = i >= args.length ? `${values[arg.name]} ${word}` : word;
  }
  for (const arg of args) {
    const value = values[arg.name];
    // By its name, and without a value: the parser takes it for true.
    if ((value === undefined && arg.required) || typeof value === 'boolean')
      return { kind: 'missing', command: words, field: `<${arg.name}>`, hint: `write \`${usageOf(command)}\`` };
    const mistake = typeof value === 'string' ? wrongArgument(command, arg, value) : undefined;
    if (mistake !== undefined) return mistake;
  }
  for (const [name, flag] of Object.entries(flags)) {
    if (flag.default !== undefined) values[name] ??= flag.default;
    const value = values[name];
    if (value === undefined || flag.type === 'boolean') continue;
    const mistake = wrongValue(command, name, flag, value);
    if (mistake !== undefined) return mistake;
    if (flag.type === 'number') values[name] = Number(value);
  }
  const { rest: behind, restIsOptional } = command;
  if (behind === undefined || restIsOptional === true || restOf(values).length > 0) return undefined;
  return { kind: 'missing', command: words, field: `a ${behind} after --`, hint: `write \`${usageOf(command)}\`` };
}

function unknownOption({ words, flags, args = [] }: Command, name: string): Mistake {
  const said = name.length === 1 ? `-${name}` : `--${name}`;
  const known = Object.keys(flags);
  const longer = known.filter((flag) => name.length > 1 && flag.startsWith(name));
  const option =
    optionMeant(name, known) ??
    nearest(name, [...known, ...args.map((arg) => arg.name), 'help']) ??
    (longer.length === 1 ? longer[0] : undefined);
  const suggestion = commandMeant(`${words} ${said}`) ?? (option === undefined ? undefined : `--${option}`);
  const isNumber = /^\d$/.test(name) && args.length > 0;
  const hint = isNumber ? 'a value that begins with "-" is written behind --' : undefined;
  return { kind: 'unknown-option', command: words, received: said, suggestion, hint };
}

function extraArgument({ words, args = [], valueIs = '', rest, flags }: Command, word: string): Mistake {
  const mayBe = (name: string): boolean =>
    Object.hasOwn(flags, name) && (flags[name]?.type !== 'number' || numeral.test(word));
  const naming = /^[\w./-]+$/.test(word) ? [valueIs, 'id', 'name'].find(mayBe) : undefined;
  const near = nearest(word, Object.keys(flags));
  const option = near === undefined ? naming && `--${naming} ${word}` : `--${near}`;
  return {
    kind: 'extra-argument',
    command: words,
    received: word,
    meant: args.length === 0 ? 'no argument' : args.length === 1 ? 'one argument' : `${args.length} arguments`,
    suggestion: option,
    hint: rest === undefined || option !== undefined ? undefined : `the ${rest} belongs after --`,
  };
}

function wrongArgument({ words }: Command, arg: Arg, value: string): Mistake | undefined {
  const field = `<${arg.name}>`;
  if (value === '') return { kind: 'missing', command: words, field, hint: 'it is empty' };
  const { meant, least, choices } = arg;
  if (/^-\.?\d/.test(value) && meant !== undefined) return { kind: 'value', field, meant, received: value };
  if (least !== undefined && numeral.test(value) && Number(value) < least)
    return { kind: 'value', field, meant: `at least ${least}`, received: value };
  return notChosen(field, choices, value) ?? withoutUnit(arg, field, value);
}

function wrongValue({ words }: Command, name: string, flag: Flag, value: unknown): Mistake | undefined {
  const field = `--${name}`;
  // The parser knows `--no-<name>` of all options.
  if (typeof value !== 'string' || value === '')
    return { kind: 'value', field, hint: `one that begins with "-" is written with "=": ${field}=-x` };
  const isNumber = flag.type === 'number';
  const other = meantForOther(words, name, value);
  if (other !== undefined) return { kind: 'value', field, received: value, ...other };
  if (isNumber && !numeral.test(value))
    return { kind: 'value', field, meant: flag.meant ?? 'a number', received: value };
  // JSON has no number for it.
  if (isNumber && !Number.isFinite(Number(value)))
    return { kind: 'value', field, meant: `a number of at most ${flag.most ?? Number.MAX_VALUE}`, received: value };
  return notChosen(field, flag.choices, value) ?? withoutUnit(flag, field, value);
}

function notChosen(field: string, choices: readonly string[] | undefined, value: string): Mistake | undefined {
  if (choices === undefined || choices.includes(value)) return undefined;
  const suggestion = nearest(value, choices);
  const meant = `${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`;
  return { kind: 'value', field, meant, received: value, suggestion };
}

// In JSON a number is milliseconds; who types one thinks of seconds or minutes.
function withoutUnit({ isDuration }: Pick<Arg, 'isDuration'>, field: string, value: string): Mistake | undefined {
  if (isDuration !== true || !/^(?=.*[1-9])\d+(\.\d+)?$/.test(value)) return undefined;
  return { kind: 'value', field, meant: `a duration with its unit: ${value}s or ${value}ms`, received: value };
}

/** What a value means that belongs to another option or command. */
function meantForOther(words: string, name: string, value: string): Pick<Mistake, 'meant' | 'suggestion'> | undefined {
  const at = `${words} --${name}`;
  if (at === 'clock advance --to' && /[a-z]/.test(value) && parseDuration(value) !== undefined)
    return { meant: 'an instant', suggestion: `clock advance ${value}` };
  if (at === 'reset --scenario' && value !== 'null') return { meant: 'null', suggestion: `scenario apply ${value}` };
  if (at === 'faults add --error' && /^[2-5]\d\d$/.test(value))
    return { meant: 'a code such as RATE_LIMITED', suggestion: `--status ${value}` };
  if (at === 'faults add --status' && /^[a-z]+(_[a-z]+)+$/i.test(value))
    return { meant: 'a number', suggestion: `--error ${value.toUpperCase()}` };
  return undefined;
}

/** How a command is called. */
export function usageOf(command: Pick<Command, 'words' | 'args' | 'rest' | 'restIsOptional'>): string {
  const { words, args = [], rest, restIsOptional } = command;
  const named = args.map(({ name, required, isRepeated }) =>
    required ? `<${name}${isRepeated ? '…' : ''}>` : `[${name}${isRepeated ? '…' : ''}]`,
  );
  const behind = rest === undefined ? [] : restIsOptional ? [`[-- <${rest}>]`] : ['--', `<${rest}>`];
  return ['cloudemu', words, ...named, ...behind].join(' ');
}

// The names by which a person knows the fields of a refused request: the options and arguments that they typed.

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
