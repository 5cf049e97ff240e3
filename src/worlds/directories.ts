// The directories of worlds on disk: which of them are whole, and what each says of its own world, without a list.

import { existsSync, readdirSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { readFoundText } from '../core/checkout-files.js';
import { parsedJson } from '../core/json.js';
import { makeDirectory, privateDir, replacePrivately, writePrivately } from '../core/private-files.js';
import { freshSeed } from '../core/random.js';
import type { AboutWorld } from './world-storage.js';

const aboutFile = 'world.json';
const endedFile = 'ended';
const closedFile = 'closed';
const unfinished = '.unfinished';

/** The request for a world, as it is stored. */
export const storedRequest = z.lazy(() => {
  const clock = z.lazy(() => z.object({ start: z.string().optional(), frozen: z.boolean().optional() }));
  return z.looseObject({ ttl: z.number(), label: z.string().exactOptional(), clock: clock.exactOptional() });
});

const shape = z.lazy(() =>
  z.object({
    id: z.string(),
    owner: z.string(),
    port: z.int().nullable(),
    isNew: z.boolean(),
    asked: storedRequest,
  }),
);

/** The names of the directories of whole worlds in a directory, and of those whose making was not finished. */
export function worldDirs(dir: string): { whole: string[]; unfinished: string[] } {
  const names = readdirSync(dir, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? entry.name : []));
  return {
    whole: names.filter((name) => /\.[0-9a-f]{8}$/.test(name)).sort(),
    unfinished: names.flatMap((name) => /^(.+\.[0-9a-f]{8})\.unfinished$/.exec(name)?.[1] ?? []),
  };
}

/**
 * Makes the directory of a new world; it counts as unfinished until `finishDir`. A process that is killed meanwhile
 * leaves nothing that could be taken for a world.
 */
export function makeWorldDir(dir: string, about: AboutWorld): { name: string; path: string } {
  const name = `${about.id}.${freshSeed().slice(0, 8)}`;
  const path = join(dir, name + unfinished);
  makeDirectory(path, privateDir);
  writePrivately(join(path, aboutFile), JSON.stringify(about));
  return { name, path };
}

/** Gives the directory of a world that is listed its own name. */
export function finishDir(dir: string, name: string): void {
  renameSync(join(dir, name + unfinished), join(dir, name));
}

export function removeUnfinished(dir: string, name: string): void {
  rmSync(join(dir, name + unfinished), { recursive: true, force: true });
}

/**
 * Ends the world of a directory: where the process is killed before it is gone, the next start removes it, whatever an
 * older list says.
 *
 * @param unlist takes it off the list; what it throws leaves the world as it was
 */
export function endWorld(path: string, unlist: () => void): void {
  if (existsSync(path)) writePrivately(join(path, endedFile), '');
  try {
    unlist();
  } catch (error) {
    rmSync(join(path, endedFile), { force: true });
    throw error;
  }
}

export function isEnded(path: string): boolean {
  return existsSync(join(path, endedFile));
}

/**
 * Notes that the world of a directory was closed, so that a list that is older than that is recognised.
 *
 * @returns the name of this closing; null where it cannot be noted
 */
export function noteClosing(path: string): string | null {
  const name = freshSeed().slice(0, 8);
  try {
    writePrivately(join(path, closedFile), name);
    return name;
  } catch {
    return null;
  }
}

/** The name of the last closing of a world; null: it is open, or was when the process was killed, or never was. */
export function lastClosing(path: string): string | null {
  const file = join(path, closedFile);
  // A start asks this of every world: an error of a file that is missing costs several times as much as a look.
  if (!existsSync(file)) return null;
  try {
    return readFoundText(file);
  } catch {
    return null;
  }
}

/** Notes that a world is open. */
export function noteOpening(path: string): void {
  rmSync(join(path, closedFile), { force: true });
}

/** Removes the directory of a world that has ended, its mark last. */
export function removeWorldDir(path: string): void {
  if (!existsSync(path)) return;
  for (const name of readdirSync(path))
    if (name !== endedFile) rmSync(join(path, name), { recursive: true, force: true });
  rmSync(join(path, endedFile), { force: true });
  rmdirSync(path);
}

/** Whether a directory says of its world what the list should know. */
export function saysWhatItHolds(path: string): boolean {
  return existsSync(join(path, aboutFile));
}

export function writeAbout(path: string, about: AboutWorld): void {
  replacePrivately(join(path, aboutFile), JSON.stringify(about));
}

/** The facts that a directory states of its world; undefined where it states none. */
export function readAbout(path: string): AboutWorld | undefined {
  try {
    const value = parsedJson(readFoundText(join(path, aboutFile)));
    return shape.safeParse(value, { jitless: true }).success ? (value as AboutWorld) : undefined;
  } catch {
    return undefined;
  }
}
