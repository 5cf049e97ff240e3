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

export interface RowLog {
  /** Begins to note the rows of these tables. To be called before a statement writes them. */
  watch(connection: Database.Database, tables: readonly string[]): void;
  /** The rows noted since the last call, in the order of their changes: of a row that changes twice, the first counts. */
  take(): NotedRow[];
  /** Runs `act` without noting what it changes. */
  without<Result>(act: () => Result): Result;
  /** The present transaction, or a part of it, was rolled back: triggers that it has made may be gone. */
  rolledBack(connection: Database.Database): void;
  committed(): void;
}

// Records of the past, and what `usage.ts` counts: their owners know how to undo them.
const others = new Set(['journal', 'history', 'rate_windows']);

/** What a world writes about itself: it says how far others have come. */
const ownNotes = "('counts', 'journal')";

/** A log that nothing is noted in yet. */
export function createRowLog(): RowLog {
  let noted: NotedRow[] = [];
  let isNoting = true;
  // The tables that have triggers, for each connection, and those that got them in the present transaction.
  const watched = new WeakMap<Database.Database, Set<string>>();
  let fresh: string[] = [];

  function note(table: string, key: SqlValue[], before: SqlValue[] | null): null {
    if (isNoting) noted.push({ table, key, before });
    return null;
  }

  function prepare(connection: Database.Database): Set<string> {
    const tables = new Set<string>();
    watched.set(connection, tables);
    const options = { varargs: true };
    connection.function('note_added', options, (table, ...key) => note(table as string, key as SqlValue[], null));
    connection.function('note_before', options, (table, keys, ...values) =>
      note(
        table as string,
        (keys as string).split(' ').map((place) => values[Number(place)] as SqlValue),
        values as SqlValue[],
      ),
    );
    return tables;
  }

  return {
    watch(connection, tables) {
      if (!isNoting) return;
      const known = watched.get(connection) ?? prepare(connection);
      for (const table of tables) {
        if (known.has(table) || others.has(table)) continue;
        known.add(table);
        fresh.push(table);
        // REPLACE removes rows, and says so only with this pragma. It also makes SQLite prepare all statements anew, as
        // those that were prepared before would know nothing of the triggers.
        connection.exec(`${triggersOf(connection, table)} PRAGMA recursive_triggers = ON;`);
      }
    },
    take() {
      const taken = noted;
      if (taken.length > 0) noted = [];
      return taken;
    },
    without(act) {
      const before = isNoting;
      isNoting = false;
      try {
        return act();
      } finally {
        isNoting = before;
      }
    },
    rolledBack(connection) {
      noted = [];
      const known = watched.get(connection);
      for (const table of fresh) known?.delete(table);
      fresh = [];
    },
    committed() {
      if (fresh.length > 0) fresh = [];
    },
  };
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
