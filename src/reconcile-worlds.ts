// Brings the list of the worlds on disk and their directories together when the emulator starts.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { WorldIndex } from './db/world-index.js';
import {
  type AboutWorld,
  finishDir,
  isEnded,
  readAbout,
  removeUnfinished,
  removeWorldDir,
  worldDirs,
} from './world-directories.js';

/**
 * Lists worlds again that the list has lost (a copy without its log, an older one, a power cut), and forgets those whose
 * directory is gone. It removes nothing but what is marked as unfinished or ended; where a directory does not say which
 * world it holds, it stays as it is.
 *
 * @param list lists the world of a directory; what it throws says why it cannot
 * @returns what was found otherwise than the list said, for the user
 */
export function reconcileWorlds(
  dir: string,
  index: WorldIndex,
  list: (about: AboutWorld, name: string) => void,
): string[] {
  const found = worldDirs(dir);
  const listed = index.dirs();
  const told: string[] = [];
  for (const name of found.unfinished) {
    // Killed when it was listed already, or before.
    if (listed.has(name)) {
      finishDir(dir, name);
      found.whole.push(name);
    } else removeUnfinished(dir, name);
  }
  const there = new Set(found.whole);
  for (const [name, id] of listed) {
    if (there.has(name)) continue;
    index.remove(id);
    told.push(`The directory of the world "${id}" is gone (${join(dir, name)}): it is no longer listed`);
  }
  for (const name of found.whole) {
    if (listed.has(name)) continue;
    const path = join(dir, name);
    if (isEnded(path)) removeWorldDir(path);
    else told.push(takeBack(path, index, (about) => list(about, name)));
  }
  return told;
}

function takeBack(path: string, index: WorldIndex, list: (about: AboutWorld) => void): string {
  const about = readAbout(path);
  try {
    if (about === undefined) throw new Error('it does not say which world it holds');
    if (!existsSync(join(path, 'world.db'))) throw new Error('it has no world.db');
    if (index.get(about.id) !== undefined) throw new Error(`another directory holds the world "${about.id}"`);
    list(about);
    return `The list of worlds had lost the world "${about.id}": it is listed again, from ${path}`;
  } catch (error) {
    const { message } = error as Error;
    return `${path} is not in the list of worlds, and stays as it is: ${message}. Delete it, or put a copy of the list back that has it`;
  }
}
