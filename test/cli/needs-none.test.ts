// Commands that need no running emulator: they tell what every emulator of these settings would.

import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { itFull, sampleOf } from '../support/campaign.js';
import { closedUrl } from '../support/closed-port.js';
import { startCommand, tempDir } from '../support/command.js';
import { runHere } from '../support/command-here.js';

const it = test.concurrent;

// Nothing listens there, so that whatever runs on this machine has no part in it.
const url = await closedUrl();
const env = { CLOUDEMU_URL: url };
// The emulator there was asked for all the same, and may have other settings.
const said = `note: No emulator answers at ${url} (CLOUDEMU_URL). \`cloudemu start\` runs one. Instead of it, an emulator of the moment answers, with the settings of this directory.\n`;

const namesIn = (folder: string): string[] =>
  readdirSync(`fixtures/${folder}`)
    .filter((file) => file.endsWith('.json'))
    .map((file) => basename(file, '.json'));

describe('without a running emulator', () => {
  it('failures lists every mode', async () => {
    const { code, stdout, stderr } = await runHere(['failures', '--json'], { env });
    expect([code, stderr]).toEqual([0, said]);
    const { failures } = JSON.parse(stdout) as { failures: { mode: string }[] };
    expect(failures.map(({ mode }) => mode).toSorted()).toEqual(namesIn('failures').toSorted());
  });

  itFull.concurrent('scenario list has those that are shipped, and your own', async () => {
    const cwd = tempDir();
    mkdirSync(join(cwd, 'scenarios'));
    writeFileSync(join(cwd, 'scenarios/mine.json'), '{"title": "Mine"}');
    const { code, stdout } = await runHere(['scenario', 'list'], { cwd, env });
    expect(code).toBe(0);
    for (const name of namesIn('scenarios')) expect(stdout).toMatch(new RegExp(`^${name} .* shipped$`, 'm'));
    expect(stdout).toMatch(/^mine +Mine +- +own$/m);
  });

  const lines = [
    ['scenario show quota-reached', said],
    ['assumptions', said],
    ['openapi', ''],
    ['--help', ''],
    ['completion bash', ''],
  ] as const;
  it.each(sampleOf(lines))('%s prints something', async (line, note) => {
    const cwd = tempDir();
    const { code, stdout, stderr } = await runHere(line.split(' '), { cwd, env });
    expect([code, stderr]).toEqual([0, note]);
    expect(stdout.length).toBeGreaterThan(100);
    expect(readdirSync(cwd)).toEqual([]);
  });

  it('says of a scenario that there is none of that name', async () => {
    const { code, stderr } = await runHere(['scenario', 'show', 'quota-reachd'], { env });
    expect([code, stderr]).toEqual([
      1,
      `${said}There is no scenario "quota-reachd"; did you mean "quota-reached"? (\`cloudemu scenario list\` shows them)\n`,
    ]);
  });
});

it.each([[['--url', 'http://127.0.0.1:2']], [['--world', 'blue']], [['--data-dir', 'none']]])(
  'an emulator that %o names must run',
  async (args) => {
    const { code, stdout, stderr } = await runHere(['failures', ...args], { env });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^No emulator /);
  },
);

it('a running emulator is asked, for what it keeps in memory', async () => {
  const { dir, control } = await startCommand(['--ephemeral']);
  await fetch(`${control}/scenarios/mine/save`, { method: 'POST', body: '{}' });
  const { stdout } = await runHere(['scenario', 'list'], { cwd: dir });
  expect(stdout).toMatch(/^mine .* memory$/m);
});
