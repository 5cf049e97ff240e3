// `cloudemu start --detach`: it returns when the emulator is ready, and `stop` ends what it left running. Each
// test starts processes; `detach.test.ts` has the two that matter most.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { RunInfo } from '../../src/cli/run-file.js';
import { neverListens, run, spawnCommand, startCommand, tempDir } from '../support/command.js';
import { eventually } from '../support/eventually.js';

const it = test.concurrent;

const left: number[] = [];
afterAll(() => {
  for (const pid of left) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // Its test has ended it.
    }
  }
});

type Detached = RunInfo & { log: string };

async function detach(args: readonly string[] = [], cwd = tempDir()): Promise<Detached> {
  const { code, stdout, stderr } = await run(['start', '--detach', '--port', '0', '--json', ...args], { cwd });
  expect([code, stderr]).toEqual([0, '']);
  const info = JSON.parse(stdout) as Detached;
  left.push(info.pid);
  return info;
}

it('start --detach tells a person where it answers, with which key, and where its log is', async () => {
  const cwd = tempDir();
  const { code, stdout } = await run(['start', '--detach', '--port', '0'], { cwd });
  const { pid, url, apiKey } = JSON.parse(readFileSync(join(cwd, '.cloudemu/run.json'), 'utf8')) as RunInfo;
  left.push(pid);
  expect(code).toBe(0);
  expect(stdout.split('\n')).toEqual([
    expect.stringMatching(new RegExp(`^cloudemu \\S+ runs in the background \\(pid ${pid}\\)\\.$`)),
    '',
    `  URL       ${url}`,
    `  Test key  ${apiKey}`,
    '  Profile   spec',
    '  Log       ./.cloudemu/emulator.log',
    '',
    'For your client: eval "$(cloudemu env)"',
    '`cloudemu stop` ends it.',
    '',
  ]);
});

it('start --detach hands every flag on', async () => {
  const args = [
    '--seed=-x',
    '--frozen',
    '--no-strict',
    '--clock',
    '2030-01-01T00:00:00Z',
    '--timing',
    '{"pending":"1s","building":"2s","deploying":"3s"}',
  ];
  const { control } = await detach(args);
  const { clock } = (await (await fetch(`${control}/health`)).json()) as { clock: object };
  expect(clock).toMatchObject({ now: '2030-01-01T00:00:00.000Z', frozen: true });
  const config = (await (await fetch(`${control}/config`)).json()) as { seed: string; containers: { timing: object } };
  expect([config.seed, config.containers.timing]).toMatchObject(['-x', { pending: 1_000 }]);
});

it('start --detach twice at once in one directory leaves one emulator with its log, and the other says why it is none', async () => {
  const cwd = tempDir();
  const both = await Promise.all([1, 2].map(() => run(['start', '--detach', '--port', '0', '--json'], { cwd })));
  const started = both.filter(({ code }) => code === 0);
  const refused = both.filter(({ code }) => code === 2);
  expect([started.length, refused.length]).toEqual([1, 1]);
  left.push((JSON.parse(started[0]?.stdout ?? '') as RunInfo).pid);
  expect(refused[0]?.stdout).toMatch(/in use by another cloudemu|already running|runs here/);
  expect(readdirSync(join(cwd, '.cloudemu')).filter((name) => name.startsWith('emulator.log'))).toEqual([
    'emulator.log',
  ]);
});

describe('that cannot start', () => {
  it('says why, in one line, and leaves nothing behind', async () => {
    const { port } = await startCommand(['--ephemeral']);
    const cwd = tempDir();
    const { code, stdout, stderr } = await run(['start', '--detach', '--ephemeral', '--port', String(port)], { cwd });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^Port \d+ is taken by another cloudemu[^\n]+\n$/);
    expect(readdirSync(cwd)).toEqual([]);
  });

  it('finds and names the one that runs here', async () => {
    const { dir, url, pid } = await startCommand(['--ephemeral']);
    const { code, stdout, stderr } = await run(['start', '--detach', '--ephemeral', '--port', '0'], { cwd: dir });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toBe(
      `An emulator is already running here: ${url} (pid ${pid}). Use it, stop it with \`cloudemu stop\`, or start another with --data-dir <dir> --port 0.\n`,
    );
  });

  it('refuses settings that are wrong before anything is written', async () => {
    const cwd = tempDir();
    const { code, stderr } = await run(['start', '--detach', '--profile', 'spek'], { cwd });
    expect([code, stderr]).toEqual([
      2,
      '--profile must be one of elizacloud, elizacloud-v1, spec, got "spek"; did you mean "spec"?\n',
    ]);
    expect(existsSync(join(cwd, '.cloudemu'))).toBe(false);
  });
});

it('start --detach shows what the start has to say beside that it is ready', async () => {
  const cwd = tempDir();
  const first = await startCommand(['--clock', '2030-01-01T00:00:00Z', '--frozen'], { cwd });
  await first.end();
  const { code, stderr } = await run(['start', '--detach', '--port', '0', '--clock', '2031-01-01T00:00:00Z'], { cwd });
  left.push((JSON.parse(readFileSync(join(cwd, '.cloudemu/run.json'), 'utf8')) as RunInfo).pid);
  expect(code).toBe(0);
  expect(stderr).toMatch(/^note: the world in .* keeps its own clock/);
});

it('start --detach that is interrupted before it is ready leaves none running', async () => {
  const cwd = tempDir();
  const env = neverListens;
  const { child, ended } = spawnCommand(['start', '--detach', '--port', '0', '--ephemeral'], { cwd, env });
  await eventually(() => readdirSync(cwd).includes('.cloudemu'));
  child.kill('SIGINT');
  expect(await ended).toEqual({ code: 130, stdout: '', stderr: 'Interrupted: the emulator was not started.\n' });
  expect(readdirSync(cwd)).toEqual([]);
});
