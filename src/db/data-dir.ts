// The directory in which an emulator keeps its data, held by one process at a time.

import { accessSync, constants, lstatSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { worldIds } from '../config/names.js';
import { UnsafePath } from '../core/checkout-files.js';
import { StoreError } from '../core/errors.js';
import { namesIn } from '../core/files.js';
import { foreignIn, makeDataDir, ownDirectory } from '../core/own-directory.js';
import { makePrivate, privateDir, privateFile } from '../core/private-files.js';
import { holdLock } from './connection.js';

interface DataDir {
  /** The default world's database, or ':memory:'. */
  file: string;
  /** Its absolute path; null: everything is in memory. */
  path: string | null;
  release: () => void;
}

const reasons: Record<string, string> = {
  EEXIST: 'a file of that name is there',
  ENOTDIR: 'a part of the path is a file',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'that file system is read-only',
  ENOENT: 'no directory can be made there',
  ENOSPC: 'no space is left there',
  EDQUOT: 'no space is left there for this user',
};

/**
 * Makes the directory if needed and takes hold of it.
 *
 * @throws StoreError when it cannot be used or another process holds it
 */
export function openDataDir({ dir, ephemeral }: { dir: string; ephemeral: boolean }): DataDir {
  if (ephemeral) return { file: ':memory:', path: null, release: () => {} };
  const path = resolve(dir);
  try {
    makeDataDir(path);
    accessSync(path, constants.W_OK);
  } catch (error) {
    if (error instanceof UnsafePath) throw new StoreError(`${error.message} as --data-dir, or --ephemeral.`);
    const { code = '' } = error as NodeJS.ErrnoException;
    throw new StoreError(
      `The data directory ${path} cannot be used: ${reasons[code] ?? code}. Choose another --data-dir, or --ephemeral.`,
    );
  }
  requireNoLinks(path);
  takeDirectories(path);
  const release = holdLock(join(path, 'lock'));
  if (release === undefined) {
    throw new StoreError(
      `The data directory ${path} is in use by another cloudemu. Stop it, or choose another --data-dir, or --ephemeral.`,
    );
  }
  makeAllPrivate(path);
  return { file: join(path, 'world.db'), path, release };
}

/** Why uploads and SQLite would fail later: the system's temporary directory. */
export function temporaryProblem(): string | undefined {
  try {
    accessSync(tmpdir(), constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    const reason = code === 'ENOENT' ? 'it does not exist' : 'it cannot be written to';
    return `The temporary directory ${tmpdir()} cannot be used (${reason}): uploads and snapshots will fail. Create it, or set TMPDIR to another one.`;
  }
}

// The names of our own files: the directory may have been there before, with others in it.
const ours =
  /^((world|index)\.db|lock)(-image)?(-wal|-shm|-journal|-counts)?$|^run\.json|^emulator\.log$|^\.gitignore$/;

/** The names of a directory of snapshots. */
export const ourSnapshots = /\.snapshot\.json$|^\..*\.unfinished$|^\.cloudemu-directory$/;

// Files that an older cloudemu left behind have the usual mode. If a directory has other files in it, or is a link, only our
// own files in it are changed.
function makeAllPrivate(path: string): void {
  for (const name of namesIn(path)) if (ours.test(name)) makePrivate(join(path, name), privateFile);
  const snapshots = join(path, 'snapshots');
  const names = namesIn(snapshots);
  if (names.length > 0 && names.every((name) => ourSnapshots.test(name))) makePrivate(snapshots, privateDir);
  for (const name of names) if (ourSnapshots.test(name)) makePrivate(join(snapshots, name), privateFile);
}

/**
 * SQLite would follow a link, and write into whatever it points to; of a pipe it would wait for ever.
 *
 * @throws StoreError when one of our own files in a directory is a link, or no regular file
 */
export function requireNoLinks(path: string): void {
  for (const name of namesIn(path)) {
    if (!ours.test(name)) continue;
    const stats = lstatSync(join(path, name));
    if (stats.isFile()) continue;
    const [what, why] = stats.isSymbolicLink()
      ? ['a link', 'follows none to its own files']
      : ['no regular file', 'keeps its data in such files'];
    throw new StoreError(
      `${join(path, name)} is ${what}, and cloudemu ${why}. Delete it, or choose another --data-dir, or --ephemeral.`,
    );
  }
}

/** What a directory of the layers of images holds. */
export const ourRegistry = /^(uploads|sha256)$/;

/** What a directory of worlds holds. */
export const ourWorlds = /\.[0-9a-f]{8}(\.unfinished)?$|^index\.db/;

/** The directories of a data directory in which things are removed, and what they hold. */
const directories: Record<string, RegExp> = {
  failed: worldIds,
  registry: ourRegistry,
  worlds: ourWorlds,
};

/**
 * Decides of each of these whether it is ours to empty, before anything is removed.
 *
 * @throws StoreError
 */
function takeDirectories(path: string): void {
  try {
    const isThere = (name: string): boolean => lstatSync(join(path, name), { throwIfNoEntry: false }) !== undefined;
    for (const [name, known] of Object.entries(directories)) if (isThere(name)) ownDirectory(join(path, name), known);
    // Nothing is removed in it but files of our own names.
    if (isThere('snapshots')) foreignIn(join(path, 'snapshots'), ourSnapshots);
  } catch (error) {
    if (error instanceof UnsafePath)
      throw new StoreError(`${error.message}. Delete it, or choose another --data-dir, or --ephemeral.`);
    throw error;
  }
}
