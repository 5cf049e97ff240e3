// The settings that have a flag of their own (and, in process, an option of the same name in camelCase).

import { parsedJson } from '../core/json.js';

/** One table for the command line, the environment (`CLOUDEMU_PORT`) and `createEmulator({ port })`. */
export const flags = {
  port: { path: 'server.port', type: 'number', describe: 'Port to listen on; 0 picks a free port', byDefault: '4747' },
  host: {
    path: 'server.host',
    type: 'string',
    describe: 'Address to listen on; localhost means 127.0.0.1 and ::1',
    byDefault: 'localhost',
  },
  'public-url': {
    path: 'server.publicUrl',
    type: 'string',
    describe: 'Origin used in the URLs that responses contain',
    byDefault: 'the client’s Host header',
  },
  'control-token': {
    path: 'server.controlToken',
    type: 'string',
    describe: 'Token that /_emulator requires from other machines',
    byDefault: 'none',
  },
  'data-dir': {
    path: 'data.dir',
    type: 'string',
    describe: 'Data directory, which keeps the data between runs',
    byDefault: '.cloudemu',
  },
  ephemeral: { path: 'data.ephemeral', type: 'boolean', describe: 'Keep all data in memory', byDefault: 'off' },
  receipt: {
    path: 'data.receipt',
    type: 'string',
    describe: 'File for a receipt of what clients have exercised, written at the end',
    byDefault: 'none',
  },
  profile: {
    path: 'profile',
    type: 'string',
    describe:
      'Server that is emulated: spec, the documented API (keys ek_…); elizacloud, the public server as it is today (keys eliza_…); or elizacloud-v1, that server as SDK 2.0.0-beta.1, CLI 1.7 and plug-in 1.7 know it',
    byDefault: 'spec',
    suggestions: ['spec', 'elizacloud', 'elizacloud-v1'],
  },
  seed: {
    path: 'seed',
    type: 'string',
    describe: 'Seed of all ids and keys: the same seed gives the same responses',
    byDefault: 'random per data directory',
  },
  scenario: {
    path: 'scenario',
    type: 'string',
    describe: 'Scenario that new worlds start with: a name or a file',
    byDefault: 'none',
  },
  clock: {
    path: 'clock.start',
    type: 'string',
    describe: 'Start of virtual time: an ISO 8601 time with a zone',
    byDefault: 'now',
  },
  frozen: { path: 'clock.frozen', type: 'boolean', describe: 'Start with the clock frozen', byDefault: 'off' },
  timing: {
    path: 'containers.timing',
    type: 'string',
    describe:
      'Duration of deployments, deletions, hosted agents and voices: instant, fast, realistic, or {"pending": "1s", ...}',
    byDefault: 'fast',
    suggestions: ['instant', 'fast', 'realistic'],
  },
  strict: {
    path: 'strict',
    type: 'boolean',
    describe: 'Reject unknown inputs, guessed operations and responses that break their schema',
    byDefault: 'off',
  },
  quiet: { path: 'log', type: 'boolean', describe: 'No request log, no banner', byDefault: 'off' },
} as const satisfies Record<
  string,
  {
    path: string;
    type: 'string' | 'number' | 'boolean';
    describe: string;
    byDefault: string;
    suggestions?: readonly string[];
  }
>;

export type FlagName = keyof typeof flags;

/** The settings that a flag sets. */
export function settingsOf(name: FlagName, value: unknown): [path: string, value: unknown][] {
  if (name === 'strict') return ['inputs', 'guesses', 'responses'].map((part) => [`strict.${part}`, value]);
  if (name === 'quiet') {
    // The schema rejects what is not a boolean.
    const shown = typeof value === 'boolean' ? !value : value;
    return ['requests', 'banner'].map((part) => [`log.${part}`, shown]);
  }
  return [[flags[name].path, name === 'timing' ? durations(value) : value]];
}

// A duration per stage is JSON on a command line; the schema rejects anything else.
function durations(value: unknown): unknown {
  if (typeof value !== 'string' || !value.trim().startsWith('{')) return value;
  return parsedJson(value) ?? value;
}
