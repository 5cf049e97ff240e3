// The run file: who may read it, who believes it, and what is left of it after a crash.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { writeRunFile } from '../../src/cli/run-file.js';
import { closedPort } from '../support/closed-port.js';
import { type RunningCommand, run, startCommand, tempDir } from '../support/command.js';
import { runHere } from '../support/command-here.js';

const it = test.concurrent;

const runFile = (dir: string): string => join(dir, '.cloudemu/run.json');
const readRunFile = (dir: string): Record<string, unknown> =>
  JSON.parse(readFileSync(runFile(dir), 'utf8')) as Record<string, unknown>;

function leaveRunFile(dir: string, content: unknown): void {
  mkdirSync(join(dir, '.cloudemu'), { recursive: true });
  writeFileSync(runFile(dir), typeof content === 'string' ? content : JSON.stringify(content), { mode: 0o600 });
}

/** A process that is no emulator, for as long as a test runs. */
async function withBystander(test: (bystander: ChildProcess & { pid: number }) => Promise<void>): Promise<void> {
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume(); console.log(1)'], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  await once(child.stdout, 'data');
  try {
    await test(child as unknown as ChildProcess & { pid: number });
  } finally {
    child.kill('SIGKILL');
  }
}

const deadPort = await closedPort();

const line = ({ url, port, apiKey, dataDir, pid }: RunningCommand) => ({ url, port, apiKey, dataDir, pid });

it('a run file that cannot be written leaves nothing unfinished beside it', async () => {
  const dir = tempDir();
  mkdirSync(join(dir, 'run.json'));
  const info = { url: 'http://127.0.0.1:2', local: 'http://127.0.0.1:2', port: 2, pid: process.pid };
  await expect(writeRunFile(dir, info as never)).rejects.toThrow();
  expect(readdirSync(dir).filter((name) => name.startsWith('run.json'))).toEqual(['run.json']);
});

describe.each([[[]], [['--ephemeral']]])('of a start with %o', (args) => {
  it('holds what the line says, for the owner alone, and leads the commands there', async () => {
    const emulator = await startCommand(args);
    expect(readRunFile(emulator.dir)).toMatchObject(line(emulator));
    expect(statSync(runFile(emulator.dir)).mode & 0o777).toBe(0o600);
    const { stdout } = await runHere(['status', '--json'], { cwd: emulator.dir });
    expect(JSON.parse(stdout)).toMatchObject({ url: emulator.url, pid: emulator.pid, dataDir: emulator.dataDir });
  });
});

it('the run file of a killed emulator is not believed, and replaced by the next', async () => {
  const killed = await startCommand();
  await killed.end('SIGKILL');
  expect(readRunFile(killed.dir).pid).toBe(killed.pid);
  const { code, stderr } = await runHere(['stop', '--data-dir', '.cloudemu'], { cwd: killed.dir });
  expect([code, stderr]).toEqual([
    1,
    `No emulator runs on ${killed.dir}/.cloudemu. \`cloudemu start --data-dir .cloudemu\` runs one.\n`,
  ]);
  const next = await startCommand([], { cwd: killed.dir });
  expect(readRunFile(killed.dir)).toMatchObject(line(next));
});

it.each(['garbage', '', '[]', 'null', '{"pid":1}', '{"pid":"x","port":1,"url":"u","local":"l","apiKey":"k"}'])(
  'a run file that holds %j is not believed, and replaced',
  async (content) => {
    const cwd = tempDir();
    leaveRunFile(cwd, content);
    const { code, stderr } = await runHere(['stop', '--data-dir', '.cloudemu'], { cwd });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^No emulator runs on /);
    const emulator = await startCommand(['--ephemeral'], { cwd });
    expect(readRunFile(cwd)).toMatchObject(line(emulator));
  },
);

describe('whose process id is another program’s by now', () => {
  const content = (pid: number, port: number) => ({
    pid,
    port,
    url: `http://127.0.0.1:${port}`,
    local: `http://127.0.0.1:${port}`,
    apiKey: 'k',
    dataDir: null,
  });

  it('does not make stop end that program', async () => {
    await withBystander(async (bystander) => {
      const cwd = tempDir();
      leaveRunFile(cwd, content(bystander.pid, deadPort));
      const { code, stderr } = await runHere(['stop'], { cwd });
      expect(code).toBe(1);
      expect(stderr).toMatch(
        new RegExp(
          `^Nothing was ended: process ${bystander.pid} of the run file does not answer .* as that emulator\\.`,
        ),
      );
      expect([bystander.exitCode, bystander.signalCode]).toEqual([null, null]);
    });
  });

  it.concurrent('does not make stop end it even when another emulator has the port', async () => {
    await withBystander(async (bystander) => {
      const other = await startCommand(['--ephemeral']);
      const cwd = tempDir();
      leaveRunFile(cwd, content(bystander.pid, other.port));
      const { code, stderr } = await runHere(['stop'], { cwd });
      expect(code).toBe(1);
      expect(stderr).toMatch(/^The emulator at .* belongs to .*, not to this directory/);
      expect([bystander.exitCode, bystander.signalCode]).toEqual([null, null]);
    });
  });

  it.concurrent('is replaced by the next start', async () => {
    await withBystander(async (bystander) => {
      const cwd = tempDir();
      leaveRunFile(cwd, content(bystander.pid, deadPort));
      const emulator = await startCommand([], { cwd });
      expect(emulator.stderr()).toBe('');
      expect(readRunFile(cwd)).toMatchObject(line(emulator));
    });
  });
});

describe('whose port is another emulator’s by now, with the same seed', () => {
  /** A run file of one that has gone: process and port are others' now. */
  async function withOther(test: (cwd: string, other: RunningCommand) => Promise<void>, changes = {}): Promise<void> {
    await withBystander(async (bystander) => {
      // Of the same directory: that of another one is refused before.
      const cwd = tempDir();
      const other = await startCommand(['--ephemeral', '--seed', 'same', '--data-dir', tempDir()], { cwd });
      const { url, port, apiKey } = other;
      leaveRunFile(cwd, {
        url,
        local: url,
        port,
        apiKey,
        pid: bystander.pid,
        instance: 'gone',
        dataDir: null,
        ...changes,
      });
      await test(cwd, other);
      expect([bystander.exitCode, bystander.signalCode]).toEqual([null, null]);
    });
  }

  it('ends neither', () =>
    withOther(async (cwd) => {
      const { code, stderr } = await runHere(['stop'], { cwd });
      expect([code, stderr]).toEqual([1, expect.stringMatching(/^Nothing was ended/)]);
    }));

  it.concurrent('does not keep a new one from starting in the background', () =>
    withOther(async (cwd) => {
      const { code, stdout, stderr } = await run(['start', '--detach', '--json', '--port', '0'], { cwd });
      expect([code, stderr]).toEqual([0, '']);
      expect(readRunFile(cwd).pid).toBe(JSON.parse(stdout).pid);
      expect((await runHere(['stop'], { cwd })).code).toBe(0);
    }));

  it.each([{ instance: 'gone' }, { instance: undefined }])('gives the client no URL of its own: %o', (changes) =>
    withOther(
      async (cwd, { url }) => {
        const { code, stdout, stderr } = await runHere(['env'], { cwd });
        expect([code, stdout]).toEqual([1, '']);
        expect(stderr).toContain(`${url} answers, but not as the emulator of the run file in .cloudemu`);
      },
      { url: 'http://203.0.113.7', ...changes },
    ),
  );
});

describe('with two ephemeral emulators in one directory', () => {
  it('stays the first one’s, and the second says so', async () => {
    const first = await startCommand(['--ephemeral']);
    const second = await startCommand(['--ephemeral'], { cwd: first.dir });
    expect(readRunFile(first.dir).pid).toBe(first.pid);
    expect(second.stderr()).toBe(
      `note: commands use the emulator at ${first.url} (pid ${first.pid}), which is already running here; for this one, pass --url ${second.url}\n`,
    );
  });

  it.concurrent('is left alone when the second ends', async () => {
    const first = await startCommand(['--ephemeral']);
    await (await startCommand(['--ephemeral'], { cwd: first.dir })).end();
    expect(readRunFile(first.dir).pid).toBe(first.pid);
  });
});

it.each([
  ['that others may read, as one of a cloned repository', { mode: 0o644 }, {}],
  ['of a server elsewhere', {}, { local: 'http://203.0.113.7:4747' }],
  ['of a name that resolves to anything', {}, { local: 'http://emulator.example:4747' }],
])('a run file is not believed: one %s', async (_, options, changed) => {
  const cwd = tempDir();
  const local = `http://127.0.0.1:${deadPort}`;
  const info = { url: 'http://203.0.113.7', local, port: deadPort, pid: process.pid, apiKey: 'ek_test_1', ...changed };
  mkdirSync(join(cwd, '.cloudemu'));
  writeFileSync(runFile(cwd), JSON.stringify(info), { mode: 0o600, ...options });
  const { code, stdout, stderr } = await runHere(['env', '--data-dir', '.cloudemu'], { cwd });
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toContain('No emulator runs on');
});

it('the run file of a process that is another program by now does not keep a new emulator from starting in the background', async () => {
  await withBystander(async (bystander) => {
    const cwd = tempDir();
    const local = `http://127.0.0.1:${deadPort}`;
    leaveRunFile(cwd, { url: local, local, port: deadPort, pid: bystander.pid, apiKey: 'ek_test_1' });
    const { code, stdout, stderr } = await run(['start', '--detach', '--json', '--port', '0'], { cwd });
    expect([code, stderr]).toEqual([0, '']);
    const { pid } = JSON.parse(stdout) as { pid: number };
    expect(readRunFile(cwd).pid).toBe(pid);
    process.kill(pid, 'SIGKILL');
  });
});
