// A temporary directory that is removed with this process, however it ends.

import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterProcess } from '../core/after-process.js';

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

// A name ends with the process that made it and what makes it unique.
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
      // It is somebody else's.
    }
  }
}
