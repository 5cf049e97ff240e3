// The texts of usage errors, with hints at the correct usage.

import { parseDuration } from '../core/duration.js';
import { nearest } from '../core/nearest.js';
import type { Arg, Command, Flag } from './command.js';
import { numeral } from './start-options.js';
import { commandsMeant, optionMeant } from './synonyms.js';

/** The part of a command that tells how its command line is read. */
export type Shape = Pick<Command, 'words' | 'bare' | 'args' | 'valueIs' | 'rest' | 'flags'>;

/** A command line that no command can be run with. */
export class UsageError extends Error {}

/** The text about a command line that begins with a flag. */
export function flagBeforeCommand(argv: readonly string[], commands: readonly Shape[]): string {
  const name = flagName(argv[0] ?? '');
  const having = commands.filter(({ flags }) => Object.hasOwn(flags, name));
  // If many commands have the flag, nobody knows which of them is meant.
  const owner = having.find(({ words }) => words === 'start') ?? (having.length === 1 ? having[0] : undefined);
  const meant = withCommandFirst(argv, commands) ?? [owner?.words, ...argv];
  const hint =
    meant[0] === undefined ? '`cloudemu --help` lists them' : `did you mean \`cloudemu ${meant.join(' ')}\`?`;
  return `${argv[0]} is a flag where a command is expected; ${hint}`;
}

function withCommandFirst(argv: readonly string[], commands: readonly Shape[]): string[] | undefined {
  const known = commands
    .flatMap(({ words, bare }) => [words.split(' '), ...(bare === true ? [words.split(' ').slice(0, 1)] : [])])
    .sort((a, b) => b.length - a.length);
  for (const at of argv.keys()) {
    const words = known.find((one) => one.every((word, index) => argv[at + index] === word));
    if (words !== undefined) return [...words, ...argv.slice(0, at), ...argv.slice(at + words.length)];
  }
  return undefined;
}

/** The text about words that no command has, or that are only the beginning of some. */
export function unknownCommand(argv: readonly string[], commands: readonly Shape[]): string {
  const wordsAt = (depth: number): string => argv.slice(0, depth).join(' ');
  const groupAt = (depth: number): string[] =>
    commands.map(({ words }) => words).filter((words) => depth === 0 || words.startsWith(`${wordsAt(depth)} `));
  // The number of words that name a group.
  let depth = 0;
  while (depth < argv.length && groupAt(depth + 1).length > 0) depth++;
  const next = argv[depth];
  if (depth > 0 && (next === undefined || next.startsWith('-'))) {
    const inside = groupAt(depth).map((words) => `\`cloudemu ${words}\``);
    return `${wordsAt(depth)} alone does nothing: ${inside.join(' or ')}`;
  }
  const said = wordsAt(depth + 1);
  const known = new Set(
    groupAt(depth).map((words) =>
      words
        .split(' ')
        .slice(0, depth + 1)
        .join(' '),
    ),
  );
  const start = depth === 0 ? '' : `${wordsAt(depth)} `;
  const near = nearest(
    next ?? '',
    [...known].map((words) => words.slice(start.length)).concat(depth === 0 ? ['help'] : []),
  );
  // The word behind a scenario's name is a flag; `scenario delete mine` means something else.
  const isName = argv[depth + 1]?.startsWith('-') !== false;
  const suggestion =
    commandMeant(said) ?? (near !== undefined ? start + near : isName ? commandMeant(`${start}*`) : undefined);
  return `There is no command "${said}"${suggestion === undefined ? '' : `; did you mean ${suggestion}?`} (\`cloudemu ${depth === 0 ? '' : `${argv[0]} `}--help\` lists them)`;
}

function commandMeant(said: string): string | undefined {
  return Object.hasOwn(commandsMeant, said) ? `\`cloudemu ${commandsMeant[said]}\`` : undefined;
}

/** The text about a value that was meant for another flag, if it was. */
export function otherFlag(words: string, name: string, value: string): string | undefined {
  if (words === 'clock advance' && name === 'to' && /[a-z]/.test(value) && parseDuration(value) !== undefined)
    return `--${name} must be an instant, got "${value}"; did you mean \`cloudemu clock advance ${value}\`?`;
  if (words === 'reset' && name === 'scenario' && value !== 'null')
    return `--${name} must be null, got "${value}"; did you mean \`cloudemu scenario apply ${value}\`?`;
  if (words !== 'faults add') return undefined;
  if (name === 'error' && /^[2-5]\d\d$/.test(value))
    return `--${name} must be a code such as RATE_LIMITED, got "${value}"; did you mean --status ${value}?`;
  if (name === 'status' && /^[a-z]+(_[a-z]+)+$/i.test(value))
    return `--${name} must be a number, got "${value}"; did you mean --error ${value.toUpperCase()}?`;
  return undefined;
}

/** The text about a value that is none of the only ones that there are. */
export function otherChoice(name: string, choices: readonly string[], value: string): string {
  const suggestion = nearest(value, choices);
  const hint = suggestion === undefined ? '' : `; did you mean ${suggestion}?`;
  return `${name} must be ${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}, got "${value}"${hint}`;
}

/** The text about a flag without a value; `next` is the empty value or the flag in its place. */
export function missingValue(name: string, next: string | undefined, flags: Shape['flags']): string {
  if (next === '') return `--${name} needs a value, got an empty one`;
  const isFlag = next === undefined || Object.hasOwn(flags, flagName(next));
  return `--${name} needs a value${isFlag ? '' : `; to pass a value that begins with "-", write --${name}=${next}`}`;
}

/** How a command is called. */
export function usageOf({ words, args = [], rest }: Shape, given: Record<string, string | undefined> = {}): string {
  const named = args.map(({ name, required }) => given[name] || (required ? `<${name}>` : `[${name}]`));
  return ['cloudemu', words, ...named, ...(rest === undefined ? [] : ['--', `<${rest}>`])].join(' ');
}

/** The text about the word at `at` of a command's words: a flag that the command has not, where `arg` may stand. */
export function unknownWord(command: Shape, given: readonly string[], at: number, arg: Arg | undefined): string {
  const { words, args = [], flags } = command;
  const word = given[at] ?? '';
  if (arg !== undefined && /^-\.?\d/.test(word)) {
    if (arg.meant !== undefined) return `${words} takes ${arg.meant}, got "${word}"`;
    if (arg.least !== undefined && arg.least >= 0 && numeral.test(word))
      return `${words}: ${arg.name} must be at least ${arg.least}, got ${word}`;
    const line = ['cloudemu', words, ...given.slice(0, at), '--', word].join(' ');
    return `${words} has no flag ${word}; a value that begins with "-" is written behind --: \`${line}\``;
  }
  const [, name = '', value = given[at + 1]] = /^--([^=]*)(?:=(.*))?$/s.exec(word) ?? [];
  if (!args.some((one) => one.name === name)) return unknownFlag(words, flags, word);
  return `${words} takes ${name} without a name: \`${usageOf(command, { [name]: value })}\``;
}

function unknownFlag(words: string, flags: Record<string, Flag>, word: string): string {
  const [said = word] = word.split('=');
  const name = flagName(word);
  const longer = Object.keys(flags).filter((flag) => name.length > 1 && flag.startsWith(name));
  const known = Object.keys(flags);
  const command = commandMeant(`${words} ${said}`);
  if (command !== undefined) return `${words} has no flag ${said}; did you mean ${command}?`;
  const suggestion =
    optionMeant(name, known) ?? nearest(name, [...known, 'help']) ?? (longer.length === 1 ? longer[0] : undefined);
  const hint = suggestion === undefined ? '' : `; did you mean --${suggestion}?`;
  return `${words} has no flag ${said}${hint} (\`cloudemu ${words} --help\` lists them)`;
}

/** The text about a word where no argument is left. */
export function extraArgument({ words, args = [], valueIs = '', rest, flags }: Shape, word: string): string {
  const mayBe = (name: string): boolean =>
    Object.hasOwn(flags, name) && (flags[name]?.type !== 'number' || numeral.test(word));
  const naming = /^[\w./-]+$/.test(word) ? [valueIs, 'id', 'name'].find(mayBe) : undefined;
  const suggestion = nearest(word, Object.keys(flags)) ?? (naming === undefined ? undefined : `${naming} ${word}`);
  const takes = args.length === 0 ? 'no argument' : args.length === 1 ? 'one argument' : `${args.length} arguments`;
  const hint = suggestion === undefined ? '' : `; did you mean --${suggestion}?`;
  const place = rest === undefined || suggestion !== undefined ? '' : `; the ${rest} belongs after --`;
  return `${words} takes ${takes}, got "${word}"${hint}${place}`;
}

function flagName(word: string): string {
  return word.replace(/^-+(no-)?/, '').replace(/=.*$/s, '');
}
