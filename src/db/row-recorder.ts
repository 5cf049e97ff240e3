// Records the rows that a request changes. Triggers report them, which exist only while a reader is interested.

import type Database from 'better-sqlite3';
import { elapsed } from '../core/real-time.js';
import { differs, type RowDifference, type StoredRow, type TableDifference, tablesOf } from './row-difference.js';

/** Records the rows that pieces of work change, on one database. */
export interface RowRecorder {
  /**
   * Starts recording; the returned function stops it.
   *
   * @param mostPerSecond of more requests than these only the first are recorded: under load it should cost little
   */
  watch(mostPerSecond?: number): () => void;
  /** The record of changes for a new request; undefined if nobody watches or there are too many changes. */
  begin(): TableDifference[] | undefined;
  /** Runs `act` and adds its changes; an error adds none. */
  during<Result>(act: () => Result, changes: TableDifference[] | undefined): Result;
  /** Goes over to another connection. */
  follow(connection: Database.Database): void;
  isWatched(): boolean;
}

/** A request may change any number of rows; beyond these they are counted. */
const mostRows = 500;

/** By table and key. */
type Recording = Map<string, Map<string, RowDifference>>;

/** @param connection the present one, with no transaction open; undefined when it is closed */
export function createRowRecorder(connection: () => Database.Database | undefined): RowRecorder {
  const watchers = new Set<{ most: number }>();
  let second = 0;
  let begun = 0;
  let recording: Recording | undefined;
  const prepared = new WeakSet<Database.Database>();

  function install(db: Database.Database): void {
    if (!prepared.has(db)) {
      prepared.add(db);
      db.function('is_recorded', () => (recording === undefined ? 0 : 1));
    }
    const tables = tablesOf(db).filter((table) => table !== 'meta');
    // REPLACE removes rows, and says so only with this.
    db.pragma('recursive_triggers = ON');
    db.exec(tables.map((table) => triggersOf(db, table)).join(''));
  }

  function triggersOf(db: Database.Database, table: string): string {
    const columns = db.pragma(`main.table_info(${table})`) as { name: string; pk: number }[];
    const names = columns.map(({ name }) => name);
    const keys = columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
    for (const side of ['before', 'after'] as const)
      db.function(`note_${side}_${table}`, { varargs: true }, (...values) => {
        const row = Object.fromEntries(names.map((name, index) => [name, values[index]]));
        const key = keys.map(({ name }) => row[name]);
        noteRow(table, key, side, row);
        return null;
      });
    const values = (row: 'OLD' | 'NEW'): string => names.map((name) => `${row}."${name}"`).join(', ');
    const before = `SELECT note_before_${table}(${values('OLD')});`;
    const after = `SELECT note_after_${table}(${values('NEW')});`;
    const trigger = (event: string, body: string): string =>
      `CREATE TEMP TRIGGER recorded_${event}_${table} AFTER ${event} ON main.${table} WHEN is_recorded() BEGIN ${body} END;\n`;
    return trigger('INSERT', after) + trigger('UPDATE', before + after) + trigger('DELETE', before);
  }

  // If a row is changed twice, its first state and its last one count.
  function noteRow(table: string, key: unknown[], side: 'before' | 'after', row: StoredRow): void {
    if (recording === undefined) return;
    let rows = recording.get(table);
    if (rows === undefined) {
      rows = new Map();
      recording.set(table, rows);
    }
    const id = JSON.stringify(key);
    const first = rows.get(id);
    const before = first === undefined ? (side === 'before' ? row : undefined) : first.before;
    rows.set(id, { key, before, after: side === 'after' ? row : undefined });
  }

  function uninstall(db: Database.Database): void {
    const triggers = db.prepare("SELECT name FROM temp.sqlite_schema WHERE type = 'trigger'").pluck().all() as string[];
    db.exec(triggers.map((name) => `DROP TRIGGER temp.${name};`).join(''));
    db.pragma('recursive_triggers = OFF');
  }

  return {
    watch(mostPerSecond = Infinity) {
      const db = connection();
      if (watchers.size === 0 && db !== undefined) install(db);
      const watcher = { most: mostPerSecond };
      watchers.add(watcher);
      return () => {
        if (!watchers.delete(watcher) || watchers.size > 0) return;
        const last = connection();
        if (last !== undefined) uninstall(last);
      };
    },
    begin() {
      if (watchers.size === 0) return undefined;
      const present = Math.floor(elapsed() / 1_000);
      begun = present === second ? begun + 1 : 1;
      second = present;
      return [...watchers].some(({ most }) => begun <= most) ? [] : undefined;
    },
    during(act, changes) {
      if (changes === undefined || watchers.size === 0) return act();
      recording = new Map();
      try {
        const result = act();
        changes.push(...differencesIn(recording));
        return result;
      } finally {
        recording = undefined;
      }
    },
    follow(db) {
      if (watchers.size > 0) install(db);
    },
    isWatched: () => watchers.size > 0,
  };
}

function differencesIn(recording: Recording): TableDifference[] {
  return [...recording].flatMap(([table, changes]) => {
    const rows = [...changes.values()].filter(({ before, after }) => differs(before, after));
    const count = (isMeant: (change: RowDifference) => boolean): number => rows.filter(isMeant).length;
    const added = count(({ before }) => before === undefined);
    const removed = count(({ after }) => after === undefined);
    const difference = { table, added, removed, changed: rows.length - added - removed, rows: rows.slice(0, mostRows) };
    return rows.length === 0 ? [] : [difference];
  });
}
