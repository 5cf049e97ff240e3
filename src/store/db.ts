// One SQLite database: opening, migrating, cached statements and transactions.

import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { migrations, schema, schemaVersion } from './schema.js';

export type SqlValue = string | number | bigint | null | Buffer;

export interface Db {
  get<Row>(sql: string, ...values: SqlValue[]): Row | undefined;
  all<Row>(sql: string, ...values: SqlValue[]): Row[];
  /** Runs a statement and returns how many rows it changed. */
  run(sql: string, ...values: SqlValue[]): number;
  /** Runs `act` in one transaction; an error rolls it back. Inside another it simply joins it. */
  transaction<Result>(act: () => Result): Result;
  close(): void;
}

/** Thrown when a file cannot be used, with a sentence for the user. */
export class StoreError extends Error {}

/**
 * Opens (or creates) a world's database.
 *
 * @param file a path, or ':memory:'
 * @throws StoreError when the file is no database of ours or is newer than this program
 */
export function openDb(file: string): Db {
  const db = connect(file);
  try {
    migrate(db, file);
  } catch (error) {
    db.close();
    throw error instanceof StoreError ? error : new StoreError(`${file} cannot be used: ${String(error)}`);
  }
  return wrap(db);
}

/**
 * Holds a lock file for as long as the process lives, so that two processes never share a data directory.
 *
 * @returns a release function, or undefined when another process holds it
 */
export function holdLock(file: string): (() => void) | undefined {
  const db = connect(file);
  db.pragma('busy_timeout = 0');
  try {
    db.exec('BEGIN EXCLUSIVE');
  } catch {
    db.close();
    return undefined;
  }
  return () => db.close();
}

function connect(file: string): Database.Database {
  return new Database(file, { nativeBinding: nativeBinding(), timeout: 5_000 });
}

// better-sqlite3 would search a dozen places for its addon; its usual place is known.
function nativeBinding(): string {
  const require = createRequire(import.meta.url);
  return join(dirname(require.resolve('better-sqlite3/package.json')), 'build/Release/better_sqlite3.node');
}

function migrate(db: Database.Database, file: string): void {
  const inMemory = file === ':memory:';
  const version = db.pragma('user_version', { simple: true }) as number;
  if (version > schemaVersion) {
    throw new StoreError(
      `${file} was written by a newer cloudemu (format ${version}, this one knows ${schemaVersion}). Update cloudemu, or use another --data-dir.`,
    );
  }
  if (version === 0) {
    db.pragma(`page_size = ${inMemory ? 1_024 : 4_096}`);
    if (!inMemory) db.pragma('journal_mode = WAL');
    db.exec(`BEGIN; ${schema} PRAGMA user_version = ${schemaVersion}; COMMIT;`);
  } else if (version < schemaVersion) {
    const steps = migrations.slice(version - 1).join('\n');
    db.exec(`BEGIN; ${steps} PRAGMA user_version = ${schemaVersion}; COMMIT;`);
  }
  if (!inMemory) db.pragma('synchronous = NORMAL');
  db.pragma('foreign_keys = ON');
}

function wrap(db: Database.Database): Db {
  const statements = new Map<string, Database.Statement>();
  const prepare = (sql: string): Database.Statement => {
    let statement = statements.get(sql);
    if (statement === undefined) {
      statement = db.prepare(sql);
      statements.set(sql, statement);
    }
    return statement;
  };
  return {
    get: <Row>(sql: string, ...values: SqlValue[]) => prepare(sql).get(...values) as Row | undefined,
    all: <Row>(sql: string, ...values: SqlValue[]) => prepare(sql).all(...values) as Row[],
    run: (sql, ...values) => prepare(sql).run(...values).changes,
    transaction(act) {
      if (db.inTransaction) return act();
      prepare('BEGIN IMMEDIATE').run();
      try {
        const result = act();
        prepare('COMMIT').run();
        return result;
      } catch (error) {
        if (db.inTransaction) prepare('ROLLBACK').run();
        throw error;
      }
    },
    close: () => db.close(),
  };
}
