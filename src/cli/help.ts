// Help: of the whole command, of a group, of one command.

import { packageVersion } from '../core/files.js';
import type { Tree } from '../core/tree.js';
import { asTyped, typedName } from '../core/typed-command.js';
import { type Command, type Flag, withValues } from './command.js';
import { groups, sections } from './groups.js';
import { namedValues, wrapped } from './layout.js';
import { type Line, painted } from './print.js';
import { type Screen, stdoutScreen } from './terminal.js';

const widest = 110;

/** The help that a command line asks for, or that of `cloudemu` alone. */
export function helpOf(argv: readonly string[], commands: readonly Command[]): Line[] {
  const words = argv.filter((word) => !word.startsWith('-'));
  const named = (length: number): string => words.slice(0, length).join(' ');
  for (let length = words.length; length > 0; length--) {
    const command = commands.find((one) => one.words === named(length));
    if (command !== undefined) return helpOfCommand(command);
    if (groups[named(length)] !== undefined) return helpOfGroup(named(length), commands);
  }
  return helpOfAll(commands);
}

/** The same for a program. */
export function helpDocument(argv: readonly string[], commands: readonly Command[]): Tree {
  const text = helpOf(argv, commands).map((line) =>
    asTyped(
      [line]
        .flat()
        .map((part) => (typeof part === 'string' ? part : part.text))
        .join(''),
    ),
  );
  return { help: text.join('\n') };
}

function helpOfAll(commands: readonly Command[]): Line[] {
  const first = new Set(commands.map(({ words }) => words.split(' ')[0] ?? ''));
  const known = new Set(Object.values(sections).flat());
  const rest = [...first].filter((word) => !known.has(word));
  const listed = Object.entries(rest.length === 0 ? sections : { ...sections, Further: rest });
  const width = Math.max(...[...first].map((word) => word.length));
  return [
    ...paragraph(`cloudemu ${packageVersion()}: a local emulator of a cloud platform for AI agents.`),
    '',
    'To start:',
    ...named([
      [`${typedName()} start`, 'runs the emulator and prints its URL and a test key'],
      [asTyped('eval "$(cloudemu env)"'), 'in a second terminal: sets both as variables for your client'],
    ]),
    ...listed.flatMap(([title, words]) => [
      '',
      painted('bold', title),
      ...named(words.map((word) => [word.padEnd(width), describe(word, commands)])),
    ]),
    '',
    ...paragraph(
      '`cloudemu <command> --help` shows the options of a command with examples; `cloudemu --version` the version.',
    ),
    ...exitCodes(),
  ];
}

function describe(word: string, commands: readonly Command[]): string {
  return groups[word] ?? commands.find(({ words }) => words === word)?.describe ?? '';
}

function helpOfGroup(group: string, commands: readonly Command[]): Line[] {
  const inside = commands.filter(({ words }) => words.startsWith(`${group} `));
  const bare = inside.find((command) => command.bare === true);
  const [command = bare] = inside;
  const [[line, meaning] = ['', '']] = (bare ?? command)?.examples ?? [];
  return [
    ...paragraph(`cloudemu ${group}: ${groups[group] ?? ''}`),
    '',
    ...named(inside.map((one) => [usageOf(one), one.describe])),
    '',
    ...(bare === undefined ? [] : paragraph(`\`cloudemu ${group}\` alone is \`cloudemu ${bare.words}\`.`)),
    'Example:',
    `  ${typedName()} ${line}`,
    ...paragraph(meaning, '      '),
    '',
    ...paragraph(`\`cloudemu ${command?.words ?? group} --help\` shows the arguments and options of that command.`),
  ];
}

function helpOfCommand(command: Command): Line[] {
  const { words, describe: text, args = [], rest, flags, examples } = command;
  const own = Object.entries(flags).map(([name, flag]): [string, string] => [
    `${flag.short === undefined ? '' : `-${flag.short}, `}--${name}${flag.type === 'boolean' ? '' : ' …'}`,
    meaningOf(flag),
  ]);
  const width = Math.max(...[...own, ['--help']].map(([name = '']) => name.length));
  const flagLines = named(
    [...own, ['--help', 'Show this']].map(([name = '', meaning = '']) => [name.padEnd(width), meaning]),
  );
  return [
    ...paragraph(`cloudemu ${usageOf(command)}${rest === undefined ? '' : ` -- <${rest}>`}`),
    '',
    ...paragraph(command.bare === true ? `${text} (\`cloudemu ${words.split(' ')[0]}\` alone does it too)` : text),
    ...(args.length === 0 ? [] : ['', ...named(args.map(({ name, describe: meaning }) => [name, meaning]))]),
    '',
    'Options:',
    ...flagLines,
    '',
    examples.length === 1 ? 'Example:' : 'Examples:',
    ...examples.flatMap(([line, meaning]) => [`  ${typedName()} ${line}`, ...paragraph(meaning, '      ')]),
    '',
    ...exitCodes(command.exits),
  ];
}

function meaningOf({ describe: text, choices = [], default: preset, byDefault = preset }: Flag): string {
  const meaning = withValues(text, choices);
  return byDefault === undefined ? meaning : `${meaning} (default: ${byDefault})`;
}

function usageOf({ words, args = [] }: Command): string {
  return [
    words,
    ...args.map(({ name, required, isRepeated }) => (required ? `<${name}>` : `[${name}${isRepeated ? '…' : ''}]`)),
  ].join(' ');
}

function exitCodes(own = ''): string[] {
  return paragraph(`Exit codes: 0 success, 1 failure, 2 wrong usage or settings${own && `, ${own}`}, 130 interrupted`);
}

function named(rows: readonly (readonly [string, string])[]): string[] {
  return namedValues(rows, page());
}

function paragraph(text: string, indent = ''): string[] {
  return wrapped(text, page().columns - indent.length).map((line) => indent + line);
}

// The width is that of the terminal, up to the widest that is easy to read; it is 80 columns where the text is kept.
function page(): Screen {
  const screen = stdoutScreen();
  return { ...screen, columns: screen.isTerminal ? Math.min(widest, screen.columns) : 80 };
}
