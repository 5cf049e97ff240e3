// The data of a world at an instant, as a value. An image is put back row by row, in a world in memory and in one in a file alike.
// The journal and the history, records of the past, belong to no image, and stay where they are.

import type Database from 'better-sqlite3';
import { connect, migrate, openConnection, versionOf } from './connection.js';
import type { Db } from './db.js';
import { schemaVersion } from './migrations.js';
import { dataTables } from './schema.js';
import type { SqlValue } from './sql-value.js';
import { withoutWal } from './wal-header.js';

/** All data of a world but records of the past, as the bytes of an SQLite file. */
export interface WorldImage {
  readonly bytes: Buffer;
  /** Whether the bytes were looked at, or are our own: they hold a world that can be put back. */
  isChecked: boolean;
}

/** Bytes of a file that is worth to be copied without its gaps. */
const smallFile = 1_000_000;

/** The image of a world as it is now. */
export function imageOf(db: Db): WorldImage {
  const bytes = db.exclusive((connection) => {
    const { size, records, free } = connection.prepare(sizes).get() as Sizes;
    if (size > smallFile && records + free > size / 2) return compacted(connection);
    // Pages are copied in a fifth of the time.
    const pages = withoutWal(connection.serialize());
    return records === 0 ? pages : withoutRecords(pages);
  });
  return { bytes, isChecked: true };
}

/** About how many bytes the image of a world would take. */
export function imageSize(db: Db): number {
  const { size, records, free } = db.get<Sizes>(sizes) as Sizes;
  return size - records - free;
}

/** Bytes of a database: all, those of its records, and those of pages that hold nothing. */
interface Sizes {
  size: number;
  records: number;
  free: number;
}

const sizes = `SELECT page_count * page_size AS size, freelist_count * page_size AS free,
    (SELECT total(octet_length(records)) FROM journal) + (SELECT total(bytes) FROM history) AS records
  FROM pragma_page_count, pragma_page_size, pragma_freelist_count`;

function withoutRecords(pages: Buffer): Buffer {
  const copy = connect(pages);
  try {
    copy.exec('PRAGMA journal_mode = OFF; PRAGMA secure_delete = ON; DELETE FROM journal; DELETE FROM history');
    return copy.serialize();
  } finally {
    copy.close();
  }
}

/** The tables of a connection as an image, without gaps and without records of the past. */
export function compacted(connection: Database.Database): Buffer {
  const copy = openConnection(':memory:');
  try {
    copy.transaction(() => copyRows(connection, copy))();
    return copy.serialize();
  } finally {
    copy.close();
  }
}

/**
 * Deletes all data of a world except records of the past, and fills it anew, completely or not at all.
 *
 * @param image what it is filled with, before `fill` runs in the same transaction; undefined: nothing
 * @throws when the image is no world, or its rows point at rows that are not there
 */
export function replaceContent(db: Db, image: WorldImage | undefined, fill: () => void): void {
  const source = image && openImage(image);
  try {
    db.exclusive((connection) =>
      connection.transaction(() => {
        // Rows point at those of earlier tables. Not to check that meanwhile would have SQLite prepare all statements anew.
        for (const { name } of dataTables.toReversed()) connection.exec(`DELETE FROM ${name}`);
        if (source !== undefined) copyRows(source, connection);
        fill();
      })(),
    );
  } finally {
    source?.close();
  }
}

/** An image as a database in memory, with the tables of this version. */
function openImage({ bytes, isChecked }: WorldImage): Database.Database {
  const connection = connect(withoutWal(bytes));
  try {
    if (!isChecked && connection.pragma('quick_check(1)', { simple: true }) !== 'ok')
      throw new Error('the image is damaged');
    if (versionOf(connection) !== schemaVersion) migrate(connection, ':memory:');
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

function copyRows(from: Database.Database, into: Database.Database): void {
  const there = new Set(from.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all());
  for (const { name, columns } of dataTables) {
    if (!there.has(name)) continue;
    const rows = from.prepare(`SELECT ${columns} FROM ${name}`).raw().all() as SqlValue[][];
    if (rows.length === 0) continue;
    const insert = into.prepare<[SqlValue[]]>(`INSERT INTO ${name} (${columns}) VALUES (${columns.map(() => '?')})`);
    for (const row of rows) insert.run(row);
  }
}
