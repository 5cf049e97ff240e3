// The command line: what it means, and what becomes of errors.

import { ConfigError } from '../config/error.js';
import { StoreError } from '../core/errors.js';
import { packageVersion } from '../core/files.js';
import type { Command, Values } from './command.js';
import { completionFlag, parseLine } from './command-line.js';
import { correctedLine, helpFor, type Mistake, sentenceOf, settingsFacts, wantsJson } from './error-document.js';
import { endOnInterrupt } from './interrupt.js';
import { declinedFacts, declinedLines, nameIn, typedIn } from './mistakes.js';
import { fail, guardOutput, printJson, printText } from './print.js';
import { Declined, NotStarted, Unreachable } from './refusal.js';

/** Loads the commands that a word begins, or more. */
type LoadCommands = (word: string | undefined) => Promise<readonly Command[]>;

/** Runs the command line of this process. */
export function runProcess(load: LoadCommands): void {
  // Node would show the line that has thrown, which is a bundle.
  process.on('uncaughtException', tellFailure);
  main(process.argv.slice(2), load).catch(tellFailure);
}

/** Runs a command line; sets the process's exit code. */
export async function main(given: readonly string[], load: LoadCommands): Promise<void> {
  guardOutput();
  const argv = given.length === 0 ? ['--help'] : given[0] === 'help' ? [...given.slice(1), '--help'] : given;
  const commands = await load(argv[0]);
  if (argv[0] === completionFlag) {
    const { completionsOf } = await import('./help.js');
    const found = await completionsOf(argv, commands);
    if (found !== '') printText(found);
    return;
  }
  if (/^(--version|-v|-V)$/.test(argv[0] ?? '')) return tellText('version', packageVersion(), argv);
  if (asksForHelp(argv)) {
    const { helpOf } = await import('./help.js');
    const help = await helpOf(argv, commands);
    return typeof help === 'string' ? tellText('help', help, argv) : failFor(help, argv, commands);
  }
  const outcome = parseLine(argv, commands);
  if ('mistake' in outcome) return failFor(outcome.mistake, argv, commands);
  // A start ends in order.
  if (outcome.command.words !== 'start') endOnInterrupt();
  await run(outcome.command, outcome.values);
}

/** Whether help is wanted: words behind `--` may be a command with options of its own. */
function asksForHelp(argv: readonly string[]): boolean {
  const own = argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv;
  return own.includes('--help') || own.includes('-h');
}

function tellText(name: string, text: string, argv: readonly string[]): void {
  if (wantsJson(argv)) printJson({ [name]: text });
  else printText(text);
}

// The line as it was meant, if nothing else is wrong with it, and the help.
function failFor(mistake: Mistake, argv: readonly string[], commands: readonly Command[]): never {
  const { kind, field, received, suggestion = '' } = mistake;
  const isGuess = kind === 'unknown-command';
  // A command that is only guessed is not to be run unread.
  const words = suggestion.split(' ');
  const helpOfGuess = /^[a-z -]+$/.test(suggestion) ? [[...words, '--help']] : [helpFor(argv)];
  const corrected = isGuess ? undefined : correctedLine(argv, received, suggestion);
  const isRight = corrected !== undefined && !('mistake' in parseLine(corrected, commands));
  const next = isGuess
    ? helpOfGuess
    : kind === 'gone-command'
      ? [words]
      : [...(isRight ? [corrected] : []), helpFor(argv)];
  return fail(2, sentenceOf(mistake), { code: 'USAGE', field, received, suggestion: suggestion || undefined, next });
}

// The emulator names fields of a request. A person reads the names of the options and arguments that he typed instead.
async function run(command: Command, values: Values): Promise<void> {
  try {
    await command.run(values);
  } catch (error) {
    if (!(error instanceof Declined)) throw error;
    const typed = typedIn(command, values);
    const nameOf = (path: string): string => nameIn(typed, path);
    fail(error.exitCode, declinedLines(error, nameOf), declinedFacts(error, nameOf, process.argv.slice(2)));
  }
}

/** Ends the command with what an error means to a person. */
export function tellFailure(error: unknown): never {
  if (error instanceof Unreachable) fail(1, error.message, error.facts);
  if (error instanceof Declined) fail(error.exitCode, error.message.split('\n'), { code: error.code });
  if (error instanceof NotStarted) fail(2, error.message, { code: 'NOT_STARTED' });
  if (error instanceof ConfigError) fail(2, error.problems, settingsFacts(error));
  if (error instanceof StoreError) fail(2, error.message.split('\n'), { code: 'DATA_UNUSABLE' });
  const said = error instanceof Error ? (error.stack ?? error.message) : String(error);
  fail(1, `Fault of cloudemu itself: ${said}`.split('\n'), { code: 'INTERNAL_ERROR' });
}
