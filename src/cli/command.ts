// The declaration of a command, and the flags that most commands share: emulator, world, JSON.

import type { Flag } from '../control/command.js';
import type { TargetOptions } from './target.js';

export type { Flag } from '../control/command.js';

/** A positional argument. */
export interface Arg {
  name: string;
  describe: string;
  required: boolean;
  /** The meaning of a value, in words; a value that begins with "-" is then none. */
  meant?: string;
  /** It is a duration: a number without a unit is refused. */
  isDuration?: true;
  /** The smallest that a number may be. */
  least?: number;
  /** The only values that there are. */
  choices?: readonly string[];
  /** Whether all further words belong to it, too, with spaces between: for the only argument beside flags without values. */
  isRepeated?: true;
}

/** The values that a parser read, under the flags' and arguments' own names. */
export type Values = Record<string, unknown>;

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

export const json: Record<string, Flag> = { json: { type: 'boolean', describe: 'Print one line of JSON' } };

/** The flag that selects the settings. */
export const settingsFile: Record<string, Flag> = {
  config: { type: 'string', describe: 'Settings file, if it exists', byDefault: 'emulator.config.json' },
};

/** Since when. */
export const since: Record<string, Flag> = {
  since: {
    type: 'string',
    describe: 'Only from this request id, ISO 8601 time or duration of virtual time (such as "10m") on',
  },
};

/** The flags that select an emulator. */
export const emulator: Record<string, Flag> = {
  url: {
    type: 'string',
    describe: 'URL of the emulator (default: CLOUDEMU_URL, the run file, the shared one, or port 4747)',
  },
  'data-dir': { type: 'string', describe: 'Data directory of the emulator' },
  token: { type: 'string', describe: 'Control token; required if the emulator runs on another machine' },
  ...json,
};

/** The flag that selects the emulator of all directories. */
export const sharedFlag: Record<string, Flag> = {
  shared: {
    type: 'boolean',
    describe: 'Use the shared emulator, even where this directory has its own',
    byDefault: 'off',
  },
};

/** The flags that select a world of it. */
export const target: Record<string, Flag> = {
  world: {
    type: 'string',
    describe: 'World to use (default: the one in the URL, that of this directory, or the default world)',
  },
  ...emulator,
};

export function targetOptions(values: Values): TargetOptions & { json: boolean } {
  return {
    url: text(values, 'url'),
    dataDir: text(values, 'data-dir'),
    token: text(values, 'token'),
    world: text(values, 'world'),
    ...(values.shared === true && { shared: true }),
    json: values.json === true,
  };
}

/** The text that a flag or an argument has, if it has one. */
export function text(values: Values, name: string): string | undefined {
  const value = values[name];
  return typeof value === 'string' ? value : undefined;
}

/** The words behind `--`. */
export function restOf(values: Values): string[] {
  return Array.isArray(values['--']) ? values['--'].map(String) : [];
}
