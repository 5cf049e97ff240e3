// The document that says to a program what went wrong: with --json, the last line on stdout.

import type { Tree } from '../core/tree.js';
import { asTyped, typedCommand } from '../core/typed-command.js';
import { groups, sections } from './groups.js';

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
    'It could not be done, or the result is a bad one: `verdicts`, `expectations`, `run` and `explore` then print their report, which is no error',
  ],
  ['2', 'The command line, the settings or a document is wrong; nothing was changed'],
  ['3', '`explore` has tried too little to say that there is nothing'],
  ['130', 'The command was interrupted; former results are as they were'],
  ['others', '`run`: the exit code of the command behind `--`'],
];

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
  // Messages about something that was typed have one form.
  const said = { ...(exit === 2 && partsOf(lines[0] ?? '')), ...definedOf(facts) };
  const { field, received, suggestion } = said;
  const next = facts.next ?? usualNext(code, said, argv);
  return {
    ...facts.beside,
    error: { code, message: asTyped(lines.join('\n')), ...definedOf({ field, received, suggestion }) },
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
export function settingsFacts([problem = '']: readonly string[]): ErrorFacts {
  if (problem.startsWith('--')) return { code: 'USAGE' };
  if (problem.includes('There is no scenario ')) return { code: 'SETTINGS_INVALID', next: [['scenario', 'list']] };
  return { code: 'SETTINGS_INVALID', field: /^(?:.*\.json: )?(?!it )([\w.[\]-]+)(?= (must|is) )/.exec(problem)?.[1] };
}

/** The command line that shows the help for a command line. */
export function helpFor(argv: readonly string[]): readonly string[] {
  const [first = '', second = '', third = ''] = argv;
  if (!Object.values(sections).flat().includes(first)) return ['--help'];
  const words = [first];
  if (groups[first] !== undefined && isWord(second)) words.push(second);
  if (groups[words.join(' ')] !== undefined && words.length === 2 && isWord(third)) words.push(third);
  return [...words, '--help'];
}

const isWord = (word: string): boolean => /^[a-z][a-z-]*$/.test(word);

/**
 * The parts of a message about something that was typed.
 *
 * @example partsOf('--status must be a number, got "x"') // {field: '--status', received: 'x'}
 */
export function partsOf(line: string): Pick<ErrorFacts, 'field' | 'received' | 'suggestion'> {
  const missing = /^[a-z- ]+ needs ([\w-]+)(: |,|$)/.exec(line)?.[1];
  const field = /^(--[\w-]+|<[\w-]+>)(?= )/.exec(line)?.[1] ?? (missing === undefined ? undefined : `<${missing}>`);
  const [, unknown] = /^[a-z- ]+ has no flag (--?[^\s;]+)/.exec(line) ?? [];
  const [, word] = /^There is no command "([^"]*)"/.exec(line) ?? [];
  const [, got = /, got ([^\s"';]+)$/.exec(line)?.[1]] = /, got "([^"]*)"/.exec(line) ?? [];
  const [, quoted, meant] = /did you mean (?:`cloudemu ([^`]+)`|"?([^"`?]+)"?)\?/.exec(line) ?? [];
  const received = unknown ?? word ?? got ?? /^(-\S+) is a flag where/.exec(line)?.[1];
  return definedOf({ field, received, suggestion: quoted ?? meant });
}

function definedOf<Part extends object>(part: Part): Part {
  return Object.fromEntries(Object.entries(part).filter(([, value]) => value !== undefined)) as Part;
}
