// Brings the list of the worlds on disk and their directories together when the emulator starts.

import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { ListedDir, WorldIndex } from '../db/world-index.js';
import {
  finishDir,
  isEnded,
  lastClosing,
  readAbout,
  removeUnfinished,
  removeWorldDir,
  worldDirs,
} from './directories.js';
import type { AboutWorld } from './world-storage.js';

/**
 * Lists worlds again that the list has lost, or of which it knows what is no longer so (a copy without its log, an older
 * one, a power cut), and forgets those whose directory is gone. It removes nothing but what is marked as unfinished or
 * ended; where a directory does not say which world it holds, it stays as it is.
 *
 * @param list lists the world of a directory; what it throws says why it cannot
 * @returns what was found otherwise than the list said, for the user, and the directories that stay as they are
 */
export function reconcileWorlds(
  dir: string,
  index: WorldIndex,
  list: (about: AboutWorld, name: string) => void,
): { told: string[]; aside: string[] } {
  const found = worldDirs(dir);
  const listed = index.dirs();
  const told = index.problem === undefined ? [] : [index.problem];
  for (const name of found.unfinished) {
    // Killed when it was listed already, or before.
    if (listed.has(name)) {
      finishDir(dir, name);
      found.whole.push(name);
    } else removeUnfinished(dir, name);
  }
  const there = new Set(found.whole);
  for (const [name, { id }] of listed) {
    if (there.has(name)) continue;
    index.remove(id);
    told.push(`The directory of the world "${id}" is gone (${join(dir, name)}): it is no longer listed`);
  }
  for (const name of found.whole) {
    const path = join(dir, name);
    const row = listed.get(name);
    if (isEnded(path)) {
      // The world may have ended after an older list was written.
      if (row !== undefined) index.remove(row.id);
      removeWorldDir(path);
    } else if (row === undefined || isOlder(row, path)) told.push(takeBack(path, index, (about) => list(about, name)));
  }
  const known = index.dirs();
  return { told, aside: found.whole.filter((name) => !known.has(name) && existsSync(join(dir, name))) };
}

// Its ttl would be counted from a former use, and its images would count as those that it had then.
function isOlder({ isNew, wasOpen, closing }: ListedDir, path: string): boolean {
  if (wasOpen) return false;
  return closing !== lastClosing(path) || (isNew && wasKilled(path));
}

// The log lies beside a world while it is open.
function wasKilled(path: string): boolean {
  return existsSync(join(path, 'world.db-wal'));
}

function takeBack(path: string, index: WorldIndex, list: (about: AboutWorld) => void): string {
  const about = readAbout(path);
  try {
    if (about === undefined) throw new Error('it does not say which world it holds');
    if (!existsSync(join(path, 'world.db'))) throw new Error('it has no world.db');
    const row = index.get(about.id);
    if (row !== undefined && row.dir !== basename(path))
      throw new Error(`another directory holds the world "${about.id}"`);
    list(about);
    return row === undefined
      ? `The list of worlds had lost the world "${about.id}": it is listed again, from ${path}`
      : `The list of worlds was older than the world "${about.id}": it is read again, from ${path}`;
  } catch (error) {
    const { message } = error as Error;
    return `${path} is not in the list of worlds, and stays as it is: ${message}. Delete it, or put a copy of the list back that has it`;
  }
}
