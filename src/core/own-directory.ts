// The directories of cloudemu: data directories, and those in them in which it removes what it no longer needs. One function
// decides whether a directory is ours to empty.

import { lstatSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { demandNoLinks, UnsafePath } from './checkout-files.js';
import { makeDirectory, privateDir, writePrivately } from './private-files.js';

const ignoreFile = '.gitignore';

/**
 * Makes a data directory, for its owner alone, that git does not see. One that is there already stays as it is: it may be
 * a directory with files of the user's own.
 *
 * @returns a function that removes it again if nothing was put into it, or undefined when it was there
 * @throws UnsafePath where a part of its path in a checkout is a link
 */
export function makeDataDir(path: string): (() => void) | undefined {
  demandNoLinks(path);
  if (!makeDirectory(path, privateDir)) return undefined;
  writePrivately(join(path, ignoreFile), '*\n');
  return () => {
    try {
      if (readdirSync(path).some((name) => name !== ignoreFile)) return;
      rmSync(join(path, ignoreFile), { force: true });
      rmdirSync(path);
    } catch {
      // Another emulator has just started to use it, or it was removed.
    }
  };
}

/** Says of a directory that it is ours to empty. */
export const markFile = '.cloudemu-directory';
const markText = 'cloudemu made this directory, and removes what it no longer needs in it.\n';

/**
 * Makes a directory in which things will be removed, or decides whether one that is there is ours to empty: it holds our mark,
 * or nothing but what an earlier version left there, which had none. It gets the mark then.
 *
 * @param known the names that such a directory may hold
 * @returns the name of something in it that is another one's; undefined: it is ours
 * @throws UnsafePath when it is a link, lies behind one, or holds one
 */
export function foreignIn(path: string, known: RegExp): string | undefined {
  demandNoLinks(path);
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats?.isSymbolicLink() === true)
    throw new UnsafePath(path, 'is a link, and cloudemu follows none to its own files');
  if (stats?.isDirectory() === false) throw new UnsafePath(path, 'must be a directory of cloudemu, is a file');
  if (stats === undefined) makeDirectory(path, privateDir);
  else {
    const entries = readdirSync(path, { withFileTypes: true });
    const link = entries.find((entry) => entry.isSymbolicLink());
    if (link !== undefined)
      throw new UnsafePath(join(path, link.name), 'is a link, and cloudemu follows none to its own files');
    if (entries.some((entry) => entry.name === markFile && entry.isFile())) return undefined;
    const foreign = entries.find(({ name }) => !known.test(name));
    if (foreign !== undefined) return foreign.name;
  }
  writePrivately(join(path, markFile), markText);
  return undefined;
}

/**
 * The same, where things cannot but be removed.
 *
 * @throws UnsafePath when it is another one's, too
 */
export function ownDirectory(path: string, known: RegExp): void {
  const foreign = foreignIn(path, known);
  if (foreign !== undefined)
    throw new UnsafePath(path, `is no directory of cloudemu, which would remove files in it: it holds ${foreign}`);
}
