// Temporary directories, of which killed processes leave none for long.

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { namesIn } from '../core/files.js';
import { memoizeMany } from '../core/memoize-last.js';
import { real } from '../core/real-time.js';

export interface TemporaryDirectory {
  readonly path: string;
  remove(): Promise<void>;
}

/**
 * Makes a directory whose name begins with a prefix. A killed process cannot clean up: a shell that waits for the end of
 * its input does. Where there is no shell, the next process does.
 */
export function makeTemporary(prefix: string): TemporaryDirectory {
  const path = mkdtempSync(temporaryStart(prefix));
  const clean = afterProcess('rm -rf "$0"', path);
  return {
    path,
    async remove() {
      await rm(path, { recursive: true, force: true });
      clean();
    },
  };
}

/**
 * The beginning of the path of a temporary directory, for `mkdtemp`. It names this process; directories that killed
 * processes have left are removed before.
 */
export function temporaryStart(prefix: string): string {
  return withoutOrphans(join(tmpdir(), `${prefix}${process.pid}-`));
}

// Once for each: a full temporary directory takes a while to read.
const withoutOrphans = memoizeMany(10, (start: string) => {
  const prefix = basename(start).slice(0, -`${process.pid}-`.length);
  // Where it cannot be read, the error of making a directory there says why.
  for (const name of namesIn(dirname(start))) if (name.startsWith(prefix)) removeIfOrphaned(join(dirname(start), name));
  return start;
});

// A name ends with the id of its process and a unique part.
function removeIfOrphaned(path: string): void {
  const pid = Number(/-(\d+)-[^-]+$/.exec(path)?.[1]);
  if (!Number.isInteger(pid) || isInUse(pid, path)) return;
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    // The directory belongs to another user.
  }
}

function isInUse(pid: number, path: string): boolean {
  // In a container each process has the id of the one before it.
  if (pid === process.pid) return (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) >= real.timeOrigin;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/**
 * Lets a shell script run when this process is gone; where there is no shell, nothing happens.
 *
 * @param script a fixed text, which names the arguments as "$0", "$1" and so on
 * @returns lets it run now
 */
export function afterProcess(script: string, ...args: readonly string[]): () => void {
  const shell = spawn('sh', ['-c', `cat > /dev/null; ${script}`, ...args], {
    // Signals to this process's group are not meant for it.
    detached: true,
    cwd: '/',
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  shell.on('error', () => {});
  shell.stdin.on('error', () => {});
  shell.unref();
  (shell.stdin as unknown as { unref?: () => void }).unref?.();
  return () => void shell.stdin.end();
}
