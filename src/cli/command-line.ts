// A command line as the parser of yargs reads it: a command with its values, or a mistake.

import parse from 'yargs-parser';
import type { Command, Values } from './command.js';
import type { Mistake } from './error-document.js';
import { formerCommand, mistakeIn, unknownCommand } from './mistakes.js';

export type Outcome = { command: Command; values: Values } | { mistake: Mistake };

/** The first word of the line with which a shell asks what can come next. */
export const completionFlag = '--get-yargs-completions';

/** Reads a command line that asks for no help. */
export function parseLine(argv: readonly string[], commands: readonly Command[]): Outcome {
  const words = wordsIn(argv, commands);
  const former = formerCommand(words);
  if (former !== undefined) return { mistake: former };
  const found = commandAt(words, commands);
  if (found === undefined)
    return { mistake: words.length === 0 ? commandBehind(argv, commands) : unknownCommand(words, commands) };
  const { command, count } = found;
  const { _: rest, ...values } = parse([...argv.slice(count)], optionsOf(command));
  for (const [name, value] of Object.entries(values)) {
    if (!Array.isArray(value) || name === '--') continue;
    // The last of repeated options counts, but of those that may be there several times.
    values[name] = command.flags[name]?.isRepeated === true ? value.join(',') : value.at(-1);
  }
  const mistake = notBoolean(command, argv) ?? mistakeIn(command, values, rest.map(String));
  return mistake === undefined ? { command, values } : { mistake };
}

function optionsOf({ flags, rest }: Command): parse.Options {
  const all = Object.entries(flags);
  return {
    boolean: all.flatMap(([name, { type }]) => (type === 'boolean' ? [name] : [])),
    alias: Object.fromEntries(all.flatMap(([name, { short }]) => (short === undefined ? [] : [[name, short]]))),
    configuration: {
      'camel-case-expansion': false,
      'dot-notation': false,
      // Values stay as they were written.
      'parse-numbers': false,
      'parse-positional-numbers': false,
      'strip-aliased': true,
      // Behind `--` stands another command, or an argument that begins with a dash.
      'populate--': rest !== undefined,
    },
  };
}

/** The words of a command line up to its first option, the first one as it is called here. */
export function wordsIn(argv: readonly string[], commands: readonly Command[]): string[] {
  const end = argv.findIndex((word) => word.startsWith('-'));
  const [noun = '', ...rest] = end === -1 ? argv : argv.slice(0, end);
  // `containers` means the group `container`, and `fault` the group `faults`: singular and plural are one noun.
  const others = [noun, `${noun}s`, noun.replace(/s$/, ''), noun.replace(/y$/, 'ies'), noun.replace(/ies$/, 'y')];
  const known = others.find((other) => other.length > 1 && commands.some(({ words }) => words.split(' ')[0] === other));
  return noun === '' ? [] : [known ?? noun, ...rest];
}

/** The command that words begin with; the name of a group alone may run one of those in it. */
function commandAt(
  words: readonly string[],
  commands: readonly Command[],
): { command: Command; count: number } | undefined {
  for (const command of commands) {
    const path = command.words.split(' ');
    if (path.every((word, i) => word === words[i])) return { command, count: path.length };
    if (command.bare === true && words.length === 1 && words[0] === path[0]) return { command, count: 1 };
  }
  return undefined;
}

// An option stands where a command is expected.
function commandBehind(argv: readonly string[], commands: readonly Command[]): Mistake {
  const first = argv.find((word) => commands.some(({ words }) => words.split(' ')[0] === word));
  const suggestion = first && [first, ...argv.filter((word) => word !== first)].join(' ');
  return { kind: 'no-command', suggestion };
}

// The parser takes any value but true for false.
function notBoolean({ flags }: Command, argv: readonly string[]): Mistake | undefined {
  for (const word of argv) {
    if (word === '--') return undefined;
    const [, name = '', value = ''] = /^--(?:no-)?([\w-]+)=(.*)$/s.exec(word) ?? [];
    if (Object.hasOwn(flags, name) && flags[name]?.type === 'boolean' && !/^(true|false)$/.test(value))
      return { kind: 'value', field: `--${name}`, meant: 'true or false', received: value };
  }
  return undefined;
}
