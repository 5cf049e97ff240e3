// Notes the rows that transactions change, as they were before. Temporary triggers report them; a table gets its own when
// it is first written.

import type Database from 'better-sqlite3';
import type { SqlValue } from './sql-value.js';

/** A row that was changed: undoing the change deletes the row of this key, and inserts the one that was there before. */
export interface NotedRow {
  table: string;
  /** The values of its primary key. */
  key: SqlValue[];
  /** All columns, in their order; null: there was none. */
  before: SqlValue[] | null;
}

/** Hears of changed rows. */
export interface ChangeListener {
  /** At the end of a transaction, or of a call in a group, which may still be rolled back as a whole. */
  changed(rows: NotedRow[]): void;
  /** What was told last was rolled back. */
  lost(): void;
}

// Records of the past, and what `usage.ts` counts: their owners know how to undo them.
const others = new Set(['journal', 'history', 'rate_windows']);

/** What a world writes about itself: it says how far others have come. */
const ownNotes = "('counts', 'journal')";

/** The rows that the transactions of one database have changed and nobody has taken yet. */
export class RowLog {
  private noted: NotedRow[] = [];
  private isNoting = true;
  /** The tables that have triggers, for each connection. */
  private readonly watched = new WeakMap<Database.Database, Set<string>>();
  /** Those that got them in the present transaction. */
  private fresh: string[] = [];

  /** Begins to note the rows of these tables. To be called before a statement writes them. */
  watch(connection: Database.Database, tables: readonly string[]): void {
    if (!this.isNoting) return;
    const known = this.watched.get(connection) ?? this.prepare(connection);
    for (const table of tables) {
      if (known.has(table) || others.has(table)) continue;
      known.add(table);
      this.fresh.push(table);
      // REPLACE removes rows, and says so only with this pragma. It also makes SQLite prepare all statements anew, as
      // those that were prepared before would know nothing of the triggers.
      connection.exec(`${triggersOf(connection, table)} PRAGMA recursive_triggers = ON;`);
    }
  }

  private prepare(connection: Database.Database): Set<string> {
    const tables = new Set<string>();
    this.watched.set(connection, tables);
    const options = { varargs: true };
    connection.function('note_added', options, (table, ...key) => {
      if (this.isNoting) this.noted.push({ table: table as string, key: key as SqlValue[], before: null });
      return null;
    });
    connection.function('note_before', options, (table, keys, ...values) => {
      const key = (keys as string).split(' ').map((place) => values[Number(place)] as SqlValue);
      if (this.isNoting) this.noted.push({ table: table as string, key, before: values as SqlValue[] });
      return null;
    });
    return tables;
  }

  /** The rows noted since the last call, in the order of their changes: of a row that changes twice, the first counts. */
  take(): NotedRow[] {
    const taken = this.noted;
    if (taken.length > 0) this.noted = [];
    return taken;
  }

  /** Runs `act` without noting what it changes. */
  without<Result>(act: () => Result): Result {
    const before = this.isNoting;
    this.isNoting = false;
    try {
      return act();
    } finally {
      this.isNoting = before;
    }
  }

  /** The present transaction, or a part of it, was rolled back: triggers that it has made may be gone. */
  rolledBack(connection: Database.Database): void {
    this.noted = [];
    const known = this.watched.get(connection);
    for (const table of this.fresh) known?.delete(table);
    this.fresh = [];
  }

  committed(): void {
    if (this.fresh.length > 0) this.fresh = [];
  }
}

function triggersOf(connection: Database.Database, table: string): string {
  const columns = connection.pragma(`main.table_info(${table})`) as { name: string; pk: number; cid: number }[];
  const keys = columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
  const quoted = (row: 'OLD' | 'NEW', names: readonly { name: string }[]): string =>
    names.map(({ name }) => `${row}."${name}"`).join(', ');
  const before = `SELECT note_before('${table}', '${keys.map(({ cid }) => cid).join(' ')}', ${quoted('OLD', columns)});`;
  const added = `SELECT note_added('${table}', ${quoted('NEW', keys)});`;
  const trigger = (name: string, event: string, body: string, row: 'OLD' | 'NEW'): string =>
    `CREATE TEMP TRIGGER IF NOT EXISTS ${name}_${table} AFTER ${event} ON main.${table}
     ${table === 'meta' ? `WHEN ${row}.key NOT IN ${ownNotes}` : ''} BEGIN ${body} END;\n`;
  return (
    trigger('noted_insert', 'INSERT', added, 'NEW') +
    trigger('noted_update', 'UPDATE', before, 'OLD') +
    trigger('noted_key', `UPDATE OF ${keys.map(({ name }) => name).join(', ')}`, added, 'NEW') +
    trigger('noted_delete', 'DELETE', before, 'OLD')
  );
}
