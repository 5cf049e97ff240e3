// A command line, read once: the command that it calls and its values, or the usage error in it.

import { parseArgs } from 'node:util';
import type { Arg, Flag, Values } from './command.js';
import { numeral } from './start-options.js';
import {
  extraArgument,
  flagBeforeCommand,
  missingValue,
  otherChoice,
  otherFlag,
  type Shape,
  UsageError,
  unknownCommand,
  unknownWord,
  usageOf,
} from './usage-errors.js';

/** The command line with the command that a group's name alone means, and flags of one letter by their names. */
export function spelledOut(given: readonly string[], commands: readonly Shape[]): readonly string[] {
  const argv = withKnownNumber(given, commands);
  const [group, next] = argv;
  if (asksForHelp(argv)) return argv;
  const bare = commands.find((command) => command.bare === true && command.words.split(' ')[0] === group);
  const whole =
    bare === undefined || next?.startsWith('-') === false ? argv : [...bare.words.split(' '), ...argv.slice(1)];
  const shorts = Object.entries(commandOf(whole, commands)?.flags ?? {});
  return whole.map((word) => {
    const meant = shorts.find(([, { short }]) => short !== undefined && word === `-${short}`);
    return meant === undefined ? word : `--${meant[0]}`;
  });
}

// `containers` means the group `container`, and `fault` the group `faults`: singular and plural are one noun.
function withKnownNumber(argv: readonly string[], commands: readonly Shape[]): readonly string[] {
  const [noun = '', ...rest] = argv;
  const known = new Set(commands.map(({ words }) => words.split(' ')[0]));
  if (known.has(noun) || !/^[a-z]{2,}$/.test(noun)) return argv;
  const others = [`${noun}s`, noun.replace(/s$/, ''), noun.replace(/y$/, 'ies'), noun.replace(/ies$/, 'y')];
  const meant = others.find((other) => other !== noun && known.has(other));
  return meant === undefined ? argv : [meant, ...rest];
}

/** The command that a command line begins with. */
export function commandOf<Known extends Shape>(argv: readonly string[], commands: readonly Known[]): Known | undefined {
  return commands.find(({ words }) => words === argv.slice(0, words.split(' ').length).join(' '));
}

/** Whether help is wanted, and nothing else. */
export function asksForHelp(argv: readonly string[]): boolean {
  // Words after `--` may be a command with flags of its own.
  const own = argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv;
  return own.some((word) => word === '--help' || word === '-h');
}

/**
 * The command that a command line calls, with its values; undefined: it asks for help that there is, or for the version.
 *
 * @throws UsageError
 */
export function readLine<Known extends Shape>(
  argv: readonly string[],
  commands: readonly Known[],
): { command: Known; values: Values } | undefined {
  const [first] = argv;
  if (first === undefined || first === '--version') return undefined;
  if (asksForHelp(argv)) {
    // Help exists for commands, for groups, and for the whole program; any other word is unknown.
    if (first.startsWith('-') || commands.some(({ words }) => words.split(' ')[0] === first)) return undefined;
    throw new UsageError(unknownCommand([first], commands));
  }
  if (/^(-v|-V|version)$/.test(first)) throw new UsageError(`There is no command "${first}"; did you mean --version?`);
  if (first.startsWith('-')) throw new UsageError(flagBeforeCommand(argv, commands));
  const command = commandOf(argv, commands);
  if (command === undefined) throw new UsageError(unknownCommand(argv, commands));
  return { command, values: readWords(command, argv.slice(command.words.split(' ').length)) };
}

/**
 * The values in the words behind a command's name. Each of repeated flags is checked, and the last one counts.
 *
 * @throws UsageError
 */
export function readWords(command: Shape, given: readonly string[]): Values {
  const { words, args = [], flags, rest } = command;
  const end = rest !== undefined && given.includes('--') ? given.indexOf('--') : given.length;
  const own = given.slice(0, end);
  const values: Values = {};
  const options: Record<string, { type: 'boolean' | 'string' }> = {};
  for (const [name, { type, default: preset }] of Object.entries(flags)) {
    options[name] = { type: type === 'boolean' ? type : 'string' };
    if (preset !== undefined) values[name] = preset;
  }
  // Not strict: its own errors do not say what is meant.
  const { tokens } = parseArgs({ args: own, options, strict: false, tokens: true });
  let taken = 0;
  for (let token = tokens.shift(); token !== undefined; token = tokens.shift()) {
    if (token.kind === 'option-terminator') continue;
    const arg = args[taken];
    if (token.kind === 'positional') {
      if (arg === undefined) throw new UsageError(extraArgument(command, token.value));
      values[arg.name] = readArgument(words, arg, token.value);
      taken++;
      continue;
    }
    const [, no, name = ''] = /^--(no-)?(.*)$/s.exec(token.rawName) ?? [];
    const flag = Object.hasOwn(flags, name) ? flags[name] : undefined;
    if (flag === undefined || (no !== undefined && flag.type !== 'boolean'))
      throw new UsageError(unknownWord(command, own, token.index, arg));
    if (flag.type === 'boolean') {
      const [next] = tokens;
      const isApart = no === undefined && token.value === undefined && next?.kind === 'positional';
      const apart = isApart && isBoolean(next.value) ? next.value : undefined;
      if (apart !== undefined) tokens.shift();
      values[name] = readBoolean(name, no !== undefined, apart ?? token.value);
    } else values[name] = readValue(command, name, flag, token);
  }
  const missing = args.slice(taken).find(({ required }) => required);
  if (missing !== undefined) throw new UsageError(`${words} needs ${missing.name}: \`${usageOf(command)}\``);
  if (rest === undefined) return values;
  const passed = given.slice(end + 1);
  if (passed.length === 0) throw new UsageError(`${words} needs a ${rest} after --: \`${usageOf(command)}\``);
  return { ...values, '--': passed };
}

function readArgument(words: string, { name, choices }: Arg, value: string): string {
  if (value === '') throw new UsageError(`${words} needs ${name}, got an empty one`);
  return oneOf(choices, name, value);
}

function readBoolean(name: string, isNegated: boolean, said: string | undefined): boolean {
  if (said === undefined) return !isNegated;
  if (isNegated) throw new UsageError(`--no-${name} takes no value, got "${said}"`);
  if (!isBoolean(said)) throw new UsageError(`--${name} must be true or false, got "${said}"`);
  return said === 'true';
}

function readValue(
  { words, flags }: Shape,
  name: string,
  { type, meant, most, choices }: Flag,
  { value, inlineValue }: { value: string | undefined; inlineValue: boolean | undefined },
): string | number {
  if (value === undefined || value === '' || (inlineValue !== true && value.startsWith('-') && !numeral.test(value)))
    throw new UsageError(missingValue(name, value, flags));
  const other = otherFlag(words, name, value);
  if (other !== undefined) throw new UsageError(other);
  if (type === 'number') {
    if (!numeral.test(value)) throw new UsageError(`--${name} must be ${meant ?? 'a number'}, got "${value}"`);
    // JSON has no number for it.
    if (!Number.isFinite(Number(value)))
      throw new UsageError(`--${name} must be a number of at most ${most ?? Number.MAX_VALUE}, got "${value}"`);
  }
  oneOf(choices, `--${name}`, value);
  if (type === 'number') return Number(value);
  // Some shells leave the quotes of --seed='a' to the command.
  return inlineValue === true ? value.replace(/^(["'])(.*)\1$/s, '$2') : value;
}

function oneOf(choices: readonly string[] | undefined, name: string, value: string): string {
  if (choices?.includes(value) === false) throw new UsageError(otherChoice(name, choices, value));
  return value;
}

function isBoolean(word: string): boolean {
  return word === 'true' || word === 'false';
}
