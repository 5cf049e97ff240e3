// Completions at the cursor of a command line, derived from the table of commands.

import type { Command, Flag } from './command.js';
import { groups } from './groups.js';

export interface Candidate {
  word: string;
  meaning?: string;
}

/** The values that a flag or an argument of a command may have, if they are known without delay. */
export type ValuesOf = (name: string, words: string) => readonly string[];

/**
 * The completions of the last word; none where only the user or the file system knows them.
 *
 * @param words those behind `cloudemu`, up to the cursor
 */
export function completionsOf(words: readonly string[], commands: readonly Command[], valuesOf: ValuesOf): Candidate[] {
  const { before, current } = split(words);
  return candidates(before, current, commands, valuesOf).filter(({ word }) => word.startsWith(current));
}

// bash cuts a word at "=".
function split(words: readonly string[]): { before: string[]; current: string } {
  const last = words.at(-1) ?? '';
  const whole = words.slice(0, -1).filter((word) => word !== '=');
  return { before: whole, current: last === '=' ? '' : last };
}

function candidates(
  before: readonly string[],
  current: string,
  commands: readonly Command[],
  valuesOf: ValuesOf,
): Candidate[] {
  if (before[0] === 'help') return candidates(before.slice(1), current, commands, valuesOf);
  const command = commands.find(({ words }) => words === before.slice(0, words.split(' ').length).join(' '));
  if (command !== undefined)
    return insideCommand(command, before.slice(command.words.split(' ').length), current, valuesOf);
  const bare = commands.find(({ words, bare: isBare }) => isBare === true && words.split(' ')[0] === before[0]);
  const next = nextWords(before, commands);
  if (bare !== undefined && (current.startsWith('-') || (before.length > 1 && next.length === 0)))
    return insideCommand(bare, before.slice(1), current, valuesOf);
  return current.startsWith('-') ? [] : next;
}

/** The words that continue the name of a command. */
function nextWords(before: readonly string[], commands: readonly Command[]): Candidate[] {
  const start = before.map((word) => `${word} `).join('');
  const found = new Map<string, string>();
  for (const { words, describe } of commands) {
    if (!words.startsWith(start)) continue;
    const [word = '', ...more] = words.slice(start.length).split(' ');
    found.set(word, more.length === 0 ? describe : (groups[start + word] ?? ''));
  }
  return [...found].map(([word, meaning]) => ({ word, meaning }));
}

function insideCommand(command: Command, before: readonly string[], current: string, valuesOf: ValuesOf): Candidate[] {
  if (before.includes('--')) return [];
  const { flags, args = [] } = command;
  const [, inline] = /^--([\w-]+)=/.exec(current) ?? [];
  if (inline !== undefined) return valuesIn(command, inline, valuesOf, `--${inline}=`);
  const open = takesValue(flags, before.at(-1));
  if (open !== undefined) return valuesIn(command, open, valuesOf);
  const arg = args[positionals(flags, before)];
  const values = arg === undefined ? [] : (arg.choices ?? valuesOf(arg.name, command.words));
  const isAtFlag = current.startsWith('-') || (values.length === 0 && arg === undefined && command.rest === undefined);
  return isAtFlag ? flagsLeft(flags, before) : values.map((word) => ({ word }));
}

function valuesIn({ words, flags }: Command, name: string, valuesOf: ValuesOf, start = ''): Candidate[] {
  const flag = Object.hasOwn(flags, name) ? flags[name] : undefined;
  if (flag === undefined || flag.type === 'boolean') return [];
  const values = flag.choices ?? flag.suggestions ?? valuesOf(name, words);
  return values.map((value) => ({ word: start + value }));
}

// The name of the flag whose value comes next.
function takesValue(flags: Record<string, Flag>, word: string | undefined): string | undefined {
  const [, name = ''] = /^--([\w-]+)$/.exec(word ?? '') ?? [];
  const flag = Object.hasOwn(flags, name) ? flags[name] : undefined;
  return flag === undefined || flag.type === 'boolean' ? undefined : name;
}

function positionals(flags: Record<string, Flag>, before: readonly string[]): number {
  return before.filter((word, i) => !word.startsWith('-') && takesValue(flags, before[i - 1]) === undefined).length;
}

function flagsLeft(flags: Record<string, Flag>, before: readonly string[]): Candidate[] {
  return Object.entries({ ...flags, help: { describe: 'Show help' } })
    .map(([name, { describe }]) => ({ word: `--${name}`, meaning: describe }))
    .filter(({ word }) => !before.some((given) => given === word || given.startsWith(`${word}=`)));
}
