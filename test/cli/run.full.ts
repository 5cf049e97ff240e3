// `cloudemu run` with a client that does much wrong, and with signals: each test waits for processes that it starts.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { run, spawnCommand } from '../support/command.js';

const it = test.concurrent;

it('run shows what a naive client does wrong, and nothing else', async () => {
  const naive = fileURLToPath(new URL('../clients/naive.mjs', import.meta.url));
  const outcome = await run(['run', 'rough-day', '--', process.execPath, naive]);
  expect(outcome.stdout).toContain('deployment 2: running');
  expect([...outcome.stdout.matchAll(/^fail +(\S+ \S+( \S+)?) {2}/gm)].map((match) => (match[1] ?? '').trim())).toEqual(
    [
      'verdict retry-after-obeyed',
      'verdict poll-interval-obeyed',
      'verdict backoff-grows',
      'verdict no-duplicate-create',
    ],
  );
  expect(outcome.stdout).toMatch(/came \d+ ms after the previous poll; 250 ms is advised/);
  expect(outcome.stdout).toMatch(/^4 of 11 expectations failed, in \d+ requests; /m);
  expect(outcome.code).toBe(1);
});

describe('the command', () => {
  it('that a signal ends has the exit code that shells give', async () => {
    const { code } = await run(['run', 'happy-path', '--', 'sh', '-c', 'kill -KILL $$']);
    expect(code).toBe(137);
  });

  it('hears the signals that the command gets, and everything ends', async () => {
    const wait = `process.on('SIGTERM', () => { console.log('asked to end'); process.exit(3); }); console.log('up'); setInterval(() => {}, 1000);`;
    const { child, out, ended } = spawnCommand(['run', 'happy-path', '--', process.execPath, '-e', wait]);
    await new Promise<void>((resolve) => child.stdout.on('data', () => out.stdout.includes('up\n') && resolve()));
    child.kill('SIGTERM');
    const { code, stdout, stderr } = await ended;
    expect(code).toBe(130);
    expect(stdout).toContain('asked to end');
    expect(stderr).toBe('Interrupted: nothing was judged; the command ended with 3.\n');
  });

  /** A shell that traps signals, with a child in the background that does, too; it prints the child's id. */
  const stubborn = ['--', 'sh', '-c', `trap '' TERM INT; sh -c 'trap "" TERM INT; sleep 60' & echo up $!; wait; wait`];

  async function stubbornRun(grace: string) {
    const spawned = spawnCommand(['run', 'happy-path', '--grace', grace, ...stubborn]);
    const { child, out } = spawned;
    await new Promise<void>((resolve) => child.stdout.on('data', () => /up \d+\n/.test(out.stdout) && resolve()));
    return { ...spawned, grandchild: Number(/up (\d+)/.exec(out.stdout)?.[1]) };
  }

  it.each<[string, string, NodeJS.Signals[]]>([
    ['when the time to end is over', '200ms', ['SIGTERM']],
    ['at the second signal', '1h', ['SIGINT', 'SIGTERM']],
  ])('is killed with all that it has started %s', async (_, grace, signals) => {
    const { child, ended, grandchild } = await stubbornRun(grace);
    expect(isAlive(grandchild)).toBe(true);
    for (const signal of signals) child.kill(signal);
    expect((await ended).code).toBe(130);
    expect(isAlive(grandchild)).toBe(false);
  });

  it('leaves nothing behind that it has started', async () => {
    const { code, stdout } = await run(['run', 'happy-path', '--', 'sh', '-c', 'sleep 60 & echo left $!; exit 3']);
    expect(code).toBe(3);
    expect(isAlive(Number(/left (\d+)/.exec(stdout)?.[1]))).toBe(false);
  });
});

/** Whether a process runs; one that has ended and was not collected yet does not. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
