// The command at a real terminal of a chosen width: `script`, as every Linux has it, makes one.

import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { cli } from './command.js';

const sh = promisify(execFile);

/** Whether terminals can be made here. */
export const hasTerminals =
  spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') === true;

/** What a command line prints at a terminal; its escape codes are in it. */
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
