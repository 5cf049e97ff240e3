// One SQLite database: cached statements, cached reads, transactions, and transactions that requests share.

import type Database from 'better-sqlite3';
import { afterThisTick } from '../core/clock.js';
import { ApiError } from '../core/errors.js';
import { Cache, type CachedRead } from './cache.js';
import { checkpointWhenIdle } from './checkpoint.js';
import { openConnection, type Prepared, type Session, sessionOn } from './connection.js';
import { type ChangeListener, RowLog } from './row-log.js';
import type { SqlValue, SqlValues, Storable } from './sql-value.js';
import { asStorageFailure, storageFailure, watchFile } from './storage-failure.js';

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
  return new Db(openConnection(file, image, exclusive), file);
}

/** A statement that was run, with its values. */
export interface NotedRead {
  sql: string;
  values: SqlValues;
  /** It was to change rows and has found none, which was a question, too. */
  missed?: true;
}

/** The transaction that all calls of `group` in one turn share. */
interface Group {
  /** The last error of one of its calls. */
  reason: unknown;
  committed: Promise<void>;
  /** Tells those that wait for the commit. */
  settle(error?: unknown): void;
}

const none = {};

function storable(given: object): SqlValues {
  const values = given as Record<string, unknown>;
  for (const name in values) {
    if (isPlain(values[name])) continue;
    // Most rows have no such column.
    return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, stored(value)]));
  }
  return values as SqlValues;
}

function isPlain(value: unknown): value is SqlValue {
  return value === null || (typeof value !== 'object' && typeof value !== 'boolean') || Buffer.isBuffer(value);
}

function stored(value: unknown): SqlValue {
  if (isPlain(value)) return value;
  return typeof value === 'boolean' ? Number(value) : JSON.stringify(value);
}

/** A world's database. */
export class Db {
  /** Whether it is a database in memory. */
  readonly inMemory: boolean;
  private readonly session: Session;
  private readonly requireFile: () => void;
  private readonly checkpoints: ReturnType<typeof checkpointWhenIdle> | undefined;
  // A read outside a transaction costs file locks, and most requests repeat the reads of the previous one.
  private readonly cache = new Cache();
  private readonly log = new RowLog();
  private listener: ChangeListener | undefined;
  private notes: NotedRead[] | undefined;
  private open: Group | undefined;
  /** True while an `act` runs: transactions that it begins join its own. */
  private inside = false;
  /** A call in a group undoes only its own writes, so a savepoint is set before the first of them. */
  private needsSavepoint = false;
  /** The tables that the present transaction, or call in a group, has written. */
  private written = new Set<string>();

  constructor(
    connection: Database.Database,
    private readonly file: string,
  ) {
    this.inMemory = file === ':memory:';
    this.session = sessionOn(connection);
    this.requireFile = this.inMemory ? () => {} : watchFile(file);
    this.checkpoints = this.inMemory ? undefined : checkpointWhenIdle(() => connection);
  }

  get<Row>(sql: string, values: SqlValues = none): Row | undefined {
    this.notes?.push({ sql, values: { ...values } });
    return this.execute('get', sql, values) as Row | undefined;
  }

  all<Row>(sql: string, values: SqlValues = none): Row[] {
    this.notes?.push({ sql, values: { ...values } });
    return this.execute('all', sql, values) as Row[];
  }

  /** Runs a statement and returns how many rows it changed. Names that the statement does not have are ignored. */
  run<Values extends object & { [Name in keyof Values]: Storable }>(sql: string, given?: Values): number {
    const values = given === undefined ? none : storable(given);
    let changed = 0;
    try {
      ({ changes: changed } = this.execute('run', sql, values) as Database.RunResult);
    } finally {
      if (changed === 0) this.notes?.push({ sql, values: {}, missed: true });
    }
    return changed;
  }

  /** Notes what is read from now on, until the returned function is called, which tells it. */
  noteReads(): () => NotedRead[] {
    // What is kept of earlier reads is read anew.
    this.cache.forget();
    const notes: NotedRead[] = [];
    this.notes = notes;
    return () => {
      this.notes = undefined;
      return notes;
    };
  }

  private execute(how: 'get' | 'all' | 'run', sql: string, values: object): unknown {
    const { statement, writes } = this.session.prepare(sql);
    if (writes !== undefined) {
      // The listener is called within the transaction that changes rows: there has to be one.
      if (this.listener !== undefined && !this.inside) return this.transaction(() => this.execute(how, sql, values));
      this.beforeWrite(writes);
    }
    try {
      return statement[how](values);
    } catch (error) {
      throw this.translated(error);
    }
  }

  private beforeWrite(tables: NonNullable<Prepared['writes']>): void {
    const { session, inside } = this;
    // What is written outside a transaction is stored when the call returns: nobody waits for the commit of the group.
    if (!inside) this.commitGroup();
    if (!session.db.inTransaction) this.requireFile();
    if (this.listener !== undefined) this.log.watch(session.db, tables);
    if (this.needsSavepoint) {
      this.needsSavepoint = false;
      session.savepoint.run();
    }
    if (!inside) this.checkpoints?.written();
    for (const table of tables) {
      this.cache.forget(table);
      if (inside) this.written.add(table);
    }
  }

  // Errors such as a full disk are not the emulator's fault: clients get them as the reason.
  private translated(error: unknown): unknown {
    return storageFailure(error, this.file) ?? error;
  }

  /** The result of a cached read for a key; only `cached` calls this. */
  kept<Result>(identity: CachedRead, key: unknown, read: () => Result): Result {
    return this.cache.keep(identity, key, read);
  }

  /** Calls `listener` whenever a table may have changed, even if the transaction was rolled back; one listener per table. */
  onWrite(table: string, listener: () => void): void {
    this.cache.onForget(table, listener);
  }

  /** Tells `listener` of the rows that each transaction changes; those that have changed before are not told. */
  onChange(listener: ChangeListener): void {
    this.listener = listener;
  }

  /**
   * Tells of the rows that the present transaction has changed so far. What the listener writes is committed together with
   * them.
   */
  tell(): void {
    const rows = this.log.take();
    if (rows.length > 0) this.log.without(() => this.listener?.changed(rows));
  }

  /** Runs `act`, and tells nobody of the rows that it changes. */
  untold<Result>(act: () => Result): Result {
    return this.log.without(act);
  }

  private begin(): void {
    this.requireFile();
    asStorageFailure(this.file, () => this.session.begin.run());
  }

  private committed(): void {
    this.session.commit.run();
    this.log.committed();
    this.checkpoints?.written();
  }

  private afterRollback(error: unknown): void {
    this.log.rolledBack(this.session.db);
    this.cache.undo(this.written);
    if (error instanceof ApiError) error.options.lasting?.();
    this.tell();
  }

  /** Runs `act` in one transaction; an error rolls it back. Inside another transaction, `act` joins that one. */
  transaction<Result>(act: () => Result): Result {
    if (this.inside) return act();
    this.commitGroup();
    this.begin();
    this.inside = true;
    this.written = new Set();
    let isTold = false;
    try {
      const result = act();
      isTold = true;
      this.tell();
      this.committed();
      return result;
    } catch (error) {
      if (this.session.db.inTransaction) this.session.rollback.run();
      this.afterRollback(error);
      if (isTold) this.listener?.lost();
      throw this.translated(error);
    } finally {
      this.inside = false;
    }
  }

  /**
   * Runs `act` in a transaction that all calls of the same turn share, so that they pay for one commit. An error undoes
   * only the writes of its own call. Resolves once the transaction is committed.
   */
  async group<Result>(act: () => Result): Promise<Result> {
    this.open ??= this.openGroup();
    const group = this.open;
    const result = this.runInGroup(group, act);
    await group.committed;
    return result;
  }

  private openGroup(): Group {
    this.begin();
    let settle = (_error?: unknown): void => {};
    const committed = new Promise<void>((resolve, reject) => {
      settle = (error) => (error === undefined ? resolve() : reject(error));
    });
    // The calls that wait get the error. If all calls have failed, none waits, and the rejection must not end the process.
    committed.catch(() => {});
    const group: Group = { reason: undefined, committed, settle };
    afterThisTick(() => {
      if (this.open === group) this.commitGroup();
    });
    return group;
  }

  private runInGroup<Result>(group: Group, act: () => Result): Result {
    const { session } = this;
    this.inside = true;
    this.written = new Set();
    this.needsSavepoint = true;
    try {
      const result = act();
      this.tell();
      if (!this.needsSavepoint) session.release.run();
      return result;
    } catch (error) {
      group.reason = error;
      if (!this.needsSavepoint && session.db.inTransaction) {
        session.rollbackToSavepoint.run();
        session.release.run();
      }
      this.needsSavepoint = false;
      this.afterRollback(error);
      throw error;
    } finally {
      this.inside = false;
      this.needsSavepoint = false;
      // Some errors, such as a full disk, end the transaction of the whole group: all its calls fail at once.
      if (!session.db.inTransaction) this.commitGroup();
    }
  }

  /** Commits the group that is open, if there is one. */
  private commitGroup(): void {
    const group = this.open;
    if (group === undefined) return;
    const { session } = this;
    this.open = undefined;
    try {
      if (!session.db.inTransaction) throw group.reason ?? new Error('the transaction was lost');
      this.committed();
      group.settle();
    } catch (error) {
      this.cache.forget();
      if (session.db.inTransaction) session.rollback.run();
      this.log.rolledBack(session.db);
      this.listener?.lost();
      group.settle(this.translated(error));
    }
  }

  /** Passes the connection itself to `act`: pending writes are committed first, and cached reads are dropped. */
  exclusive<Result>(act: (connection: Database.Database) => Result): Result {
    this.commitGroup();
    this.cache.forget();
    this.inside = true;
    try {
      this.requireFile();
      return asStorageFailure(this.file, () => act(this.session.db));
    } finally {
      this.checkpoints?.written();
      this.inside = false;
      this.cache.forget();
    }
  }

  close(): void {
    this.commitGroup();
    this.checkpoints?.cancel();
    this.session.close();
  }
}
