// Converts storage failures of the system or SQLite into errors for clients.

import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { UnsafePath } from '../core/checkout-files.js';
import { ApiError } from '../core/errors.js';

const isGone = 'is no longer there: start cloudemu again';

const reasons: readonly [code: RegExp, reason: string][] = [
  [/^(SQLITE_FULL|ENOSPC|EDQUOT|EFBIG)$/, 'has no space left: free some, and send it again'],
  [/^(SQLITE_READONLY|EROFS|EACCES|EPERM)/, 'cannot be written any more: look at its rights and its file system'],
  [/^(SQLITE_CANTOPEN|ENOENT|ENOTDIR)/, isGone],
  [/^(SQLITE_CORRUPT|SQLITE_NOTADB)/, 'holds a damaged file: put a whole one there, or choose another --data-dir'],
  [/^(SQLITE_IOERR|SQLITE_BUSY|SQLITE_LOCKED|EIO|EMFILE|ENFILE)/, 'cannot be written: its file system refuses'],
];

/**
 * The error that clients get when something could not be stored; undefined when the reason is another one.
 *
 * @param path the file that was to be written
 * @param kind what its directory is
 */
export function storageFailure(error: unknown, path: string, kind = 'data directory'): ApiError | undefined {
  if (error instanceof UnsafePath)
    return new ApiError('SERVICE_UNAVAILABLE', { message: `Nothing was stored: ${error.message}` });
  const { code } = error as { code?: unknown };
  if (typeof code !== 'string') return undefined;
  const reason = reasons.find(([pattern]) => pattern.test(code))?.[1];
  return reason === undefined ? undefined : notStored(path, `${reason} (${code})`, kind);
}

/** Runs `act`, and throws what the system says as an error for clients. */
export function asStorageFailure<Result>(path: string, act: () => Result): Result {
  try {
    return act();
  } catch (error) {
    throw storageFailure(error, path) ?? error;
  }
}

/**
 * Remembers which file a path names.
 *
 * @returns throws an error for clients once that file is gone: what an open one still takes, nobody would find again
 */
export function watchFile(path: string): () => void {
  const { ino } = statSync(path);
  return () => {
    if (statSync(path, { throwIfNoEntry: false })?.ino !== ino) throw notStored(path, isGone);
  };
}

function notStored(path: string, reason: string, kind = 'data directory'): ApiError {
  const place = path === ':memory:' ? 'memory' : `the ${kind} ${dirname(path)}`;
  return new ApiError('SERVICE_UNAVAILABLE', { message: `Nothing was stored: ${place} ${reason}` });
}
