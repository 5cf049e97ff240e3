// Connections to SQLite files: creating, opening, migrating and locking them, and preparing statements.

import { renameSync, rmSync, statSync } from 'node:fs';
import type Database from 'better-sqlite3';
import { ApiError, StoreError } from '../core/errors.js';
import { memoizeMany } from '../core/memoize-last.js';
import { createPrivately, writePrivately } from '../core/private-files.js';
import { applicationId, formatMark, migrations, schemaVersion } from './migrations.js';
import { missingTables, schema, tables } from './schema.js';
import { isSqliteError, openSqlite, SqliteMissingError } from './sqlite.js';

/** Thrown when what a database holds cannot be read: clients of a world that is open get it as it is. */
export class DamagedError extends ApiError {
  constructor(readonly reason: string) {
    super('SERVICE_UNAVAILABLE', { message: `The database of this world is damaged: ${reason}` });
  }
}

/**
 * A connection whose tables are those of this program.
 *
 * @param image what a new one in memory begins with
 * @param exclusive whether no other process may open the file meanwhile
 * @throws StoreError when the file is no database of ours, is newer than this program, or is open elsewhere
 */
export function openConnection(file: string, image?: Buffer, exclusive = false): Database.Database {
  if (file !== ':memory:') prepare(file);
  const db = connect(image ?? (file === ':memory:' ? emptyWorld(pageSizeInMemory) : file));
  try {
    if (exclusive) db.pragma('locking_mode = EXCLUSIVE');
    migrate(db, file);
    if (file !== ':memory:') requireTables(db);
  } catch (error) {
    db.close();
    throw error instanceof StoreError ? error : unusable(file, error);
  }
  return db;
}

/**
 * Holds a lock file for as long as the process lives, so that two processes never share a data directory.
 *
 * @returns a release function, or undefined when another process holds it
 * @throws StoreError when the file cannot be opened or is no lock of ours
 */
export function holdLock(file: string): (() => void) | undefined {
  const db = connect(file);
  try {
    db.pragma('busy_timeout = 0');
    db.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    db.close();
    if (/^SQLITE_(BUSY|LOCKED)/.test((error as { code?: string }).code ?? '')) return undefined;
    throw unusable(file, error);
  }
  return () => db.close();
}

/** A connection without anything of ours; a buffer is the content of one in memory. */
export function connect(file: string | Buffer): Database.Database {
  if (typeof file === 'string' && file !== ':memory:') createFile(file);
  try {
    return openSqlite(file, { timeout: 5_000 });
  } catch (error) {
    if (error instanceof SqliteMissingError) throw new StoreError(error.message);
    if (!isSqliteError(error) && !(error instanceof TypeError)) throw error;
    throw unusable(typeof file === 'string' ? file : 'An image', error);
  }
}

function createFile(file: string): void {
  try {
    createPrivately(file);
  } catch {
    // SQLite cannot open it either, and says why.
  }
}

function prepare(file: string): void {
  try {
    const problem = prepareWorldFile(file);
    if (problem !== undefined) throw new StoreError(`${file} cannot be used: ${problem}.`);
  } catch (error) {
    throw error instanceof StoreError ? error : unusable(file, error);
  }
}

/** The error of a file that SQLite cannot use. */
export function unusable(file: string, error: unknown): StoreError {
  const isDamaged = error instanceof DamagedError;
  const reason = isDamaged ? error.reason : error instanceof Error ? error.message : String(error);
  const damaged = isDamaged || (isSqliteError(error) && /^SQLITE_(CORRUPT|NOTADB|ERROR$)/.test(error.code));
  const more = damaged ? '; or put a copy of the file back' : '';
  return new StoreError(`${file} cannot be used: ${reason}. Choose another --data-dir, or --ephemeral${more}.`);
}

/**
 * Does what belongs to opening a file; where it throws, what was opened is closed, as nobody else could open it then.
 *
 * @throws StoreError when what the file holds cannot be read
 */
export function orClosed<Result>(file: string, opened: { close(): void }, act: () => Result): Result {
  try {
    return act();
  } catch (error) {
    opened.close();
    throw error instanceof DamagedError || isSqliteError(error) ? unusable(file, error) : error;
  }
}

/** The version of the format of a database; 0: it is none of ours. */
export function versionOf(db: Database.Database): number | 'unreleased' {
  const version = db.pragma('user_version', { simple: true }) as number;
  if (version === 0 || db.pragma('application_id', { simple: true }) === applicationId) return version;
  const wanted = db
    .prepare("SELECT count(*) FROM sqlite_schema WHERE name IN ('containers', 'api_keys')")
    .pluck()
    .get();
  return wanted === 2 ? 'unreleased' : 0;
}

/** The error of a file in a format that no release has written. */
export function unreleased(file: string): StoreError {
  return new StoreError(
    `${file} was written by a build of cloudemu from before its first release, which cannot be read. Use another --data-dir, or delete this one.`,
  );
}

/** Brings a connection's tables to this program's version, and sets how it works. */
export function migrate(db: Database.Database, file: string): void {
  const inMemory = file === ':memory:';
  const version = versionOf(db);
  if (version === 0) throw unusable(file, new Error('it does not hold a world'));
  if (version === 'unreleased') throw unreleased(file);
  if (version > schemaVersion)
    throw new StoreError(
      `${file} was written by a newer cloudemu (format ${version}, this one knows ${schemaVersion}). Update cloudemu, or use another --data-dir.`,
    );
  // Rows would go with the table that a step replaces, if others point at them.
  if (version < schemaVersion)
    db.exec(
      `PRAGMA foreign_keys = OFF; BEGIN; ${migrations
        .slice(version - 1)
        .map((step) => `${step};`)
        .join('\n')} ${missingTables} ${formatMark()} COMMIT;`,
    );
  // Writes do not wait for the disk, as that delayed all requests by 15 ms at times (p99 of creations under load 18
  // instead of 6 ms). A killed process loses nothing by it; a machine that loses power may damage what was written last.
  if (!inMemory) db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA wal_autocheckpoint = 8000;');
  // The system has in memory what SQLite would cache: 2 MB instead of better-sqlite3's 16 take 15 of 166 MB from a process
  // under load, and requests use as much CPU (test/bench/README.md). A database in memory needs no cache in memory.
  db.exec(`PRAGMA cache_size = ${inMemory ? 16 : -2_000};`);
  db.exec('PRAGMA temp_store = MEMORY; PRAGMA foreign_keys = ON;');
}

// What is missing would fail later, with each request that needs it.
function requireTables(db: Database.Database): void {
  const found = db.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'table'").all();
  const texts = new Map((found as { name: string; sql: string }[]).map(({ name, sql }) => [name, sql]));
  for (const { name, text, columns } of tables) {
    if (!texts.has(name)) throw new DamagedError(`its table ${name} is missing`);
    // Those of older versions have other texts.
    if (texts.get(name) === text) continue;
    const there = new Set((db.pragma(`table_info(${name})`) as { name: string }[]).map((column) => column.name));
    const missing = columns.find((column) => !there.has(column));
    if (missing !== undefined) throw new DamagedError(`the column ${missing} of its table ${name} is missing`);
  }
}

export interface Prepared {
  statement: Database.Statement;
  /** The tables whose rows it writes, with those from which SQLite removes rows by itself; undefined: it only reads. */
  writes: readonly string[] | undefined;
}

export interface Session {
  db: Database.Database;
  prepare(sql: string): Prepared;
  begin: Database.Statement;
  commit: Database.Statement;
  rollback: Database.Statement;
  savepoint: Database.Statement;
  release: Database.Statement;
  rollbackToSavepoint: Database.Statement;
  close(): void;
}

/** A session on a connection; statements are prepared when they are first asked for. */
export function sessionOn(db: Database.Database): Session {
  const statements = new Map<string, Prepared>();
  return {
    db,
    prepare(sql) {
      let prepared = statements.get(sql);
      if (prepared === undefined) {
        const statement = db.prepare(sql);
        prepared = { statement, writes: statement.readonly ? undefined : tablesWritten(sql) };
        statements.set(sql, prepared);
      }
      return prepared;
    },
    begin: db.prepare('BEGIN IMMEDIATE'),
    commit: db.prepare('COMMIT'),
    rollback: db.prepare('ROLLBACK'),
    savepoint: db.prepare('SAVEPOINT part'),
    release: db.prepare('RELEASE part'),
    rollbackToSavepoint: db.prepare('ROLLBACK TO part'),
    close: () => void db.close(),
  };
}

const writing =
  /\b(?:(DELETE) FROM|(?:(REPLACE)|INSERT(?: OR (REPLACE)|))(?: OR \w+)? INTO|UPDATE(?: OR \w+)?)\s+(\w+)/;

// Reads of a table that is not recognised would be kept for ever: such a statement is refused.
function tablesWritten(sql: string): readonly string[] {
  const [, deletes, replaces, orReplaces, table] = writing.exec(sql) ?? [];
  if (table === undefined || tables.every(({ name }) => name !== table))
    throw new Error(`no table of a world is recognised in what this statement writes: ${sql}`);
  return (deletes ?? replaces ?? orReplaces) === undefined ? [table] : removedWith(table);
}

/** A table, and those whose rows SQLite removes together with its rows. */
function removedWith(table: string): string[] {
  const children = tables.filter(({ parents }) => parents.includes(table));
  return [table, ...children.flatMap(({ name }) => removedWith(name))];
}

/** Small pages: most rows lie alone where they are changed, and a commit writes whole pages. */
const pageSizeInFile = 2_048;
// Of the 80 tables and indexes of a world most are empty, or have few rows: with pages of 1,024 bytes a used world takes 640
// instead of 560 KB, and no request is faster.
const pageSizeInMemory = 512;

/**
 * Makes the file of a new world where there is none.
 *
 * @returns the problem with the existing file, for the user, or undefined
 */
function prepareWorldFile(file: string): string | undefined {
  const size = statSync(file, { throwIfNoEntry: false })?.size;
  if (size === 0) return 'it is empty: what it held is gone. Put a copy of it back, or delete it to begin a new world';
  if (size !== undefined) return undefined;
  // SQLite would apply the logs of a deleted file to the new one.
  for (const ending of ['-wal', '-shm', '-counts']) rmSync(file + ending, { force: true });
  // A process that is killed meanwhile leaves no half of a world.
  const unfinished = `${file}.new`;
  try {
    writePrivately(unfinished, emptyWorld(pageSizeInFile));
    renameSync(unfinished, file);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
  return undefined;
}

// Making the tables takes a millisecond, a quarter of an emulator's start in a process that has started one before.
const emptyWorld = memoizeMany(2, (pageSize: number): Buffer => {
  const db = connect(':memory:');
  try {
    db.pragma(`page_size = ${pageSize}`);
    db.exec(`BEGIN; ${schema} ${formatMark()} COMMIT;`);
    return db.serialize();
  } finally {
    db.close();
  }
});
