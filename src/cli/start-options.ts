// The options of `start` and `config check`, from what a parser of the command line read.

import { type FlagName, flags } from '../config/flags.js';

export interface StartOptions {
  json: boolean;
  /** Whether it is the emulator of all directories. */
  shared?: boolean;
  config: string | undefined;
  flags: Partial<Record<FlagName, unknown>>;
}

/** A number on the command line. */
export const numeral = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i;

/** The options in parsed values: text or true/false, under the flags' own names. */
export function startOptions(values: Record<string, unknown>): StartOptions {
  const picked: StartOptions['flags'] = {};
  for (const name of Object.keys(flags) as FlagName[]) {
    const value = values[name];
    if (value === undefined) continue;
    picked[name] = flags[name].type === 'number' ? Number(value) : value;
  }
  return {
    json: values.json === true,
    ...(values.shared === true && { shared: true }),
    config: typeof values.config === 'string' ? values.config : undefined,
    flags: picked,
  };
}
