// Whatever stands on the command line: a message and a code from 0 to 2, never a fault of the command or the emulator.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { controlOperations } from '../../src/app/controls.js';
import { target } from '../../src/cli/command.js';
import { createEmulator, type Emulator } from '../../src/index.js';
import { runHere } from '../support/command-here.js';
import { commands } from '../support/commands.js';

const values = [
  'null',
  '{',
  '{"a": {"b": []}}',
  '9e99',
  '-1',
  '1e400',
  '\u0000',
  'a'.repeat(5_000),
  '__proto__',
  '../../x',
  '💥',
  '%',
  ' ',
];

let emulator: Emulator;
beforeAll(async () => {
  emulator = await createEmulator({ seed: 'hostile', frozen: true });
});
afterAll(() => emulator.close());

// A stream goes on until its reader ends it.
const streams = new Set(controlOperations.filter(({ shape }) => shape.streams).map(({ id }) => id));
const operations = commands.filter(
  ({ operation, words }) => operation !== undefined && !streams.has(operation) && !words.includes('export'),
);

it.each(operations.map((command) => [command.words, command] as const))(
  'the command "%s" survives hostile arguments',
  async (words, { args = [], flags }) => {
    const own = Object.entries(flags).filter(([name]) => !Object.hasOwn(target, name));
    const patience = words.startsWith('await') ? ['--timeout', '1ms'] : [];
    const arrays = values.map((value) => args.map(() => value));
    // A few of them for each flag, others for the next one.
    const flagged = own.flatMap(([name, { type }], i) =>
      [0, 1, 2].map((k) => {
        const value = values[(i * 3 + k) % values.length];
        return [...args.map(() => 'x'), type === 'boolean' ? `--${name}` : `--${name}=${value}`];
      }),
    );
    const lines = [...(args.length > 0 ? arrays : [[]]), ...flagged];
    for (const line of lines) {
      const { code, stderr } = await runHere([...words.split(' '), ...line, ...patience, '--url', emulator.url]);
      expect([0, 1, 2], `${line}: ${stderr}`).toContain(code);
      expect(stderr, String(line)).not.toMatch(
        /Fault of cloudemu|is not cloudemu|No emulator|Internal error|undefined|\[object/,
      );
      if (code !== 0) expect(stderr, String(line)).toMatch(/\S/);
    }
  },
);
