// The values that a command line gives to the command that it calls, however they are written.

import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { commands } from '../../src/cli/command-table.js';
import { readLine } from '../../src/cli/read-line.js';

const valuesIn = (argv: readonly string[]): unknown => readLine(argv, commands)?.values;

it.each([
  ['start', {}],
  ['start --', {}],
  ['start --port 0 --ephemeral --json', { port: 0, ephemeral: true, json: true }],
  ['start --port=8080 --host ::1', { port: 8080, host: '::1' }],
  [
    'start --ephemeral false --frozen=true --no-strict --quiet true',
    { ephemeral: false, frozen: true, strict: false, quiet: true },
  ],
  ['start --seed 007 --data-dir a.b', { seed: '007', 'data-dir': 'a.b' }],
  ['start --seed true --config a=b', { seed: 'true', config: 'a=b' }],
  ['start --seed=a=b --data-dir=--odd', { seed: 'a=b', 'data-dir': '--odd' }],
  ['start --seed -5 --port -1', { seed: '-5', port: -1 }],
  ['start --seed a --port 5 --ephemeral --seed b --port 1 --no-ephemeral', { seed: 'b', port: 1, ephemeral: false }],
  // A shell that does not know the quotes leaves them.
  [`start --seed="a" --data-dir='b' --config "c"`, { seed: 'a', 'data-dir': 'b', config: '"c"' }],
  ['organization credits acme --add -1e9', { id: 'acme', add: -1e9 }],
  ['clock advance 5m --json', { by: '5m', json: true }],
  ['clock advance --json 5m', { by: '5m', json: true }],
  ['clock advance -- -5s', { by: '-5s' }],
  ['snapshot take -- --', { name: '--' }],
  ['scenario apply -', { scenario: '-' }],
])('the values in "%s"', (line, values) => {
  expect(valuesIn(line.split(' '))).toEqual(values);
});

it('values that a command has without being given any', () => {
  expect(valuesIn(['env'])).toMatchObject({ format: 'sh' });
  expect(valuesIn(['env', '--format', 'fish'])).toMatchObject({ format: 'fish' });
});

it('what follows the -- of a command for another one is passed on as it is', () => {
  const line = ['run', 'rough-day', '--seed', '7', '--', 'npm', 'test', '--', '--seed', '-', '-h', ''];
  expect(valuesIn(line)).toMatchObject({ scenario: 'rough-day', seed: '7', '--': line.slice(5) });
});

const option = fc.oneof(
  fc
    .tuple(fc.constantFrom('seed', 'host', 'data-dir', 'config'), fc.string({ minLength: 1 }), fc.boolean())
    .filter(([, value, isApart]) => (isApart ? !value.startsWith('-') : !/^["']/.test(value)))
    .map(([name, value, isApart]) => ({ name, value, words: isApart ? [`--${name}`, value] : [`--${name}=${value}`] })),
  fc
    .tuple(fc.constantFrom('port'), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean())
    .map(([name, value, isApart]) => ({
      name,
      value,
      words: isApart ? [`--${name}`, String(value)] : [`--${name}=${value}`],
    })),
  fc.tuple(fc.constantFrom('ephemeral', 'json', 'strict'), fc.boolean(), fc.nat(2)).map(([name, value, way]) => ({
    name,
    value,
    words: [[value ? `--${name}` : `--no-${name}`], [`--${name}`, String(value)], [`--${name}=${value}`]][way] ?? [],
  })),
);

it('values are the same however they are written, in any order and mixture', () => {
  fc.assert(
    fc.property(fc.array(option, { maxLength: 8 }), (options) => {
      const values = Object.fromEntries(options.map(({ name, value }) => [name, value]));
      expect(valuesIn(['start', ...options.flatMap(({ words }) => words)])).toEqual(values);
    }),
  );
});
