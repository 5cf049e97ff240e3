// The directory in which an emulator keeps its data, held by one process at a time.

import { accessSync, constants, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { holdLock, StoreError } from './connection.js';

export interface DataDir {
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
    mkdirSync(path, { recursive: true, mode: 0o700 });
    accessSync(path, constants.W_OK);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    throw new StoreError(
      `The data directory ${path} cannot be used: ${reasons[code] ?? code}. Choose another --data-dir, or --ephemeral.`,
    );
  }
  const release = holdLock(join(path, 'lock'));
  if (release === undefined) {
    throw new StoreError(
      `The data directory ${path} is in use by another cloudemu. Stop it, or choose another --data-dir, or --ephemeral.`,
    );
  }
  return { file: join(path, 'world.db'), path, release };
}
