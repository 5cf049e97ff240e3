// Running the built command in tests: a command to its end, or an emulator that is killed in the end.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RunInfo } from '../../src/cli/run-file.js';

/** Whoever waits for what is open takes 15 s, 75 s or for ever; an end takes a second, or a few on a busy machine. */
export const notWaitedMs = 10_000;

export const cli = fileURLToPath(new URL('../../dist/cli.cjs', import.meta.url));

/** The environment of a command whose start never gets ready. */
export const neverListens = {
  NODE_OPTIONS: `--require=${fileURLToPath(new URL('never-listens.cjs', import.meta.url))}`,
};

export interface Outcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  cwd?: string;
  env?: Record<string, string>;
  /** Another build of the command. */
  cli?: string;
  /** The program that runs in the place of Node and the command: the executable, perhaps in a file system of its own. */
  program?: readonly string[];
}

export interface RunningCommand extends RunInfo {
  dir: string;
  child: ChildProcess;
  stdout(): string;
  stderr(): string;
  /** Resolves when stderr matches. */
  said(pattern: RegExp): Promise<string>;
  /** Sends a signal and waits for the end. */
  end(signal?: NodeJS.Signals): Promise<Outcome & { ms: number }>;
}

const children = new Set<ChildProcess>();

/** Kills what still runs: once after each file, as these tests run at the same time. */
export async function endCommands(): Promise<void> {
  await Promise.all(
    [...children].map(async (child) => {
      const gone = once(child, 'close');
      if (child.kill('SIGKILL')) await gone;
    }),
  );
}

/** A directory of the test's own, which goes when its file has ended. */
export function tempDir(): string {
  return mkdtempSync(join(tmpdir(), 'cloudemu-test-'));
}

/** A port on which nothing listens. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** The command's process, with an environment that holds no settings of the machine. */
export function spawnCommand(args: readonly string[], options: RunOptions = {}) {
  const { cwd = tempDir(), env = {} } = options;
  const [program = '', ...before] = options.program ?? [process.execPath, options.cli ?? cli];
  const child = spawn(program, [...before, ...args], {
    cwd,
    env: { PATH: process.env.PATH ?? '', HOME: cwd, TMPDIR: tmpdir(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.add(child);
  const out = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (out.stderr += text));
  const ended = new Promise<Outcome>((resolve) =>
    child.on('close', (code) => {
      children.delete(child);
      resolve({ code, ...out });
    }),
  );
  return { child, cwd, out, ended };
}

/** Runs a command to its end. */
export function run(args: readonly string[], options: RunOptions = {}): Promise<Outcome> {
  return spawnCommand(args, options).ended;
}

/** Runs `start` on a free port and reads its line. */
export async function startCommand(args: readonly string[] = [], options: RunOptions = {}): Promise<RunningCommand> {
  const { child, cwd, out, ended } = spawnCommand(['start', '--port', '0', '--json', ...args], options);
  const until = (name: 'stdout' | 'stderr', pattern: RegExp): Promise<string> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const [found] = pattern.exec(out[name]) ?? [];
        if (found !== undefined) resolve(found);
      };
      child[name].on('data', look);
      void ended.then(({ code, stderr }) => reject(new Error(`ended with ${code} before ${pattern}: ${stderr}`)));
      look();
    });
  const line = JSON.parse(await until('stdout', /^.*\n/)) as RunInfo & { error?: { message: string } };
  if (line.error !== undefined) throw new Error(line.error.message);
  return {
    ...line,
    dir: cwd,
    child,
    stdout: () => out.stdout,
    stderr: () => out.stderr,
    said: (pattern) => until('stderr', pattern),
    async end(signal = 'SIGTERM') {
      const startedAt = performance.now();
      child.kill(signal);
      return { ...(await ended), ms: performance.now() - startedAt };
    },
  };
}
