// `cloudemu start` with plain flags, without loading the full parser: starting quickly is a feature.

import { parseArgs, type ParseArgsConfig } from 'node:util';
import { flags } from '../config/flags.js';
import type { StartOptions } from './commands/start.js';

/** The options of a plain `start`, or undefined when the full parser has to have a word (help, a typo, another verb). */
export function quickStart(argv: readonly string[]): StartOptions | undefined {
  if (argv[0] !== 'start' || argv.includes('--help') || argv.includes('-h')) return undefined;
  const options: NonNullable<ParseArgsConfig['options']> = { json: { type: 'boolean' }, config: { type: 'string' } };
  for (const [name, { type }] of Object.entries(flags)) options[name] = { type: type === 'boolean' ? 'boolean' : 'string' };
  try {
    const { values } = parseArgs({ args: argv.slice(1), options, strict: true });
    const { json, config, ...rest } = values as Record<string, string | boolean | undefined>;
    const port = rest.port === undefined ? {} : { port: Number(rest.port) };
    if (Number.isNaN(port.port)) return undefined;
    return { json: json === true, config: config as string | undefined, flags: { ...rest, ...port } };
  } catch {
    return undefined;
  }
}
