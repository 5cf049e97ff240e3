// The verbs as yargs knows them: parsing and help.

import yargs, { type Argv } from 'yargs';
import { packageVersion } from '../kernel/version.js';
import { mistakeIn } from './mistakes.js';
import { fail } from './print.js';
import { groups, type Values, type Verb, verbs } from './verbs.js';

type Run = (verb: Verb, values: Values) => void | Promise<void>;

const exitCodes = 'Exit codes: 0 done, 1 it did not work, 2 called or set up wrongly';

/** Parses and runs a command line. */
export async function runCommands(argv: readonly string[]): Promise<void> {
  const parser = createParser(argv, (verb, values) => verb.run(values));
  if (argv.length === 0) return void parser.showHelp('log');
  const mistake = mistakeIn(argv, verbs);
  if (mistake !== undefined) fail(2, mistake);
  await parser.parseAsync();
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
    .wrap(Math.min(110, process.stdout.columns ?? 80));
  for (const verb of verbs.filter(({ words }) => !words.includes(' '))) addVerb(parser, verb, verb.words, run);
  for (const [group, describe] of Object.entries(groups)) {
    parser.command(group, describe, (command) => {
      for (const verb of verbs) {
        const [first, second = ''] = verb.words.split(' ');
        if (first === group && second !== '') addVerb(command, verb, second, run);
      }
      return command.demandCommand(1).version(false);
    });
  }
  return parser;
}

function addVerb(parser: Argv, verb: Verb, name: string, run: Run): void {
  parser.command(
    name,
    verb.describe,
    (command) => {
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
