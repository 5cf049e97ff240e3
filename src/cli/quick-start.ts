// `cloudemu start` with plain flags, without yargs and the table of commands: they cost 64 ms of CPU on top of the 108 ms
// of a start (main thread, Node 20, 2026-11-22).

import { type ParseArgsConfig, parseArgs } from 'node:util';
import { flags } from '../config/flags.js';
import { numeral, type StartOptions, startOptions } from './start-options.js';

/** The options of a plain `start`, or undefined when the full parser has to have a word (help, a mistake, another command). */
export function quickStart(argv: readonly string[]): StartOptions | undefined {
  // The full parser takes the quotes off `--seed="a"`, where a shell has left them.
  if (argv[0] !== 'start' || argv.some((word) => /=["']/.test(word))) return undefined;
  const options: NonNullable<ParseArgsConfig['options']> = {
    json: { type: 'boolean' },
    shared: { type: 'boolean' },
    config: { type: 'string' },
  };
  for (const [name, { type }] of Object.entries(flags))
    options[name] = { type: type === 'boolean' ? 'boolean' : 'string' };
  try {
    // Strict: unknown flags, arguments, missing values and `--no-…` throw.
    const { values, tokens } = parseArgs({ args: argv.slice(1), options, strict: true, tokens: true });
    // Each one, not only the last of a repeated flag, which is what counts.
    const isPlain = tokens.every(
      (token) =>
        token.kind !== 'option' || (token.value !== '' && (token.name !== 'port' || numeral.test(token.value ?? ''))),
    );
    return isPlain ? startOptions(values) : undefined;
  } catch {
    return undefined;
  }
}
