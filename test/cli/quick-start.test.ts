// The short way to `start` reads a command line exactly as the full parser does, or leaves it to that.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { commands } from '../../src/cli/command-table.js';
import { createParser } from '../../src/cli/commands.js';
import { quickStart } from '../../src/cli/quick-start.js';
import { type StartOptions, startOptions } from '../../src/cli/start-options.js';
import { usageErrorIn } from '../../src/cli/usage-errors.js';
import { flags } from '../../src/config/flags.js';

async function fullStart(argv: string[]): Promise<StartOptions | undefined> {
  let options: StartOptions | undefined;
  await createParser(argv, (command, values) => {
    if (command.words === 'start') options = startOptions(values);
  }).parseAsync();
  return options;
}

const plain = [
  'start',
  'start --port 0',
  'start --port=8080',
  'start --port 0 --ephemeral --json',
  'start --json --quiet --strict --frozen',
  'start --host 0.0.0.0 --public-url https://x.test --control-token 12345678',
  'start --data-dir ./a/b --config my.json --profile elizacloud-v1',
  'start --seed 42',
  'start --seed 007',
  'start --seed 1e3',
  'start --seed 12345678901234567890',
  'start --seed=a=b',
  'start --seed true',
  'start --clock 2026-01-01T00:00:00Z --timing realistic',
  'start --seed a --seed b',
  'start --port 1 --port 2 --json --json',
  'start --port 5 --port 1',
  'start --ephemeral --ephemeral',
  'start --data-dir=a,b',
  'start --data-dir a.b --host x.y',
  'start --',
];

it.each(plain)('the quick start reads "%s" as the full parser does', async (line) => {
  const argv = line.split(' ');
  expect(quickStart(argv)).toBeDefined();
  expect(quickStart(argv)).toEqual(await fullStart(argv));
});

it('the quick start reads spaces, quotes and other letters as the full parser does', async () => {
  for (const value of ['a b', "it's", 'ü€😀', ' 1 ', 'a\nb', '[1]', '{}']) {
    const argv = ['start', '--seed', value, `--data-dir=${value}`];
    expect(quickStart(argv)).toEqual(await fullStart(argv));
    expect(quickStart(argv)?.flags).toEqual({ seed: value, 'data-dir': value });
  }
});

it('the quick start reads any mixture of flags as the full parser does, or leaves it to the full parser', async () => {
  const names = Object.keys(flags);
  // Not 1: where a number stands twice, yargs takes a second 1 for "one more".
  const piece = fc.oneof(
    fc.constantFrom(
      '--json',
      '--ephemeral',
      '--frozen',
      '--strict',
      '--quiet',
      '--no-quiet',
      '--ephemeral=false',
      '--',
    ),
    fc
      .tuple(fc.constantFrom(...names, 'config'), fc.constantFrom('7', '0', 'x', '-1', 'true', 'a=b', '1.5', ''))
      .map(([name, value]) => `--${name}=${value}`),
    fc.constantFrom(...names, 'config').map((name) => `--${name}`),
    fc.constantFrom('7', 'x', 'true', '-h', '-1', '-x'),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 6 }), async (pieces) => {
      const argv = ['start', ...pieces];
      const quick = quickStart(argv);
      if (quick === undefined) return;
      expect(usageErrorIn(argv, commands)).toBeUndefined();
      expect(quick).toEqual(await fullStart(argv));
    }),
    { numRuns: 300 },
  );
});

describe('leaves to the full parser', () => {
  it.each([
    'status',
    'start -h',
    'start --help',
    'start --version',
    'start --prot 0',
    'start extra',
    'start -- extra',
    'start --port',
    'start --port --json',
    'start --port abc',
    'start --port=',
    'start --port -1',
    'start --data-dir=',
    'start --no-ephemeral',
    'start --ephemeral=true',
    'start --ephemeral false',
    'start -p 0',
    'start --seed="a"',
  ])('"%s"', (line) => {
    expect(quickStart(line.split(' '))).toBeUndefined();
  });
});
