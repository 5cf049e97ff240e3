// What a verb of the command is, and the flags that most have: which emulator, which world, JSON.

import type { TargetOptions } from './client.js';

export interface Flag {
  type: 'string' | 'number' | 'boolean';
  describe: string;
  /** One letter that means the same: `f` for -f. */
  short?: string;
  default?: string;
  /** What holds without it, where that is more than a value. */
  byDefault?: string;
  /** The only values that there are. */
  choices?: readonly string[];
  /** Some of the values that there are, for completion. */
  suggestions?: readonly string[];
}

/** What stands without a name behind the words of a verb. */
export interface Arg {
  name: string;
  describe: string;
  required: boolean;
  /** The only values that there are. */
  choices?: readonly string[];
}

/** What a parser read, under the flags' and arguments' own names. */
export type Values = Record<string, unknown>;

export interface Command {
  /** One word; more for a verb of a group. */
  words: string;
  /** The name of the group alone means this verb too. */
  bare?: true;
  /** The door of the control plane that it is a client of. */
  door?: string;
  describe: string;
  args?: readonly Arg[];
  /** What stands behind `--` and is not looked at: a command. */
  rest?: string;
  readonly flags: Record<string, Flag>;
  /** A command line each, with what it is good for. */
  examples: readonly (readonly [line: string, meaning: string])[];
  run: (values: Values) => void | Promise<void>;
}

export const json: Record<string, Flag> = { json: { type: 'boolean', describe: 'Answer with one line of JSON' } };

/** Which emulator. */
export const emulator: Record<string, Flag> = {
  url: { type: 'string', describe: 'Where the emulator answers (default: CLOUDEMU_URL, the run file, or port 4747)' },
  'data-dir': { type: 'string', describe: 'Data directory whose run file names the emulator' },
  token: { type: 'string', describe: 'Control token; required if the emulator runs on another machine' },
  ...json,
};

/** Which world of it. */
export const target: Record<string, Flag> = {
  world: { type: 'string', describe: 'World to act on (default: the one that the URL names, or the default one)' },
  ...emulator,
};

export function targetOptions(values: Values): TargetOptions & { json: boolean } {
  return {
    url: text(values, 'url'),
    dataDir: text(values, 'data-dir'),
    token: text(values, 'token'),
    world: text(values, 'world'),
    json: values.json === true,
  };
}

/** The text that a flag or an argument has, if it has one. */
export function text(values: Values, name: string): string | undefined {
  const value = values[name];
  return typeof value === 'string' ? value : undefined;
}
