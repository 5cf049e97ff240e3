// The directory in which an emulator keeps its data, held by one process at a time.

import { accessSync, constants, lstatSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { makeDataDir, makePrivate, privateDir, privateFile } from '../core/private-files.js';
import { holdLock, StoreError } from './connection.js';

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
    const { code = '' } = error as NodeJS.ErrnoException;
    throw new StoreError(
      `The data directory ${path} cannot be used: ${reasons[code] ?? code}. Choose another --data-dir, or --ephemeral.`,
    );
  }
  requireNoLinks(path);
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

const ourSnapshots = /\.snapshot\.json$|^\..*\.unfinished$/;

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
 * SQLite would follow a link, and write into whatever it points to.
 *
 * @throws StoreError when one of our own files in a directory is a link
 */
export function requireNoLinks(path: string): void {
  for (const name of namesIn(path)) {
    if (!ours.test(name) || !lstatSync(join(path, name)).isSymbolicLink()) continue;
    throw new StoreError(
      `${join(path, name)} is a link, and cloudemu follows none to its own files. Delete it, or choose another --data-dir, or --ephemeral.`,
    );
  }
}

function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch {
    return [];
  }
}
