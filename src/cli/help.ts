// Help and completions, which yargs makes of the commands.

import yargs, { type Argv } from 'yargs';
import { packageVersion } from '../core/files.js';
import { asTyped, typedName } from '../core/typed-command.js';
import { type Command, target, withValues } from './command.js';
import { wordsIn } from './command-line.js';
import type { Mistake } from './error-document.js';
import { groups, sections, things } from './groups.js';
import { namedValues, wrapped } from './layout.js';
import { formerCommand, unknownCommand, usageOf } from './mistakes.js';
import { stdoutScreen } from './print.js';

const widest = 110;

// The width is that of the terminal, up to the widest that is easy to read; it is 80 columns where the text is kept.
function columns(): number {
  const screen = stdoutScreen();
  return screen.isTerminal ? Math.min(widest, screen.columns) : 80;
}

/** The help that a command line asks for: of the whole, of a group, of a command. */
export async function helpOf(argv: readonly string[], commands: readonly Command[]): Promise<string | Mistake> {
  const words = wordsIn(argv, commands);
  const [first = ''] = words;
  if (first === '') return firstHelp(commands);
  if (first === 'things') return thingsHelp();
  const parser = yargs()
    .scriptName(typedName())
    .locale('en')
    .updateStrings({ 'Positionals:': 'Arguments:' })
    .wrap(columns())
    .version(false)
    .help()
    .alias('help', 'h');
  for (let length = words.length; length > 0; length--) {
    const name = words.slice(0, length).join(' ');
    const command = commands.find((one) => one.words === name);
    const inside = commands.filter((one) => one.words.startsWith(`${name} `));
    if (command !== undefined) describeCommand(parser, command);
    else if (inside.length > 0) describeGroup(parser, name, inside);
    else continue;
    return parser.getHelp();
  }
  return formerCommand(words) ?? unknownCommand(words, commands);
}

function describeCommand(parser: Argv, command: Command): void {
  const { words, args = [], flags, examples, describe, bare, exits } = command;
  const alone = bare === true ? ` (\`cloudemu ${words.split(' ')[0]}\` alone does it too)` : '';
  parser
    .usage(`${usageOf(command).replace('cloudemu', '$0')}\n\n${asTyped(describe + alone)}`)
    .epilogue(exitCodes(exits));
  for (const { name, describe: meaning, choices = [] } of args)
    parser.option(`<${name}>`, { describe: asTyped(withValues(meaning, choices)), group: 'Arguments:' });
  for (const [name, flag] of Object.entries(flags)) {
    const { type, describe: meaning, short, choices = [], default: preset, byDefault = preset } = flag;
    parser.option(name, {
      ...(type !== 'string' && { type }),
      describe: asTyped(withValues(meaning, choices)),
      ...(short !== undefined && { alias: short }),
      ...(byDefault !== undefined && { defaultDescription: byDefault }),
      group: (target as Command['flags'])[name] === flag ? 'Emulator:' : 'Options:',
    });
  }
  for (const [line, meaning] of examples) parser.example(`$0 ${line}`, asTyped(meaning));
}

function describeGroup(parser: Argv, group: string, inside: readonly Command[]): void {
  const bare = inside.find((one) => one.bare === true);
  const alone = bare === undefined ? '' : `; \`$0 ${group}\` alone is \`$0 ${bare.words}\``;
  parser.usage(`$0 ${group}\n\n${groups[group] ?? ''}${alone}`).epilogue(exitCodes());
  for (const command of inside) parser.command(usageOf(command).replace('cloudemu ', ''), asTyped(command.describe));
  const [example] = (bare ?? inside[0])?.examples ?? [];
  if (example !== undefined) parser.example(`$0 ${example[0]}`, asTyped(example[1]));
}

function exitCodes(own = ''): string {
  return `Exit codes: 0 success, 1 failure, 2 wrong usage or settings${own && `, ${own}`}, 130 interrupted`;
}

/** The help of `cloudemu` alone: all commands, by what one wants to do. */
function firstHelp(commands: readonly Command[]): string {
  const meanings: Record<string, string> = {
    things: 'Containers, keys, wallets and so on: `cloudemu help things` lists them',
    ...groups,
  };
  const row = (word: string): [string, string] => [
    word,
    meanings[word] ?? commands.find(({ words }) => words === word)?.describe ?? '',
  ];
  return [
    `cloudemu ${packageVersion()}: a local emulator of a cloud platform for AI agents.`,
    '',
    'To start:',
    ...named([
      [`${typedName()} start`, 'runs the emulator and prints its URL and a test key'],
      [asTyped('eval "$(cloudemu env)"'), 'in a second terminal: sets both as variables for your client'],
    ]),
    ...Object.entries(sections).flatMap(([title, words]) => ['', title, ...named(words.map(row))]),
    '',
    ...wrapped('`cloudemu <command> --help` shows the options of a command with examples.', columns()),
    ...wrapped(exitCodes(), columns()),
  ].join('\n');
}

function thingsHelp(): string {
  const rows = things.map((word): [string, string] => [word, groups[word] ?? '']);
  return ['Things of the platform, each with commands of its own:', ...named(rows)].join('\n');
}

const longestName = 12;

function named(rows: readonly (readonly [string, string])[]): string[] {
  return namedValues(
    rows.map(([name, meaning]) => [name.padEnd(longestName), meaning] as const),
    { ...stdoutScreen(), columns: columns() },
  );
}

/** The script with which bash or zsh ask for completions. */
export async function completionScript(shell: string): Promise<string> {
  // Yargs looks there for the shell.
  Object.assign(process.env, { SHELL: shell, ZSH_NAME: '' });
  return printedBy(yargs().scriptName('cloudemu').completion('completion'), ['completion']);
}

// What a parser would print for a command line.
async function printedBy(parser: Argv, argv: readonly string[]): Promise<string> {
  let printed = '';
  await parser.exitProcess(false).parseAsync([...argv], {}, (_error: unknown, _values: unknown, text: string) => {
    printed = text;
  });
  return printed;
}

/** What can come next, a line each, as the script of a shell asks for it. */
export async function completionsOf(argv: readonly string[], commands: readonly Command[]): Promise<string> {
  const parser = yargs()
    .scriptName('cloudemu')
    .locale('en')
    .help()
    .version(false)
    .completion(
      'completion',
      false,
      (current: string, _values: unknown, usual: () => void, done: (found: string[]) => void) => {
        // Behind the flag stand the name of the program and the words up to the cursor.
        const values = valuesAt(argv.slice(2, -1), current, commands);
        if (values === undefined) usual();
        else done(values.filter((value) => value.startsWith(current)));
      },
    );
  for (const word of new Set(commands.map(({ words }) => words.split(' ')[0] ?? ''))) addWord(parser, word, commands);
  return printedBy(parser, argv);
}

// A command, or a group with those in it.
function addWord(parser: Argv, words: string, commands: readonly Command[]): void {
  const name = words.split(' ').at(-1) ?? '';
  const command = commands.find((one) => one.words === words);
  if (command !== undefined) {
    parser.command(name, asTyped(command.describe), (builder) => {
      for (const [flag, { type, describe }] of Object.entries(command.flags))
        builder.option(flag, { ...(type === 'boolean' && { type }), describe });
      return builder;
    });
    return;
  }
  const start = `${words} `;
  const verbs = commands.flatMap((one) =>
    one.words.startsWith(start) ? [one.words.slice(start.length).split(' ')[0]] : [],
  );
  parser.command(name, groups[words] ?? '', (group) => {
    for (const verb of new Set(verbs)) addWord(group, start + verb, commands);
    return group;
  });
}

/** The values that can stand at the cursor; undefined: commands and options can. */
function valuesAt(
  before: readonly string[],
  current: string,
  commands: readonly Command[],
): readonly string[] | undefined {
  const command = commands.find(({ words }) => `${before.join(' ')} `.startsWith(`${words} `));
  if (command === undefined || current.startsWith('-')) return undefined;
  const { words, flags, args = [] } = command;
  // The command that is for completion knows names that lie in files.
  const knownValues = (name: string): readonly string[] =>
    commands.find(({ valuesOf }) => valuesOf !== undefined)?.valuesOf?.(name, words) ?? [];
  const rest = before.slice(words.split(' ').length);
  const [, name = ''] = /^--([\w-]+)$/.exec(rest.at(-1) ?? '') ?? [];
  const flag = Object.hasOwn(flags, name) ? flags[name] : undefined;
  if (flag !== undefined && flag.type !== 'boolean') return flag.choices ?? flag.suggestions ?? knownValues(name);
  const arg = args[rest.filter((word) => !word.startsWith('-')).length];
  const values = arg === undefined ? [] : (arg.choices ?? knownValues(arg.name));
  return values.length === 0 ? undefined : values;
}
