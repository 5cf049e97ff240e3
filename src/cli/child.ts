// A command run as a child with all that it starts: its signals, its end.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { takeInterrupts } from './interrupt.js';
import { NotStarted } from './refusal.js';

export interface ChildOptions {
  env: Record<string, string | undefined>;
  /** Lets what it prints go to stderr: stdout is for something else. */
  aside: boolean;
  /** Time for which the process group may go on after the first signal. */
  graceMs: number;
  /** Receives what it prints, instead of the terminal; it then has no input. */
  onOutput?: (text: string, stream: 'stdout' | 'stderr') => void;
  /** Time after which the group is killed. */
  limitMs?: number;
  /** The time that it gets when the limit is reached, because it still gets on; then this is asked again. By default none. */
  moreMs?: () => number;
  /** Hears of that before it is. */
  onLimit?: () => void;
}

const lookMs = 20;
const killedMs = 1_000;
// Windows finds npm only through its shell, and has no groups of processes.
const isWindows = process.platform === 'win32';

/**
 * Runs a command to its end, and ends what it leaves behind. The first signal is passed on to the whole group; at the
 * second one, or when the time is over, the group is killed.
 *
 * @returns its exit code; as shells have it, 128 and the signal's number when one ended it
 * @throws NotStarted
 */
export async function runChild(
  [file = '', ...args]: readonly string[],
  { env, aside, graceMs, onOutput, limitMs, moreMs = () => 0, onLimit = () => {} }: ChildOptions,
): Promise<number> {
  const stdio =
    onOutput === undefined
      ? (['inherit', aside ? 2 : 'inherit', 'inherit'] as const)
      : (['ignore', 'pipe', 'pipe'] as const);
  // Signals are handled before the command starts, because one may arrive while it does.
  const stop = takeInterrupts((signal) => group.end(signal));
  const child = spawn(file, args, {
    env: withoutProxy(env),
    shell: isWindows,
    detached: !isWindows,
    stdio: [...stdio],
  });
  const closed = new Promise<void>((resolve) => void child.once('close', () => resolve()));
  const group = groupOf(child, graceMs);
  for (const name of ['stdout', 'stderr'] as const)
    child[name]?.setEncoding('utf8').on('data', (text: string) => onOutput?.(text, name));
  let timer: NodeJS.Timeout | undefined;
  const endAfter = (ms: number): void => {
    timer = setTimeout(() => {
      const more = moreMs();
      if (more > 0) return endAfter(more);
      onLimit();
      group.kill();
    }, ms);
  };
  if (limitMs !== undefined) endAfter(limitMs);
  try {
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
    await group.ended();
    // The last output of the command may still be in the pipes, on a busy machine for a while.
    if (onOutput !== undefined) await Promise.race([closed, sleep(killedMs)]);
    return code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
  } catch (error) {
    throw new NotStarted(
      `${file} cannot be run: ${reasons[(error as NodeJS.ErrnoException).code ?? ''] ?? String(error)}${file.includes(' ') ? ' (without quotes around all of it, its first word is the command)' : ''}`,
    );
  } finally {
    clearTimeout(timer);
    group.forget();
    stop();
  }
}

const loopback = ['localhost', '127.0.0.1', '::1'];

// The emulator is on this machine, where no proxy leads: clients that send everything through one find it all the same.
function withoutProxy(env: Record<string, string | undefined>): Record<string, string | undefined> {
  const names = ['NO_PROXY', 'no_proxy'];
  const given = names.map((name) => env[name] ?? '').find((list) => list !== '') ?? '';
  const listed = given.split(/[\s,]+/).filter((host) => host !== '');
  if (listed.includes('*')) return env;
  const list = [...new Set([...listed, ...loopback])].join(',');
  return { ...env, ...Object.fromEntries(names.map((name) => [name, list])) };
}

const reasons: Record<string, string> = {
  ENOENT: 'there is no such command',
  EACCES: 'this user may not run it',
};

// The processes of a command.
function groupOf(child: ChildProcess, graceMs: number) {
  let timer: NodeJS.Timeout | undefined;
  let isKilled = false;
  const send = (signal: NodeJS.Signals | 0): boolean => {
    if (child.pid === undefined) return false;
    if (isWindows) return child.exitCode === null && child.kill(signal);
    try {
      return process.kill(-child.pid, signal);
    } catch {
      return false;
    }
  };
  const kill = (): void => {
    isKilled = true;
    send('SIGKILL');
  };
  /** Passes a signal on; the second time everything is killed. */
  const end = (signal: NodeJS.Signals): void => {
    if (timer !== undefined) {
      kill();
      return;
    }
    timer = setTimeout(kill, graceMs);
    send(signal);
  };
  return {
    end,
    kill,
    /** Resolves when no process of it is left. */
    async ended(): Promise<void> {
      if (timer === undefined && send(0)) end('SIGTERM');
      // A killed process may stay in the process table for a while, where its parent does not wait for it.
      let looks = killedMs / lookMs;
      while (send(0) && looks > 0) {
        if (isKilled) looks--;
        await sleep(lookMs);
      }
    },
    forget: () => clearTimeout(timer),
  };
}
