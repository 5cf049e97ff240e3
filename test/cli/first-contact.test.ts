// What a new user meets first: numbers without a unit, narrow terminals, and an emulator in the background that says nothing.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { widthOf } from '../../src/cli/layout.js';
import { run, tempDir } from '../support/command.js';
import { runHere } from '../support/command-here.js';
import { startEmulator } from '../support/emulator.js';

it('clock advance refuses a number without a unit with both readings, and says by how much it has moved', async () => {
  const { url } = await startEmulator();
  const env = { CLOUDEMU_URL: url };
  const { code, stderr } = await runHere(['clock', 'advance', '10'], { env });
  expect([code, stderr]).toEqual([2, '<by> must be a duration with its unit: 10s or 10ms, got "10"\n']);
  expect((await runHere(['clock', 'advance', '90s'], { env })).stdout).toMatch(/^ {2}advanced +1m30s$/m);
  const { stdout } = await runHere(['clock', 'advance', '1h', '--json'], { env });
  expect(JSON.parse(stdout).advancedMs).toBe(3_600_000);
});

it('start --detach --quiet prints nothing', async () => {
  const cwd = tempDir();
  const started = await run(['start', '--detach', '--quiet', '--ephemeral', '--port', '0'], { cwd });
  await runHere(['stop'], { cwd });
  expect(started).toMatchObject({ code: 0, stdout: '', stderr: '' });
});

it.each([[['--help']], [['clock', '--help']], [['start', '--help']], [['status']], [['requests']]])(
  '%s fits 30 columns, but for what is there to be copied',
  async (words) => {
    const { url } = await startEmulator();
    const { stdout } = await runHere(words, { columns: 30, env: { NO_COLOR: '1', CLOUDEMU_URL: url } });
    const lines = stdout.split('\n').filter((line) => !/cloudemu |http:|\/tmp\//.test(line));
    expect(lines.filter((line) => widthOf(line) > 30)).toEqual([]);
  },
);

it('a build without SQLite ends with what is missing', async () => {
  const command = join(tempDir(), 'built.cjs');
  const error = { code: 'FAILED', message: 'SQLite does not load: it has no binary for this machine.' };
  writeFileSync(command, `console.log(JSON.stringify(${JSON.stringify({ error, next: [] })}));`);
  const { warmUp } = await import(new URL('../../src/build/code-cache.mjs', import.meta.url).href);
  await expect(warmUp([process.execPath, command])).rejects.toThrow(error.message);
});
