// Calls the command of a container engine: arguments as a list, never a shell, with a time limit.

import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { afterWall } from '../../../core/clock.js';

/** How a call ended; `code` is null when it could not be made or took too long. */
export interface Outcome {
  code: number | null;
  stdout: string;
  /** Its error output, or why there is none. */
  stderr: string;
}

export interface CallOptions {
  /** In wall milliseconds. */
  limit?: number;
  /** Its standard input. */
  input?: Readable;
}

const usualLimit = 10_000;
const mostOutput = 65_536;

/** Calls a program to its end. It never rejects. */
export function call(
  program: string,
  args: readonly string[],
  { limit = usualLimit, input }: CallOptions = {},
): Promise<Outcome> {
  return new Promise((resolve) => {
    const child = launch(program, args, { reads: input !== undefined });
    const out = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name]?.setEncoding('utf8').on('data', (text: string) => {
        if (out[name].length < mostOutput) out[name] += text;
      });
    }
    const end = (code: number | null, problem?: string): void => {
      cancel();
      resolve({ code, stdout: out.stdout.trim(), stderr: problem ?? out.stderr.trim() });
    };
    const cancel = afterWall(limit, () => {
      child.kill('SIGKILL');
      end(null, `it did not answer within ${limit / 1_000} s`);
    });
    child.once('error', (error: NodeJS.ErrnoException) => end(null, error.code ?? error.message));
    child.once('close', (code) => end(code));
    // A program that has ended reads no more; its exit code says why.
    if (input !== undefined && child.stdin !== null) pipeline(input, child.stdin).catch(() => {});
  });
}

/** Starts a program in the background; signals from a terminal do not reach it. */
export function launch(
  program: string,
  args: readonly string[],
  { reads = false, env = {} }: { reads?: boolean; env?: Record<string, string> } = {},
): ChildProcess {
  return spawn(program, args, {
    cwd: '/',
    env: { ...process.env, ...env },
    detached: true,
    windowsHide: true,
    stdio: [reads ? 'pipe' : 'ignore', 'pipe', 'pipe'],
  });
}
