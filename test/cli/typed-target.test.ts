// Commands that are printed mean the emulator and the world that the command line means which prints them.

import { join } from 'node:path';
import { expect, it } from 'vitest';
import { targetFor } from '../../src/core/typed-command.js';
import { startCommand } from '../support/command.js';
import { runHere } from '../support/command-here.js';
import { commands } from '../support/commands.js';
import { expectAll } from '../support/matrix.js';

const argv = ['history', '--world', 'blue', '--data-dir=kept', '--url', 'http://h', '--', 'x', '--url', 'http://other'];

it('each command gets the flags that it has', () =>
  expectAll(
    commands.map((command) => [command.words, command]),
    ({ words, flags }) => {
      const has = (name: string): boolean => Object.hasOwn(flags, name) && !/^(run|explore)$/.test(words);
      expect(targetFor(words, argv)).toEqual([
        ...(has('world') && words !== 'world list' ? ['--world=blue'] : []),
        ...(has('data-dir') ? ['--data-dir=kept'] : []),
        ...(has('url') ? ['--url=http://h'] : []),
      ]);
    },
  ));

it.each([
  ['status --shared', ['--world=blue']],
  ['history --data-dir other', ['--world=blue']],
  ['requests --world red', ['--data-dir=kept', '--url=http://h']],
  ['faults add --help', []],
  ['<command> --help', []],
])('%s keeps what it names itself', (line, words) => {
  expect(targetFor(line, argv)).toEqual(words);
});

it('the commands that a command with --data-dir prints run as they are, and those of an error mean the same emulator', async () => {
  const { dir, url, apiKey, dataDir } = await startCommand(['--data-dir', 'my data']);
  expect(dataDir).toBe(join(dir, 'my data'));
  await fetch(`${url}/api/v1/containers`, { headers: { authorization: `Bearer ${apiKey}` } });
  const { stdout } = await runHere(['history', '--data-dir', 'my data'], { cwd: dir });
  const printed = [...stdout.matchAll(/`[^`]*? ((?:history|world) [^`]+)`/g)].map(([, line = '']) => line);
  expect(printed).toHaveLength(2);
  for (const line of printed) {
    const words = line.match(/'[^']*'|\S+/g)?.map((word) => word.replaceAll("'", '')) ?? [];
    expect(await runHere(words, { cwd: dir })).toMatchObject({ code: 0, stderr: '' });
  }
  const error = await runHere(['faults', 'show', 'none', '--data-dir', 'my data', '--json'], { cwd: dir });
  expect(JSON.parse(error.stdout).next).toEqual([expect.stringMatching(/ faults list '?--data-dir='?my data'?$/)]);
});
