// The document that says to a program what went wrong: with --json, the last line on stdout.

import type { ConfigError } from '../config/error.js';
import type { Tree } from '../core/tree.js';
import { asTyped, typedCommand } from '../core/typed-command.js';
import { groups, sections, things } from './groups.js';

/** The codes of the command itself, with its exit code and what they mean; those of the emulator are in `core/errors.ts`. */
export const commandCodes = {
  USAGE: { exit: 2, meaning: 'The command line is wrong: an unknown command or option, a missing or wrong value' },
  SETTINGS_INVALID: { exit: 2, meaning: 'The settings, a scenario or a reply file cannot be used' },
  ALREADY_RUNNING: { exit: 2, meaning: 'An emulator runs in this directory already' },
  PORT_UNAVAILABLE: { exit: 2, meaning: 'The host or port cannot be listened on' },
  DATA_UNUSABLE: { exit: 2, meaning: 'The data directory, or what is in it, cannot be used' },
  NOT_STARTED: { exit: 2, meaning: 'The command behind `--` cannot be started, or cannot be explored' },
  NOT_RUNNING: { exit: 1, meaning: 'No emulator answers' },
  NOT_ANSWERING: { exit: 1, meaning: 'What listens there did not answer in time' },
  NOT_CLOUDEMU: { exit: 1, meaning: 'What answers there is not an emulator' },
  FOREIGN_EMULATOR: { exit: 1, meaning: 'The emulator that answers belongs to another directory, or to nobody known' },
  FOREIGN_WORLD: {
    exit: 1,
    meaning: 'The world of the shared emulator belongs to another directory, or it is all of them',
  },
  NO_WORLD: { exit: 1, meaning: 'The shared emulator has no world of this directory yet' },
  FILE_UNUSABLE: { exit: 1, meaning: 'A file cannot be written, or is there already' },
  FAILED: { exit: 1, meaning: 'It could not be done' },
  INTERRUPTED: { exit: 130, meaning: 'Ctrl-C, SIGTERM or a closed terminal ended the command' },
} as const;

/** The exit codes of all commands. */
export const exitCodes: readonly (readonly [code: string, meaning: string])[] = [
  ['0', 'It is done. `start`: a signal has ended it'],
  [
    '1',
    'It could not be done, or the result is a bad one: `verdicts`, `receipt`, `run` and `explore` then print their report, which is no error',
  ],
  ['2', 'The command line, the settings or a document is wrong; nothing was changed'],
  ['3', '`explore` has tried too little to say that there is nothing'],
  ['130', 'The command was interrupted; former results are as they were'],
  ['others', '`run`: the exit code of the command behind `--`'],
];

/** A mistake on the command line. */
export interface Mistake {
  kind: 'no-command' | 'unknown-command' | 'gone-command' | 'unknown-option' | 'extra-argument' | 'missing' | 'value';
  /** The words of the command, or of the group. */
  command?: string | undefined;
  /** The option or argument as it is typed. */
  field?: string | undefined;
  received?: string | undefined;
  /** What a value must be. */
  meant?: string | undefined;
  /** The words that were meant: a command line, an option, a value. */
  suggestion?: string | undefined;
  /** What stands at the end of the sentence. */
  hint?: string | undefined;
}

/** A value that is not what an option or argument takes. */
export type WrongValue = Omit<Mistake, 'kind' | 'command'> & { field: string };

/** The sentence about a mistake. */
export function sentenceOf({ kind, command, field, received, meant, suggestion, hint }: Mistake): string {
  const perhaps = suggestion === undefined ? '' : `; did you mean ${quoted(kind, suggestion)}?`;
  const whatThereIs = ` (\`cloudemu ${command === undefined ? '' : `${command} `}--help\` lists what there is)`;
  const end = hint === undefined ? '' : `; ${hint}`;
  const got = received === undefined ? '' : `, got "${received}"`;
  switch (kind) {
    case 'no-command':
      return `${command ?? 'cloudemu'} needs a command${perhaps}${whatThereIs}`;
    case 'unknown-command':
      return `There is no command "${received}"${perhaps}${whatThereIs}`;
    case 'gone-command':
      return `\`${received}\` is now: \`cloudemu ${suggestion}\``;
    case 'unknown-option':
      return `${command} has no flag ${received}${perhaps}${end}${whatThereIs}`;
    case 'extra-argument':
      return `${command} takes ${meant}${got}${perhaps}${end}`;
    case 'missing':
      return `${command} needs ${field}${end}`;
    case 'value':
      return meant === undefined ? `${field} needs a value${end}` : `${field} must be ${meant}${got}${perhaps}${end}`;
  }
}

function quoted(kind: Mistake['kind'], suggestion: string): string {
  const isCommand = kind === 'unknown-command' || kind === 'no-command' || /^[a-z][a-z-]* /.test(suggestion);
  return isCommand ? `\`cloudemu ${suggestion}\`` : suggestion;
}

/** What is known of a failure besides its message. */
export interface ErrorFacts {
  /** One of `commandCodes`, or the code of the response. */
  code?: string | undefined;
  /** The option or argument as it is typed, or the setting. */
  field?: string | undefined;
  received?: string | undefined;
  suggestion?: string | undefined;
  /** Command lines without the program's name, each as its words. */
  next?: readonly (readonly string[])[];
  /** What was seen last, which the document tells besides. */
  beside?: Tree | undefined;
}

/**
 * Whether a command line asks for JSON: the last such word counts, and what is behind `--` is not this command's.
 *
 * @example wantsJson(['status', '--json']) // true
 */
export function wantsJson(argv: readonly string[]): boolean {
  const own = argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv;
  const at = own.findLastIndex((word) => /^--(no-)?json(=.*)?$/.test(word));
  const word = own[at];
  if (word === undefined || word.startsWith('--no-') || word === '--json=false') return false;
  return word !== '--json' || own[at + 1] !== 'false';
}

/**
 * The document of a failure: `{error: {code, message, field?, received?, suggestion?}, next}`.
 *
 * @param argv the command line that failed
 */
export function errorDocument(
  exit: number,
  lines: readonly string[],
  facts: ErrorFacts,
  argv: readonly string[],
): Tree {
  const code = facts.code ?? (exit === 2 ? 'USAGE' : 'FAILED');
  const { field, received, suggestion } = facts;
  const next = facts.next ?? usualNext(code, facts, argv);
  return {
    ...facts.beside,
    error: { code, message: asTyped(lines.join('\n')), field, received, suggestion },
    next: next.map(typedCommand),
  };
}

function usualNext(
  code: string,
  { field, received, suggestion }: ErrorFacts,
  argv: readonly string[],
): (readonly string[])[] {
  if (code === 'SETTINGS_INVALID') return [['docs', 'settings']];
  if (code !== 'USAGE') return [];
  const corrected = field?.startsWith('--') === true ? correctedLine(argv, received, suggestion) : undefined;
  return [...(corrected === undefined ? [] : [corrected]), helpFor(argv)];
}

/** The command line with a value that was wrong replaced by the right one, if it stands there once. */
export function correctedLine(argv: readonly string[], received = '', suggestion = ''): readonly string[] | undefined {
  if (received === '' || suggestion === '' || /[\s`]/.test(suggestion)) return undefined;
  const isIt = (word: string): boolean => word === received || word.split('=')[0] === received || isValue(word);
  const isValue = (word: string): boolean => word.startsWith('--') && word.endsWith(`=${received}`);
  const places = [...argv.keys()].filter((at) => isIt(argv[at] ?? ''));
  const [at] = places;
  if (at === undefined || places.length > 1) return undefined;
  const right = (word: string): string =>
    isValue(word) ? word.slice(0, -received.length) + suggestion : suggestion + word.slice(received.length);
  return argv.map((word, index) => (index === at ? right(word) : word));
}

/** What is known of settings that cannot be used; one that was typed belongs to the command line. */
export function settingsFacts({ facts: { field, received, suggestion, missing } }: ConfigError): ErrorFacts {
  const [got, meant] = [received, suggestion].map((text) => text?.replace(/^"(.*)"$/s, '$1'));
  const facts = {
    code: field?.startsWith('--') === true ? 'USAGE' : 'SETTINGS_INVALID',
    field,
    received: got,
    suggestion: meant,
  };
  return missing === 'scenario' ? { ...facts, next: [['scenario', 'list']] } : facts;
}

/** The command line that shows the help for a command line. */
export function helpFor(argv: readonly string[]): readonly string[] {
  const [first = '', second = '', third = ''] = argv;
  if (![...Object.values(sections).flat(), ...things].includes(first)) return ['--help'];
  const words = [first];
  if (groups[first] !== undefined && isWord(second)) words.push(second);
  if (groups[words.join(' ')] !== undefined && words.length === 2 && isWord(third)) words.push(third);
  return [...words, '--help'];
}

const isWord = (word: string): boolean => /^[a-z][a-z-]*$/.test(word);
