// The command at a real terminal of a chosen width: `script`, as every Linux has it, makes one.

import { execFile, spawn } from 'node:child_process';
import { promisify } from 'node:util';
import { cli } from './command.js';

const sh = promisify(execFile);

/** The output of a command line at a terminal; its escape codes are in it. */
export async function atTerminal(
  args: readonly string[],
  columns: number,
  { cwd, env = {} }: { cwd?: string; env?: Record<string, string> } = {},
): Promise<string> {
  const words = [process.execPath, cli, ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`);
  const line = `stty cols ${columns} rows 50; exec ${words.join(' ')}`;
  const { stdout } = await sh('script', ['-qec', line, '/dev/null'], {
    cwd,
    env: { PATH: process.env.PATH ?? '', HOME: cwd ?? '/', TERM: 'xterm', ...env },
    maxBuffer: 1e8,
  }).catch((error: { stdout: string }) => error);
  return stdout.replaceAll('\r\n', '\n');
}

export interface Terminal {
  /** Types it: `\u0003` is Ctrl-C, which the terminal turns into a signal. */
  type(text: string): void;
  /** Resolves when what was printed matches. */
  shows(pattern: RegExp): Promise<void>;
  ended: Promise<{ code: number | null; printed: string }>;
}

/** A command line at a terminal, while it runs. */
export function openTerminal(args: readonly string[], cwd: string): Terminal {
  const words = [process.execPath, cli, ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`);
  const child = spawn('script', ['-qec', `stty cols 120; exec ${words.join(' ')}`, '/dev/null'], {
    cwd,
    env: { PATH: process.env.PATH ?? '', HOME: cwd, TERM: 'xterm' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
  const ended = new Promise<{ code: number | null; printed: string }>((resolve) =>
    child.on('close', (code) => resolve({ code, printed })),
  );
  return {
    type: (text) => void child.stdin.write(text),
    shows: (pattern) =>
      new Promise((resolve, reject) => {
        const look = (): void => (pattern.test(printed) ? resolve() : undefined);
        child.stdout.on('data', look);
        void ended.then(() => reject(new Error(`ended before ${pattern}: ${printed}`)));
        look();
      }),
    ended,
  };
}
