// A command line: help, mistakes, and what yargs makes of the rest.

import yargs, { type Argv } from 'yargs';
import { packageVersion } from '../core/version.js';
import type { Command, Values } from './command.js';
import { verbs } from './command-table.js';
import { groups } from './groups.js';
import { helpOf } from './help.js';
import { fail, printLine, printLines } from './print.js';
import { asksForHelp, mistakeIn, spelledOut } from './usage-errors.js';

type Run = (verb: Command, values: Values) => void | Promise<void>;

/** Parses and runs a command line. */
export async function runCommands(given: readonly string[]): Promise<void> {
  const argv = spelledOut(given, verbs);
  if (argv.length === 0 || (asksForHelp(argv) && mistakeIn(argv, verbs) === undefined))
    return printLines(helpOf(argv, verbs));
  if (argv[0] === '--version') return printLine(packageVersion());
  const mistake = mistakeIn(argv, verbs);
  if (mistake !== undefined) fail(2, mistake);
  await createParser(argv, (verb, values) => verb.run(values)).parseAsync();
}

/** The parser of a command line, which hands the verb and its flags to `run`. */
export function createParser(argv: readonly string[], run: Run): Argv {
  const parser = yargs([...argv])
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

// The verbs that stand directly in a group ('' for those in none), and the groups in it.
function addVerbs(parser: Argv, group: string, run: Run): Argv {
  const start = group === '' ? '' : `${group} `;
  const nameIn = (words: string): string | undefined => {
    const name = words.startsWith(start) ? words.slice(start.length) : '';
    return name === '' || name.includes(' ') ? undefined : name;
  };
  for (const verb of verbs) {
    const name = nameIn(verb.words);
    if (name !== undefined) addVerb(parser, verb, name, run);
  }
  for (const inner of Object.keys(groups)) {
    const name = nameIn(inner);
    if (name === undefined) continue;
    parser.command(name, false, (command) => addVerbs(command, inner, run).demandCommand(1));
  }
  return parser;
}

function addVerb(parser: Argv, verb: Command, name: string, run: Run): void {
  const args = verb.args ?? [];
  parser.command(
    [name, ...args.map((arg) => (arg.required ? `<${arg.name}>` : `[${arg.name}]`))].join(' '),
    false,
    (command) => {
      for (const { name: arg } of args) command.positional(arg, { type: 'string' });
      for (const [flag, { type, default: preset }] of Object.entries(verb.flags))
        command.option(flag, { type, ...(preset !== undefined && { default: preset }) });
      return command;
    },
    (values) => run(verb, values),
  );
}
