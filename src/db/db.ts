// One SQLite database: cached statements, cached reads, transactions, and transactions that requests share.

import type Database from 'better-sqlite3';
import { afterThisTick } from '../core/clock.js';
import { ApiError } from '../core/errors.js';
import { type CachedRead, createCache } from './cache.js';
import { checkpointWhenIdle } from './checkpoint.js';
import { openConnection, type Prepared, sessionOn } from './connection.js';
import { createReadNotes, type NotedRead } from './read-notes.js';
import { type ChangeListener, createRowLog } from './row-log.js';
import type { SqlValue, SqlValues } from './sql-value.js';
import { asStorageFailure, storageFailure, watchFile } from './storage-failure.js';

export interface Db {
  get<Row>(sql: string, values?: SqlValues): Row | undefined;
  all<Row>(sql: string, values?: SqlValues): Row[];
  /** Runs a statement and returns how many rows it changed. Names that the statement does not have are ignored. */
  run<Values extends object & { [Name in keyof Values]: SqlValue }>(sql: string, values?: Values): number;
  /** The result of a cached read for a key; only `cached` calls this. */
  kept<Result>(identity: CachedRead, key: unknown, read: () => Result): Result;
  /** Calls `listener` whenever a table may have changed, even if the transaction was rolled back; one listener per table. */
  onWrite(table: string, listener: () => void): void;
  /** Runs `act` in one transaction; an error rolls it back. Inside another transaction, `act` joins that one. */
  transaction<Result>(act: () => Result): Result;
  /**
   * Runs `act` in a transaction that all calls of the same turn share, so that they pay for one commit. An error undoes
   * only the writes of its own call. Resolves once the transaction is committed.
   */
  group<Result>(act: () => Result): Promise<Result>;
  /** Passes the connection itself to `act`: pending writes are committed first, and cached reads are dropped. */
  exclusive<Result>(act: (connection: Database.Database) => Result): Result;
  /** Tells `listener` of the rows that each transaction changes; those that have changed before are not told. */
  onChange(listener: ChangeListener): void;
  /** Tells of the rows that the present transaction has changed so far. */
  tell(): void;
  /** Runs `act`, and tells nobody of the rows that it changes. */
  untold<Result>(act: () => Result): Result;
  /** Notes what is read from now on, until the returned function is called, which tells it. */
  noteReads(): () => NotedRead[];
  /** Whether it is a database in memory. */
  readonly inMemory: boolean;
  close(): void;
}

export interface DbOptions {
  /** The content of a new database in memory: see World.image. */
  image?: Buffer | undefined;
  /** Whether to keep other processes from opening the file. */
  exclusive?: boolean;
}

/**
 * Opens (or creates) a world's database.
 *
 * @param file a path, or ':memory:'
 * @throws StoreError when the file is no database of ours, is newer than this program, or is open elsewhere
 */
export function openDb(file: string, { image, exclusive }: DbOptions = {}): Db {
  return wrap(openConnection(file, image, exclusive), file);
}

/** The transaction that all calls of `group` in one turn share. */
interface Group {
  /** The last error of one of its calls. */
  reason: unknown;
  committed: Promise<void>;
  commit(): void;
}

const none = {};

function wrap(connection: Database.Database, file: string): Db {
  const inMemory = file === ':memory:';
  const requireFile = inMemory ? (): void => {} : watchFile(file);
  const session = sessionOn(connection);
  let open: Group | undefined;
  // True while an `act` runs: transactions that it begins join its own.
  let inside = false;
  // A call in a group undoes only its own writes, so a savepoint is set before the first of them.
  let needsSavepoint = false;
  // The tables that the present transaction, or call in a group, has written.
  let written = new Set<string>();
  // A read outside a transaction costs file locks, and most requests repeat the reads of the previous one.
  const cache = createCache();
  const log = createRowLog();
  const notes = createReadNotes(() => cache.forget());
  let listener: ChangeListener | undefined;
  const checkpoints = inMemory ? undefined : checkpointWhenIdle(() => session.db);

  function prepare(sql: string): Prepared {
    const prepared = session.prepare(sql);
    if (prepared.writes !== undefined) {
      // What is written outside a transaction is stored when the call returns: nobody waits for the commit of the group.
      if (!inside) open?.commit();
      if (!session.db.inTransaction) requireFile();
      if (listener !== undefined) log.watch(session.db, prepared.writes);
      if (needsSavepoint) {
        needsSavepoint = false;
        session.savepoint.run();
      }
      if (!inside) checkpoints?.written();
      for (const table of prepared.writes) {
        cache.forget(table);
        if (inside) written.add(table);
      }
    }
    return prepared;
  }
  function execute<Result>(sql: string, act: (statement: Database.Statement) => Result): Result {
    // The listener is called within the transaction that changes rows: there has to be one.
    if (listener !== undefined && !inside && session.prepare(sql).writes !== undefined)
      return transaction(() => execute(sql, act));
    const { statement } = prepare(sql);
    try {
      return act(statement);
    } catch (error) {
      throw translated(error);
    }
  }
  const get = <Row>(sql: string, values: object = none): Row | undefined =>
    execute(sql, (statement) => statement.get(notes.read(sql, values)) as Row | undefined);
  const run = (sql: string, values: object = none): number =>
    notes.write(sql, () => execute(sql, (statement) => statement.run(values).changes));

  function beginTransaction(): void {
    requireFile();
    asStorageFailure(file, () => session.begin.run());
  }
  // Errors such as a full disk are not the emulator's fault: clients get them as the reason.
  const translated = (error: unknown): unknown => storageFailure(error, file) ?? error;

  // The listener is called before the commit: what it writes is committed together with the changed rows.
  function tell(): void {
    const rows = log.take();
    if (rows.length > 0) log.without(() => listener?.changed(rows));
  }
  function afterRollback(error: unknown): void {
    log.rolledBack(session.db);
    cache.undo(written);
    if (error instanceof ApiError) error.options.lasting?.();
    tell();
  }

  function runInGroup<Result>(group: Group, act: () => Result): Result {
    inside = true;
    written = new Set();
    needsSavepoint = true;
    try {
      const result = act();
      tell();
      if (!needsSavepoint) session.release.run();
      return result;
    } catch (error) {
      group.reason = error;
      if (!needsSavepoint && session.db.inTransaction) {
        session.rollbackToSavepoint.run();
        session.release.run();
      }
      needsSavepoint = false;
      afterRollback(error);
      throw error;
    } finally {
      inside = false;
      needsSavepoint = false;
      // Some errors, such as a full disk, end the transaction of the whole group: all its calls fail at once.
      if (!session.db.inTransaction) group.commit();
    }
  }

  function openGroup(): Group {
    beginTransaction();
    let settle = (_error?: unknown): void => {};
    const committed = new Promise<void>((resolve, reject) => {
      settle = (error) => (error === undefined ? resolve() : reject(error));
    });
    // The calls that wait get the error. If all calls have failed, none waits, and the rejection must not end the process.
    committed.catch(() => {});
    const group: Group = {
      reason: undefined,
      committed,
      commit() {
        if (open !== group) return;
        open = undefined;
        try {
          if (!session.db.inTransaction) throw group.reason ?? new Error('the transaction was lost');
          session.commit.run();
          log.committed();
          checkpoints?.written();
          settle();
        } catch (error) {
          cache.forget();
          if (session.db.inTransaction) session.rollback.run();
          log.rolledBack(session.db);
          listener?.lost();
          settle(translated(error));
        }
      },
    };
    afterThisTick(group.commit);
    return group;
  }

  function transaction<Result>(act: () => Result): Result {
    if (inside) return act();
    open?.commit();
    beginTransaction();
    inside = true;
    written = new Set();
    let isTold = false;
    try {
      const result = act();
      isTold = true;
      tell();
      session.commit.run();
      log.committed();
      checkpoints?.written();
      return result;
    } catch (error) {
      if (session.db.inTransaction) session.rollback.run();
      afterRollback(error);
      if (isTold) listener?.lost();
      throw translated(error);
    } finally {
      inside = false;
    }
  }

  return {
    get,
    all: <Row>(sql: string, values: object = none) =>
      execute(sql, (statement) => statement.all(notes.read(sql, values)) as Row[]),
    run,
    kept: cache.keep,
    onWrite: cache.onForget,
    transaction,
    async group(act) {
      open ??= openGroup();
      const group = open;
      const result = runInGroup(group, act);
      await group.committed;
      return result;
    },
    onChange(other) {
      listener = other;
    },
    tell,
    noteReads: notes.begin,
    untold: log.without,
    exclusive(act) {
      open?.commit();
      cache.forget();
      inside = true;
      try {
        requireFile();
        return asStorageFailure(file, () => act(session.db));
      } finally {
        checkpoints?.written();
        inside = false;
        cache.forget();
      }
    },
    inMemory,
    close() {
      open?.commit();
      checkpoints?.cancel();
      session.close();
    },
  };
}
