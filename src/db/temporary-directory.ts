// A temporary directory that is removed when this process ends, however it ends.

import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TemporaryDirectory {
  readonly path: string;
  remove(): Promise<void>;
}

/**
 * Makes a directory whose name begins with a prefix. A killed process cannot clean up: a shell that waits for the end of
 * its input does. Where there is no shell, the next process does.
 */
export function makeTemporary(prefix: string): TemporaryDirectory {
  for (const name of readdirSync(tmpdir())) if (name.startsWith(prefix)) removeIfOrphaned(join(tmpdir(), name));
  const path = mkdtempSync(join(tmpdir(), `${prefix}${process.pid}-`));
  const clean = afterProcess('rm -rf "$0"', path);
  return {
    path,
    async remove() {
      await rm(path, { recursive: true, force: true });
      clean();
    },
  };
}

// A name ends with the id of its process and a unique part.
function removeIfOrphaned(path: string): void {
  const pid = Number(/-(\d+)-[^-]+$/.exec(path)?.[1]);
  if (!Number.isInteger(pid)) return;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') return;
    try {
      rmSync(path, { recursive: true, force: true });
    } catch {
      // The directory belongs to another user.
    }
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
