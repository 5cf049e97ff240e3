// The declaration of a command, and the flags that most commands share: emulator, world, JSON.

import type { Flag } from '../control/command.js';
import { parseDuration } from '../core/duration.js';
import { fail } from './print.js';

export type { Flag } from '../control/command.js';

/** A positional argument. */
export interface Arg {
  name: string;
  describe: string;
  required: boolean;
  /** The meaning of a value, in words; a value that begins with "-" is then none. */
  meant?: string | undefined;
  /** It is a duration: a number without a unit is refused. */
  isDuration?: true | undefined;
  /** The smallest that a number may be. */
  least?: number | undefined;
  /** The only values that there are. */
  choices?: readonly string[];
  /** Whether all further words belong to it, too, with spaces between: for the only argument beside flags without values. */
  isRepeated?: true;
}

/** The values that a parser read, under the flags' and arguments' own names. */
export type Values = Record<string, unknown>;

type ValueOf<Of> = Of extends { type: 'boolean' }
  ? boolean | undefined
  : Of extends { type: 'number' }
    ? number | undefined
    : Of extends { default: string }
      ? string
      : string | undefined;

/** The values of flags, as these are declared. */
export type ValuesOf<Flags> = { readonly [Name in keyof Flags]: ValueOf<Flags[Name]> };

export interface Command {
  /** The words that call it: one, or more for a command in a group. */
  words: string;
  /** Whether the name of the group alone runs this command. */
  bare?: true;
  /** The id of the control operation that it calls. */
  operation?: string;
  describe: string;
  args?: readonly Arg[];
  /** The flag that a value without a name is meant for: usage errors suggest it. */
  valueIs?: string;
  /** The name of what follows `--` and is passed on unchanged: a command. */
  rest?: string;
  /** Nothing need follow it. */
  restIsOptional?: true;
  readonly flags: Record<string, Flag>;
  /** What an exit code means that no other command has. */
  exits?: string;
  /** A command line each, with what it is good for. */
  examples: readonly (readonly [line: string, meaning: string])[];
  run: (values: Values) => void | Promise<void>;
  /** The values that an option or an argument of any command may have, if they are known without delay. */
  valuesOf?: (name: string, words: string) => readonly string[];
}

/** What stands behind `--`. */
export type Rest = { readonly '--': readonly string[] };

/** A command whose values have the types that its flags and arguments say. */
export function command<const Flags extends Record<string, Flag>, const Name extends string = never>(
  declared: Omit<Command, 'args' | 'flags' | 'run'> & {
    args?: readonly (Arg & { name: Name })[];
    flags: Flags;
    run: (values: ValuesOf<Flags> & { readonly [Arg in Name]?: string } & Rest) => void | Promise<void>;
  },
): Command {
  return declared as unknown as Command;
}

const mostValues = 10;

/**
 * Adds to the description of an option the values that it can have, unless the description names them all.
 *
 * @example withValues('Plan; by default free', ['free', 'pro']) // 'Plan; by default free; one of free, pro'
 */
export function withValues(description: string, values: readonly string[]): string {
  const isNamed = (value: string): boolean => description.split(/[^\w-]+/).includes(value);
  if (values.every(isNamed)) return description;
  const shown = [...values.slice(0, mostValues), ...(values.length > mostValues ? ['…'] : [])];
  return `${description}; one of ${shown.join(', ')}`;
}

type Flags = Record<string, Flag>;

export const json = { json: { type: 'boolean', describe: 'Print one line of JSON' } } as const satisfies Flags;

/** The flag that selects the settings. */
export const settingsFile = {
  config: { type: 'string', describe: 'Settings file, if it exists', byDefault: 'emulator.config.json' },
} as const satisfies Flags;

/** Since when. */
export const since = {
  since: {
    type: 'string',
    describe: 'Only from this request id, ISO 8601 time or duration of virtual time (such as "10m") on',
  },
} as const satisfies Flags;

/** The flags that select an emulator. */
export const emulator = {
  url: {
    type: 'string',
    describe: 'URL of the emulator (default: CLOUDEMU_URL, the run file, the shared one, or port 4747)',
  },
  'data-dir': { type: 'string', describe: 'Data directory of the emulator' },
  token: { type: 'string', describe: 'Control token; required if the emulator runs on another machine' },
  ...json,
} as const satisfies Flags;

/** The flag that selects the emulator of all directories. */
export const sharedFlag = {
  shared: {
    type: 'boolean',
    describe: 'Use the shared emulator, even where this directory has its own',
    byDefault: 'off',
  },
} as const satisfies Flags;

/** The flags that select a world of it. */
export const target = {
  world: {
    type: 'string',
    describe: 'World to use (default: the one in the URL, that of this directory, or the default world)',
  },
  ...emulator,
} as const satisfies Flags;

/** The text that a flag or an argument has, if it has one. */
export function text(values: Values, name: string): string | undefined {
  const value = values[name];
  return typeof value === 'string' ? value : undefined;
}

/** The words behind `--`. */
export function restOf(values: Values): string[] {
  return Array.isArray(values['--']) ? values['--'].map(String) : [];
}

/** A number that a flag has; what is none ends the command. */
export function numberOf(flag: string, given: string | undefined, what: string, most = 1_000_000): number | undefined {
  if (given === undefined) return undefined;
  const number = Number(given);
  if (!Number.isInteger(number) || number < 1 || number > most)
    fail(2, `${flag} must be a number of ${what} from 1 to ${most.toLocaleString('en')}, got "${given}"`);
  return number;
}

/** Milliseconds; what is no duration ends the command. */
export function durationOf(flag: string, duration: string, such = '"5m" or "90s"'): number {
  const ms = parseDuration(duration);
  if (ms === undefined) fail(2, `${flag} must be a duration such as ${such}, got "${duration}"`);
  return ms;
}
