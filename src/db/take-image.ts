// Takes images of worlds. The journal and the history, records of the past, are not part of them.

import type Database from 'better-sqlite3';
import { compacted, pragma } from './compacted.js';
import { connect } from './connection.js';
import type { Db } from './db.js';
import { records } from './schema.js';
import { withoutWal } from './wal-header.js';
import { type Moment, noteMoment, type WorldImage } from './world-image.js';

const mostAtOnce = 1_000_000;
const mostOfTables = 8_000_000;

/** A copy of the data as they are, which no later restore is compared with. */
export function copyOf(db: Db): Buffer {
  return ownCopy(db, false).bytes;
}

/** A copy of a world to change: that of one in memory holds its records, too. */
export function copyToChange(db: Db): Buffer {
  if (!db.inMemory) return imageOf(db).bytes;
  return db.exclusive((connection) => withoutWal(connection.serialize()));
}

/** The image of a world. */
export const imageOf = (db: Db): WorldImage => ownCopy(db);

const sizeOf = (connection: Database.Database): number =>
  pragma(connection, 'page_count') * pragma(connection, 'page_size');

// That of the tables takes 5 ms a megabyte, but
// need not look at records; that of all pages takes 1.3, and records are then taken out of it.
function ownCopy(db: Db, isNoted = true): WorldImage {
  const { holdsRecords, copy, ...moment }: { moment?: Moment; holdsRecords: boolean; copy: Buffer } = db.exclusive(
    (connection) => {
      const moment = isNoted ? { moment: noteMoment(db, connection) } : {};
      const size = sizeOf(connection);
      const ofRecords = connection.prepare(sizeOfRecords).pluck().get() as number;
      if (size > mostAtOnce && size - ofRecords <= mostOfTables)
        return { ...moment, holdsRecords: false, copy: compacted(connection) };
      return { ...moment, holdsRecords: ofRecords > 0, copy: withoutWal(connection.serialize()) };
    },
  );
  return { bytes: holdsRecords ? withoutRecords(copy) : copy, isChecked: true, ...moment };
}

const sizeOfRecords = `SELECT (SELECT total(octet_length(records)) FROM journal)
  + (SELECT total(bytes) FROM history)`;

/** Takes the records out of a copy that is thrown away should it fail: then nothing need be kept for going back. */
export function dropRecords(copy: Database.Database): void {
  copy.pragma('journal_mode = OFF');
  copy.pragma('secure_delete = ON');
  copy.exec(records.map((name) => `DELETE FROM ${name};`).join(''));
}

// Each step copies all pages, or looks at many.
function withoutRecords(pages: Buffer): Buffer {
  const copy = connect(pages);
  try {
    dropRecords(copy);
    if (pragma(copy, 'freelist_count') > pragma(copy, 'page_count') / 2) copy.exec('VACUUM');

    return copy.serialize();
  } finally {
    copy.close();
  }
}
