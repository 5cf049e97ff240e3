// Files that only their owner may read, from their first byte on.

import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { demandWritable } from './checkout-files.js';

/** The mode of files that hold data of a world. */
export const privateFile = 0o600;
/** The mode of directories that hold them. */
export const privateDir = 0o700;

/**
 * Creates an empty private file where there is none, for programs that would create it with the usual mode. What SQLite
 * puts beside a database (its log, its index) takes the mode of the database.
 */
export function createPrivately(file: string): void {
  try {
    closeSync(openSync(file, 'ax', privateFile));
  } catch (error) {
    // An existing file is not opened: closing it would release the locks that SQLite holds on it in this process.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/**
 * Opens a new private file for writing, in the place of one of that name. What a link points to stays as it is: a cloned
 * repository may bring a data directory with links in it.
 */
export function openAfresh(file: string, flags = 0): number {
  try {
    unlinkSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  return openSync(file, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | flags, privateFile);
}

/** Writes a new private file, in the place of one of that name. */
export function writePrivately(file: string, text: string | Buffer): void {
  writeAndClose(openAfresh(file), text);
}

/** Writes a private file that is whole at any moment: before as the former one, then as this one. */
export function replacePrivately(file: string, text: string | Buffer): void {
  const unfinished = `${file}.new`;
  writePrivately(unfinished, text);
  renameSync(unfinished, file);
}

/**
 * Writes the private file that a user names: through links, into devices and pipes, which keep their mode; in a checkout into
 * none of these.
 *
 * @throws UnsafePath
 */
export function writeNamed(file: string, text: string | Buffer): void {
  demandWritable(file);
  const handle = openSync(file, 'w', privateFile);
  writeAndClose(handle, text, () => {
    if (fstatSync(handle).isFile()) fchmodSync(handle, privateFile);
  });
}

function writeAndClose(handle: number, text: string | Buffer, before: () => void = () => {}): void {
  try {
    before();
    writeFileSync(handle, text);
  } finally {
    closeSync(handle);
  }
}

/** Takes the rights of others away, as far as this user may; a path that is not there is left alone, and so is a link. */
export function makePrivate(path: string, mode: number): void {
  try {
    if (!lstatSync(path).isSymbolicLink()) chmodSync(path, mode);
  } catch {
    // The file does not exist, or belongs to another user.
  }
}

/**
 * Makes a directory and those above it. Node's own recursive mkdir never returns where a file system lets nobody make
 * one, as in /proc.
 *
 * @returns whether it was not there before
 * @throws the system's error when it cannot be made
 */
export function makeDirectory(path: string, mode: number): boolean {
  try {
    mkdirSync(path, { mode });
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return false;
    // The one above it is there, and still it cannot be made.
    if (code !== 'ENOENT' || dirname(path) === path || !makeDirectory(dirname(path), mode)) throw error;
    return makeDirectory(path, mode);
  }
}
