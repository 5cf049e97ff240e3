// Puts images back into worlds, and empties them. The journal and the history stay: they are records of the past.

import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type Database from 'better-sqlite3';
import { writePrivately } from '../core/private-files.js';
import { allowLooseReferencesOn, pragma } from './compacted.js';
import { connect, DamagedError, migrate, StoreError } from './connection.js';
import type { Db } from './db.js';
import { schemaVersion } from './migrations.js';
import { records, tableNames } from './schema.js';
import { asStorageFailure } from './storage-failure.js';
import { temporaryStart } from './temporary-directory.js';
import { withoutWal } from './wal-header.js';
import { forgetMoment, noteMoment, tablesToReplace, type WorldImage } from './world-image.js';

/**
 * Replaces a world's data by an image, completely or not at all; `also` runs in the same transaction.
 *
 * @throws when the image is not a world, or violates a foreign key; StoreError when `also` finds it damaged
 */
export function putBack(db: Db, image: WorldImage, also: () => void): void {
  // Damage that `also` finds is that of the image, because the world that was there before is sound.
  const alsoOfImage = (): void => {
    try {
      also();
    } catch (error) {
      throw error instanceof DamagedError ? new StoreError(`it is damaged: ${error.reason}`) : error;
    }
  };
  if (!db.inMemory || !swapIn(db, image, alsoOfImage)) copyIn(db, image, alsoOfImage);
}

// A database in memory is replaced as a whole if the image has the same tables. One that is older, or damaged, is copied row by
// row, which tells the one from the other.
function swapIn(db: Db, image: WorldImage, also: () => void): boolean {
  const next = connect(withoutWal(image.bytes));
  const former = db.exclusive((connection) => connection);
  if (!fits(next, former, image)) {
    next.close();
    return false;
  }
  // Its tables are those of another database from now on.
  forgetMoment(db);
  db.swap(next, () => {
    keepJournal(former, next);
    also();
    checkReferences(next);
  });
  image.isChecked = true;
  return true;
}

// A check takes twice as long as the rest.
function fits(next: Database.Database, former: Database.Database, { isChecked }: WorldImage): boolean {
  try {
    return (
      (isChecked || next.pragma('quick_check(1)', { simple: true }) === 'ok') &&
      next.pragma('user_version', { simple: true }) === schemaVersion &&
      tablesAndIndexes(next) === tablesAndIndexes(former)
    );
  } catch {
    return false;
  }
}

function tablesAndIndexes(connection: Database.Database): string {
  return connection
    .prepare('SELECT type || name || sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type, name')
    .pluck()
    .all()
    .join('\n');
}

// Copies records as bytes: making strings of megabytes and bytes of them again would take longer than all the rest.
function keepJournal(from: Database.Database, to: Database.Database): void {
  // The history of a world in memory lies in its table only while the world is closed.
  to.exec('DELETE FROM journal; DELETE FROM history');
  const rows = from.prepare('SELECT last_seq, count, CAST(records AS BLOB) AS bytes FROM journal').all();
  const insert = to.prepare(`INSERT INTO journal (last_seq, count, records)
    VALUES (@last_seq, @count, CAST(@bytes AS TEXT))`);
  for (const row of rows) insert.run(row);
}

function copyIn(db: Db, image: WorldImage, also: () => void): void {
  const { file, remove } = temporaryFileFor(db);
  try {
    asStorageFailure(file, () => writePrivately(file, withoutWal(image.bytes)));
    if (versionIn(image.bytes) !== schemaVersion) updateImage(file);
    db.exclusive((connection) => {
      connection.prepare('ATTACH @file AS image').run({ file });
      try {
        const tables = tablesToReplace(db, connection, image);
        replaceAll(db, connection, tables, () => {
          copyTables(connection, tables);
          // Before `also`, so that what it writes counts as written since.
          image.moment = noteMoment(db, connection);
          also();
        });
      } catch (error) {
        forgetMoment(db);
        throw error;
      } finally {
        connection.exec('DETACH image');
      }
    });
  } finally {
    remove();
  }
}

// SQLite copies between files; a private one, gone as soon as it was read. Beside a world's own it needs no directory, whose
// removal takes 1 ms of the 6 that a restore of 500 rows takes.
function temporaryFileFor(db: Db): { file: string; remove(): void } {
  if (!db.inMemory) {
    const file = db.exclusive(({ name }) => `${name}-image`);
    // SQLite would apply the log of one that a killed process left. One that is only read gets none.
    for (const ending of ['-journal', '-wal', '-shm']) rmSync(file + ending, { force: true });
    return { file, remove: () => rmSync(file, { force: true }) };
  }
  const directory = mkdtempSync(temporaryStart('cloudemu-image-'));
  return {
    file: join(directory, 'world.db'),
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}

/** Deletes all data of a world except records of the past; `fill` runs in the same transaction. */
export function replaceContent(db: Db, fill: () => void): void {
  db.exclusive((connection) => replaceAll(db, connection, tableNames, fill));
}

/**
 * Lets rows point at others that are not there until `replaceContent` ends, for a database that is emptied and filled
 * again and again: to switch that on or off makes SQLite prepare every statement anew.
 */
export function allowLooseReferences(db: Db): void {
  db.exclusive((connection) => connection.pragma('foreign_keys = OFF'));
}

// Rows point at each other: the check comes when all are there.
function replaceAll(db: Db, connection: Database.Database, tables: readonly string[], fill: () => void): void {
  const setBack = allowLooseReferencesOn(connection);
  const cacheSize = pragma(connection, 'cache_size');
  // Pages that the cache does not hold are written and read several times: 42 instead of 63 ms with 6,000 containers.
  if (!db.inMemory) connection.pragma('cache_size = -16000');
  try {
    connection.transaction(() => {
      emptyTables(db, tables);
      fill();
      checkReferences(connection);
    })();
  } finally {
    connection.pragma(`cache_size = ${cacheSize}`);
    setBack();
  }
}

// With statements of the database, which are prepared once.
function emptyTables(db: Db, tables: readonly string[]): void {
  for (const name of tables) if (!records.includes(name)) db.run(`DELETE FROM ${name}`);
}

/** @throws when rows point at rows that are not there */
export function checkReferences(connection: Database.Database): void {
  const broken = connection.pragma('foreign_key_check') as unknown[];
  if (broken.length > 0) throw new Error('the image is damaged: rows point at rows that are not there');
}

function copyTables(connection: Database.Database, tables: readonly string[]): void {
  for (const { name, isSame } of connection.prepare(sharedTables).all() as {
    name: string;
    isSame: 0 | 1;
  }[]) {
    if (!tables.includes(name)) continue;
    // Between tables of one form SQLite copies whole pages, but only where no columns are named.
    const columns = isSame === 1 ? '' : columnsOf(connection, name);
    connection.exec(
      `INSERT INTO main.${name} ${columns && `(${columns})`} SELECT ${columns || '*'} FROM image.${name}`,
    );
  }
}

const sharedTables = `SELECT name, theirs.sql = own.sql AS isSame
  FROM image.sqlite_schema AS theirs JOIN main.sqlite_schema AS own USING (type, name)
  WHERE type = 'table' AND name NOT LIKE 'sqlite_%'
  AND name NOT IN (${records.map((name) => `'${name}'`)}) ORDER BY theirs.rowid`;

function columnsOf(connection: Database.Database, table: string): string {
  return (connection.pragma(`main.table_info(${table})`) as { name: string }[]).map(({ name }) => name).join(', ');
}

// An older image learns the newer tables first.
function updateImage(file: string): void {
  const image = connect(file);
  try {
    migrate(image, file);
  } finally {
    image.close();
  }
}

// SQLite keeps user_version at this place of its header.
function versionIn(image: Buffer): number {
  return image.length < 64 ? 0 : image.readUInt32BE(60);
}
