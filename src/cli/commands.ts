// A command line: help, usage errors, and what yargs makes of the rest.

import yargs, { type Argv, type Options } from 'yargs';
import { packageVersion } from '../core/files.js';
import type { Command, Values } from './command.js';
import { commands } from './command-table.js';
import { correctedLine, helpFor, partsOf, wantsJson } from './error-document.js';
import { groups } from './groups.js';
import { helpDocument, helpOf } from './help.js';
import { declinedFacts, declinedLines, nameIn, typedIn } from './named.js';
import { fail, printJson, printLine, tell } from './print.js';
import { Declined } from './refusal.js';
import { numeral } from './start-options.js';
import { asksForHelp, commandOf, spelledOut, usageErrorIn } from './usage-errors.js';

type Run = (command: Command, values: Values) => void | Promise<void>;

/** Parses and runs a command line. */
export async function runCommands(given: readonly string[]): Promise<void> {
  const argv = spelledOut(given, commands);
  if (argv.length === 0 || (asksForHelp(argv) && usageErrorIn(argv, commands) === undefined))
    return wantsJson(argv) ? printJson(helpDocument(argv, commands)) : tell(...helpOf(argv, commands));
  if (argv[0] === '--version')
    return wantsJson(argv) ? printJson({ version: packageVersion() }) : printLine(packageVersion());
  const mistake = usageErrorIn(argv, commands);
  if (mistake !== undefined) fail(2, mistake, { code: 'USAGE', next: nextAfter(mistake, argv) });
  await createParser(argv, runAsTyped).parseAsync();
}

// The emulator names fields of a request. A person reads the names of the options and arguments that he typed instead.
async function runAsTyped(command: Command, values: Values): Promise<void> {
  try {
    await command.run(values);
  } catch (error) {
    if (!(error instanceof Declined)) throw error;
    const typed = typedIn(command, values);
    const nameOf = (path: string): string => nameIn(typed, path);
    fail(error.exitCode, declinedLines(error, nameOf), declinedFacts(error, nameOf, process.argv.slice(2)));
  }
}

// The line as it was meant, if nothing else is wrong with it, and the help.
function nextAfter(mistake: string, argv: readonly string[]): (readonly string[])[] {
  const { received, suggestion } = partsOf(mistake);
  const isCommand = commandOf(argv, commands) === undefined;
  // A command that is only guessed is not to be run unread.
  const corrected = isCommand ? undefined : correctedLine(argv, received, suggestion);
  const isRight = corrected !== undefined && usageErrorIn(corrected, commands) === undefined;
  const guess = (suggestion ?? '').split(' ');
  const isKnown =
    isCommand && usageErrorIn([...guess, '--help'], commands) === undefined && /^[a-z ]+$/.test(guess.join(' '));
  return isRight ? [corrected, helpFor(argv)] : [isKnown ? [...guess, '--help'] : helpFor(argv)];
}

/** The parser of a command line, which hands the command and its flags to `run`. */
export function createParser(argv: readonly string[], run: Run): Argv {
  const parser = yargs(withoutDash(withOneValue(argv)))
    .locale('en')
    // The last of repeated flags counts; values stay as they were written.
    .parserConfiguration({
      'boolean-negation': true,
      'camel-case-expansion': false,
      'dot-notation': false,
      'duplicate-arguments-array': false,
      'parse-numbers': false,
      'parse-positional-numbers': false,
      'populate--': true,
    })
    .demandCommand(1)
    .strict()
    .fail((message, error) => {
      if (error !== undefined && error !== null) throw error;
      fail(2, message);
    })
    .help(false)
    .version(false);
  return addVerbs(parser, '', run);
}

// The commands directly in a group ('' for those in none), and the groups in it.
function addVerbs(parser: Argv, group: string, run: Run): Argv {
  const start = group === '' ? '' : `${group} `;
  const nameIn = (words: string): string | undefined => {
    const name = words.startsWith(start) ? words.slice(start.length) : '';
    return name === '' || name.includes(' ') ? undefined : name;
  };
  for (const command of commands) {
    const name = nameIn(command.words);
    if (name !== undefined) addCommand(parser, command, name, run);
  }
  for (const inner of Object.keys(groups)) {
    const name = nameIn(inner);
    if (name === undefined) continue;
    parser.command(name, false, (command) => addVerbs(command, inner, run).demandCommand(1));
  }
  return parser;
}

function addCommand(parser: Argv, command: Command, name: string, run: Run): void {
  const args = command.args ?? [];
  parser.command(
    [name, ...args.map((arg) => (arg.required ? `<${arg.name}>` : `[${arg.name}]`))].join(' '),
    false,
    (builder) => {
      for (const { name: arg } of args) builder.positional(arg, { type: 'string' });
      for (const [flag, { type, default: preset }] of Object.entries(command.flags))
        builder.option(flag, { ...typeOf(type), ...(preset !== undefined && { default: preset }) });
      return builder;
    },
    (values) => run(command, withDash(values)),
  );
}

// Of a number that is given twice, yargs takes a second 1 for one more.
function typeOf(type: Options['type']): Options {
  return type === 'number' ? { type: 'string', coerce: Number } : { type };
}

// The words of an argument that takes several are one value: yargs keeps the last of what comes twice.
function withOneValue(argv: readonly string[]): readonly string[] {
  const { words = '', args = [] } = commandOf(argv, commands) ?? {};
  if (!args.some(({ isRepeated }) => isRepeated)) return argv;
  const after = argv.slice(words.split(' ').length);
  const said = after.filter((word) => !word.startsWith('-')).join(' ');
  return [
    ...words.split(' '),
    ...(said === '' ? [] : [said]),
    ...after.filter((word) => /^-./.test(word) && word !== '--'),
  ];
}

// yargs takes a lone `-`, which stands for what is piped in, for a flag, and keeps what follows `--` from the arguments.
const dash = '\u{e000}';

function withoutDash(argv: readonly string[]): string[] {
  const end = argv.includes('--') ? argv.indexOf('--') : argv.length;
  // yargs takes a negative number with an exponent for flags, too.
  const isValue = (word = '', flag = ''): boolean =>
    /^-.*e/i.test(word) && numeral.test(word) && /^--[^=]+$/.test(flag);
  const own = argv.slice(0, end).flatMap((word, i, all) => {
    if (isValue(word, all[i - 1])) return [];
    return isValue(all[i + 1], word) ? `${word}=${all[i + 1]}` : word === '-' ? dash : word;
  });
  const isOther = commandOf(argv, commands)?.rest !== undefined;
  const after = isOther ? argv.slice(end) : argv.slice(end + 1).map((word) => word.replace(/^-/, dash));
  return [...own, ...after];
}

function withDash(values: Values): Values {
  const written = (value: unknown) =>
    typeof value === 'string' && value.startsWith(dash) ? `-${value.slice(dash.length)}` : value;
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, written(value)])) as Values;
}
