// The tries that an exploration had made without harm before it was ended early: the next one of the same command goes on
// after them.

import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { writePrivately } from '../../core/private-files.js';
import { isTree } from '../../core/tree.js';
import { note } from '../print.js';

export interface ExploreState {
  /** The tries that need not be made again. */
  done: ReadonlySet<string>;
  /** Keeps what has been tried; nothing is kept once nothing is left. */
  save(done: readonly string[], isWhole: boolean): void;
}

/** @param about what must be the same for it to go on: command, scenario, seed, all that is to be tried */
export function exploreState(file: string, about: unknown): ExploreState {
  const key = createHash('sha256').update(JSON.stringify(about)).digest('hex');
  const done = new Set(readDone(file, key));
  return {
    done,
    save(more, isWhole) {
      try {
        if (isWhole) return rmSync(file, { force: true });
        mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
        writePrivately(file, JSON.stringify({ key, done: [...done, ...more] }));
      } catch (error) {
        note(`${file} cannot be written (${(error as NodeJS.ErrnoException).code ?? String(error)})`);
      }
    },
  };
}

// A file that cannot be read means that all is tried again.
function readDone(file: string, key: string): string[] {
  try {
    const kept: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return isTree(kept) && kept.key === key && Array.isArray(kept.done) ? kept.done.map(String) : [];
  } catch {
    return [];
  }
}
