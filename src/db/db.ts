// One SQLite database: cached statements, kept results, transactions and groups of them.

import type Database from 'better-sqlite3';
import { afterThisTick } from '../core/clock.js';
import { ApiError } from '../core/errors.js';
import { migrate, openConnection } from './connection.js';
import { createMemos } from './memos.js';
import { lastNumber, noMoreNumbers } from './numbers.js';
import { type Prepared, sessionOn } from './session.js';
import { storageFailure, watchFile } from './storage-failure.js';

export type SqlValue = string | number | bigint | null | Buffer;

export interface Db {
  get<Row>(sql: string, ...values: SqlValue[]): Row | undefined;
  all<Row>(sql: string, ...values: SqlValue[]): Row[];
  /** Runs a statement and returns how many rows it changed. */
  run(sql: string, ...values: SqlValue[]): number;
  /**
   * The result of `read`, kept under a key until one of the tables (named with spaces between) is written.
   * What it returns must not be changed.
   */
  memo<Result>(tables: string, key: string, read: () => Result): Result;
  /** Calls back whenever a table may have changed, also by an undone transaction; one listener a table. */
  onWrite(table: string, listener: () => void): void;
  /** Runs `act` in one transaction; an error rolls it back. Inside another it simply joins it. */
  transaction<Result>(act: () => Result): Result;
  /**
   * Runs `act` in a transaction that it shares with others of the same moment; an error undoes only its own part.
   * Resolves once it is committed. Requests that come together pay for one commit.
   */
  group<Result>(act: () => Result): Promise<Result>;
  /**
   * The next number of a series; rolled back with the transaction, or the share of a group, that took it.
   *
   * @param last the last number, where a table tells it; without it the numbers are counted
   */
  nextNumber(series: string, last?: () => number): number;
  /** Lends the connection itself: what was under way is committed first, nothing that was read before is kept. */
  exclusive<Result>(act: (connection: Database.Database) => Result): Result;
  /** Whether it is a database in memory. */
  readonly inMemory: boolean;
  /**
   * Goes over to another connection, for databases in memory, and closes the former one. `fill` runs first, in one
   * transaction on the new one; an error closes that and leaves everything as it was.
   */
  swap(next: Database.Database, fill: () => void): void;
  close(): void;
}

/**
 * Opens (or creates) a world's database.
 *
 * @param file a path, or ':memory:'
 * @param image what a new one in memory begins with
 * @throws StoreError when the file is no database of ours or is newer than this program
 */
export function openDb(file: string, image?: Buffer): Db {
  return wrap(openConnection(file, image), file);
}

/** The transaction that requests of one moment share. */
interface Group {
  /** The last number of each series that was drawn from; those that are counted are written when it is committed. */
  numbers: Map<string, { value: number; isCounted: boolean }>;
  /** All that was written, to be written again where a part is undone. */
  writes: { statement: Database.Statement; values: readonly SqlValue[] }[];
  /** Why a part of it has failed last. */
  reason: unknown;
  committed: Promise<void>;
  commit(): void;
}

function wrap(connection: Database.Database, file: string): Db {
  const inMemory = file === ':memory:';
  const requireFile = inMemory ? (): void => {} : watchFile(file);
  let session = sessionOn(connection);
  let open: Group | undefined;
  // True while somebody's act runs: what it calls joins its transaction.
  let inside = false;
  // A read outside a transaction costs file locks, and most requests ask again what the last one asked.
  const memos = createMemos();

  function prepare(sql: string): Prepared {
    const prepared = session.prepare(sql);
    if (prepared.isWrite) {
      if (!session.db.inTransaction) requireFile();
      memos.forget(prepared.table);
    }
    return prepared;
  }
  function ran<Result>(
    sql: string,
    values: readonly SqlValue[],
    act: (statement: Database.Statement) => Result,
  ): Result {
    const prepared = prepare(sql);
    try {
      const result = act(prepared.statement);
      if (prepared.isWrite) open?.writes.push({ statement: prepared.statement, values });
      return result;
    } catch (error) {
      throw told(error);
    }
  }

  function get<Row>(sql: string, ...values: SqlValue[]): Row | undefined {
    return ran(sql, values, (statement) => statement.get(...values) as Row | undefined);
  }
  function all<Row>(sql: string, ...values: SqlValue[]): Row[] {
    return ran(sql, values, (statement) => statement.all(...values) as Row[]);
  }
  function run(sql: string, ...values: SqlValue[]): number {
    return ran(sql, values, (statement) => statement.run(...values).changes);
  }

  function begun(): void {
    requireFile();
    try {
      session.begin.run();
    } catch (error) {
      throw told(error);
    }
  }
  // A full disk is no fault of the emulator's, and clients are told so.
  function told(error: unknown): unknown {
    return storageFailure(error, file) ?? error;
  }

  function undone(error: unknown): void {
    if (error instanceof ApiError) error.options.lasting?.();
  }

  function countedNumber(series: string): number {
    return get<{ value: number }>('SELECT value FROM counters WHERE name = ?', series)?.value ?? 0;
  }
  function saveNumber(series: string, value: number): void {
    run('INSERT OR REPLACE INTO counters (name, value) VALUES (?, ?)', series, value);
  }

  // One request's share of a group: an error undoes this much and no more.
  function part<Result>(group: Group, act: () => Result): Result {
    const numbers = new Map(group.numbers);
    const written = group.writes.length;
    inside = true;
    try {
      return act();
    } catch (error) {
      group.numbers = numbers;
      memos.forget();
      group.reason = error;
      if (session.db.inTransaction && group.writes.length > written) undoFrom(group, written);
      undone(error);
      throw error;
    } finally {
      inside = false;
      // A full disk, for one, ends the transaction for all: they hear of it at once.
      if (!session.db.inTransaction) group.commit();
    }
  }

  // A savepoint for each part would cost all of them more than this costs the few that fail when they have written.
  function undoFrom(group: Group, written: number): void {
    const { writes } = group;
    writes.length = written;
    session.rollback.run();
    try {
      session.begin.run();
      for (const { statement, values } of writes) {
        if (statement.reader) statement.all(...values);
        else statement.run(...values);
      }
    } catch (error) {
      // Then it is undone for all.
      group.reason = told(error);
      if (session.db.inTransaction) session.rollback.run();
    }
  }

  function openGroup(): Group {
    begun();
    let resolve = (): void => {};
    let reject = (_error: unknown): void => {};
    const committed = new Promise<void>((done, fail) => {
      resolve = done;
      reject = fail;
    });
    // Whoever waits hears of a failure; when all parts were undone, nobody does.
    committed.catch(() => {});
    const group: Group = {
      numbers: new Map(),
      writes: [],
      reason: undefined,
      committed,
      commit() {
        if (open !== group) return;
        open = undefined;
        try {
          if (!session.db.inTransaction) throw group.reason ?? new Error('the transaction was lost');
          for (const [series, { value, isCounted }] of group.numbers) if (isCounted) saveNumber(series, value);
          session.commit.run();
          resolve();
        } catch (error) {
          memos.forget();
          if (session.db.inTransaction) session.rollback.run();
          reject(told(error));
        }
      },
    };
    afterThisTick(group.commit);
    return group;
  }

  return {
    get,
    all,
    run,
    memo: memos.keep,
    onWrite: memos.onForget,
    transaction(act) {
      if (inside) return act();
      open?.commit();
      begun();
      inside = true;
      try {
        const result = act();
        session.commit.run();
        return result;
      } catch (error) {
        memos.forget();
        if (session.db.inTransaction) session.rollback.run();
        undone(error);
        throw told(error);
      } finally {
        inside = false;
      }
    },
    async group(act) {
      open ??= openGroup();
      const group = open;
      const result = part(group, act);
      await group.committed;
      return result;
    },
    nextNumber(series, last) {
      const drawn = open?.numbers;
      const before = drawn?.get(series)?.value ?? (last === undefined ? countedNumber(series) : last());
      if (before >= lastNumber) throw noMoreNumbers(series);
      const value = before + 1;
      // Outside of a group nobody else waits to write it.
      if (drawn !== undefined) drawn.set(series, { value, isCounted: last === undefined });
      else if (last === undefined) saveNumber(series, value);
      return value;
    },
    exclusive(act) {
      open?.commit();
      memos.forget();
      inside = true;
      try {
        requireFile();
        return act(session.db);
      } catch (error) {
        throw told(error);
      } finally {
        inside = false;
        memos.forget();
      }
    },
    inMemory,
    swap(next, fill) {
      open?.commit();
      const former = session;
      try {
        migrate(next, ':memory:');
        session = sessionOn(next);
        memos.forget();
        session.begin.run();
        inside = true;
        fill();
        session.commit.run();
      } catch (error) {
        session = former;
        next.close();
        throw error;
      } finally {
        inside = false;
        memos.forget();
      }
      former.db.close();
    },
    close() {
      open?.commit();
      session.db.close();
    },
  };
}
