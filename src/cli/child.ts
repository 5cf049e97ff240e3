// A command run as a child: its signals, its end.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';

export interface ChildOptions {
  env: Record<string, string | undefined>;
  /** Lets what it prints go to stderr: stdout is for something else. */
  aside: boolean;
}

/** Thrown when a command cannot even be begun, with a sentence for the person. */
export class NotStarted extends Error {}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Runs a command to its end and passes signals on to it.
 *
 * @returns its exit code; as shells have it, 128 and the signal's number when one ended it
 * @throws NotStarted
 */
export async function runChild([file = '', ...args]: readonly string[], { env, aside }: ChildOptions): Promise<number> {
  // Windows finds npm only through its shell.
  const shell = process.platform === 'win32';
  const child = spawn(file, args, { env, shell, stdio: ['inherit', aside ? 2 : 'inherit', 'inherit'] });
  const stop = passSignals(child);
  try {
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
    return code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
  } catch (error) {
    throw new NotStarted(
      `${file} cannot be run: ${reasons[(error as NodeJS.ErrnoException).code ?? ''] ?? String(error)}`,
    );
  } finally {
    stop();
  }
}

const reasons: Record<string, string> = {
  ENOENT: 'there is no such command',
  EACCES: 'this user may not run it',
};

function passSignals(child: ChildProcess): () => void {
  const listeners = signals.map((signal) => {
    const pass = (): void => {
      // A terminal sends its Ctrl-C to both.
      if (signal !== 'SIGINT' || process.stdin.isTTY !== true) child.kill(signal);
    };
    process.on(signal, pass);
    return () => process.off(signal, pass);
  });
  return () => {
    for (const stop of listeners) stop();
  };
}
