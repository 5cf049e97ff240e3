// The verbs as yargs knows them: parsing and help.

import yargs, { type Argv } from 'yargs';
import { packageVersion } from '../kernel/version.js';
import { groups } from './groups.js';
import { mistakeIn, spelledOut } from './mistakes.js';
import { fail, printText } from './print.js';
import { stdoutScreen } from './terminal.js';
import type { Values, Verb } from './verb.js';
import { verbs } from './verbs.js';

type Run = (verb: Verb, values: Values) => void | Promise<void>;

const exitCodes = 'Exit codes: 0 done, 1 it did not work, 2 called or set up wrongly';

/** Parses and runs a command line. */
export async function runCommands(given: readonly string[]): Promise<void> {
  const argv = spelledOut(given, verbs);
  const parser = createParser(argv, (verb, values) => verb.run(values));
  if (argv.length === 0) return printText(await parser.getHelp());
  const mistake = mistakeIn(argv, verbs);
  if (mistake !== undefined) fail(2, mistake);
  let help = '';
  await parser.parseAsync(argv, {}, (_error: unknown, _values: unknown, output: string) => {
    help = output;
  });
  if (help !== '') printText(help);
}

/** The parser of a command line, which hands the verb and its flags to `run`. */
export function createParser(argv: readonly string[], run: Run): Argv {
  const parser = yargs([...argv])
    .scriptName('cloudemu')
    .usage('$0 <verb>\n\nA local emulator of a cloud platform for AI agents.')
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
    .help()
    .alias('help', 'h')
    .version(packageVersion())
    .epilogue(`${exitCodes}\n\`cloudemu <verb> --help\` shows the flags of a verb`)
    .wrap(Math.min(110, helpColumns()));
  return addVerbs(parser, '', run);
}

function helpColumns(): number {
  const { isTerminal, columns } = stdoutScreen();
  return isTerminal ? columns : 80;
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
  for (const [inner, describe] of Object.entries(groups)) {
    const name = nameIn(inner);
    if (name === undefined) continue;
    parser.command(name, describe, (command) => addVerbs(command, inner, run).demandCommand(1).version(false));
  }
  return parser;
}

function addVerb(parser: Argv, verb: Verb, name: string, run: Run): void {
  const args = verb.args ?? [];
  parser.command(
    [name, ...args.map((arg) => (arg.required ? `<${arg.name}>` : `[${arg.name}]`))].join(' '),
    verb.bare === true
      ? `${verb.describe} (\`cloudemu ${verb.words.split(' ')[0]}\` alone does it too)`
      : verb.describe,
    (command) => {
      for (const { name: arg, describe } of args) command.positional(arg, { type: 'string', describe });
      for (const [flag, { type, describe, default: preset }] of Object.entries(verb.flags)) {
        command.option(flag, { type, describe, ...(preset !== undefined && { default: preset }) });
      }
      return command.version(false).epilogue(examplesOf(verb));
    },
    (values) => run(verb, values),
  );
}

// Two lines each, as yargs would break a long one in the middle of the command.
function examplesOf({ examples }: Verb): string {
  const lines = examples.map(([line, meaning]) => `  cloudemu ${line}\n      ${meaning}`);
  return [examples.length === 1 ? 'Example:' : 'Examples:', ...lines, '', exitCodes].join('\n');
}
