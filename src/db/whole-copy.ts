// A world's database as one file, with its journal.

import type { Db } from './db.js';
import { withoutWal } from './wal-header.js';

/** The bytes of the file. */
export const wholeCopy = (db: Db): Buffer => withoutWal(db.exclusive((connection) => connection.serialize()));
