// The file of a world: made whole or not at all, and never taken for a new one when its content has gone.

import { renameSync, rmSync, statSync } from 'node:fs';
import { writePrivately } from '../core/private-files.js';
import { schema, schemaVersion } from './schema.js';
import { openSqlite } from './sqlite.js';

/** Small pages: most rows lie alone where they are changed, and a commit writes whole pages. */
const pageSize = 2_048;

/**
 * Makes the file of a new world where there is none.
 *
 * @returns what is wrong with the one that is there, for the user, or undefined
 */
export function prepareWorldFile(file: string): string | undefined {
  const size = statSync(file, { throwIfNoEntry: false })?.size;
  if (size === 0) return 'it is empty: what it held is gone. Put a copy of it back, or delete it to begin a new world';
  if (size !== undefined) return undefined;
  // Logs of a file that somebody has deleted would be taken for its own.
  for (const ending of ['-wal', '-shm', '-counts']) rmSync(file + ending, { force: true });
  // A process that is killed meanwhile leaves no half of a world.
  const unfinished = `${file}.new`;
  try {
    writePrivately(unfinished, emptyWorld());
    renameSync(unfinished, file);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
  return undefined;
}

function emptyWorld(): Buffer {
  const db = openSqlite(':memory:');
  try {
    db.pragma(`page_size = ${pageSize}`);
    db.exec(`BEGIN; ${schema} PRAGMA user_version = ${schemaVersion}; COMMIT;`);
    return db.serialize();
  } finally {
    db.close();
  }
}
