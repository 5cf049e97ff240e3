// One image that an engine runs: started with its variables, limits and port, its output followed, and stopped.

import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { StringDecoder } from 'node:string_decoder';
import { afterWall } from '../../../core/clock.js';
import { writePrivately } from '../../../core/private-files.js';
import type { Spec } from '../wire/schema.js';

// Calls the command of a container engine: arguments as a list, never a shell, with a time limit.

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

export interface OutputLine {
  level: 'info' | 'error';
  message: string;
}

export interface EngineProcess {
  /** The port of this machine that leads to it; undefined when it ended before it had one. */
  readonly port: Promise<number | undefined>;
  /** Its exit code, once it has ended and all its output has been read. */
  readonly ended: Promise<number>;
  /** Asks it to end, and kills it when it does not end in time. */
  stop(): Promise<void>;
}

interface ProcessRequest {
  program: string;
  name: string;
  label: string;
  image: string;
  spec: Spec;
  /** Holds its variables while it starts. */
  directory: string;
}

const graceSeconds = 10;

/** Starts an image. Its variables are neither on a command line nor in a file that others may read. */
export function startProcess(request: ProcessRequest, onLine: (line: OutputLine) => void): EngineProcess {
  const { program, name, label, image, spec, directory } = request;
  const { plain, other } = sorted(spec.environment_vars);
  const file = join(directory, name);
  writePrivately(file, plain.map(([key, value]) => `${key}=${value}\n`).join(''));
  const cpus = Math.min(spec.cpu / 1_024, availableParallelism());
  const args = [
    'run',
    '--rm',
    '--pull=never',
    ...['--name', name, '--label', label],
    ...['--publish', `127.0.0.1::${spec.port}`],
    ...['--memory', `${spec.memory}m`, '--cpus', String(cpus)],
    ...['--security-opt', 'no-new-privileges'],
    ...['--env-file', file],
    ...other.flatMap(([key]) => ['--env', key]),
    image,
  ];
  const child = launch(program, args, { env: Object.fromEntries(other) });
  let isOver = false;
  const ended = new Promise<number>((resolve) => {
    child.once('error', (error) => {
      onLine({ level: 'error', message: error.message });
      resolve(engineFailed);
    });
    child.once('close', (code, signal) => resolve(code ?? (signal === null ? engineFailed : 137)));
  });
  void ended.then(() => {
    isOver = true;
    rmSync(file, { force: true });
  });
  if (child.stdout !== null) readLines(child.stdout, (message) => onLine({ level: 'info', message }));
  if (child.stderr !== null) readLines(child.stderr, (message) => onLine({ level: 'error', message }));

  async function findPort(): Promise<number | undefined> {
    while (!isOver) {
      const { code, stdout } = await call(program, ['port', name, `${spec.port}/tcp`]);
      const port = Number(/:(\d+)$/m.exec(stdout)?.[1]);
      if (code === 0 && port > 0) {
        rmSync(file, { force: true });
        return port;
      }
      await new Promise<void>((resolve) => afterWall(betweenLooksMs, resolve));
    }
    return undefined;
  }
  return {
    port: findPort(),
    ended,
    async stop() {
      if (isOver) return;
      const limit = (graceSeconds + 10) * 1_000;
      const { code } = await call(program, ['stop', '-t', String(graceSeconds), name], { limit });
      if (code !== 0) await call(program, ['rm', '--force', name], { limit });
    },
  };
}

const betweenLooksMs = 100;

/** The exit code of `run` when the engine itself failed. */
export const engineFailed = 125;

// A file of variables has one per line. Values of several lines come from the environment of the engine's command,
// except names that the command itself would obey.
const ownVariables =
  /^(PATH|HOME|TMPDIR|SHELL|USER|LANG)$|^(LD_|DYLD_|DOCKER|CONTAINER|PODMAN|BUILDAH|GO|XDG_|DBUS_|SSL_|LC_|.*_PROXY$)/i;

function sorted(variables: Record<string, string>): Record<'plain' | 'other', [string, string][]> {
  const entries = Object.entries(variables).map(([key, value]): [string, string] => [key, value.replaceAll('\0', '')]);
  const isPlain = ([, value]: [string, string]): boolean => !/[\r\n]/.test(value);
  return {
    plain: entries.filter(isPlain),
    other: entries.filter((entry) => !isPlain(entry) && !ownVariables.test(entry[0])),
  };
}

const longestLine = 8_192;

// A longer line is split, so that an endless one takes no memory.
function readLines(stream: Readable, onLine: (line: string) => void): void {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  stream.on('data', (chunk: Buffer) => {
    const lines = (rest + decoder.write(chunk)).split('\n');
    rest = lines.pop() ?? '';
    while (rest.length > longestLine) {
      lines.push(rest.slice(0, longestLine));
      rest = rest.slice(longestLine);
    }
    for (const line of lines) {
      const text = line.replace(/\r$/, '');
      for (let at = 0; at === 0 || at < text.length; at += longestLine) onLine(text.slice(at, at + longestLine));
    }
  });
  stream.on('end', () => {
    if (rest !== '') onLine(rest);
  });
  stream.on('error', () => {});
}
