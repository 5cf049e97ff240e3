// The differences between rows before and after: added, removed and changed rows of each table.

import type Database from 'better-sqlite3';

/** A row, column by column. */
export type StoredRow = Record<string, unknown>;

export interface RowDifference {
  /** The values of its primary key. */
  key: unknown[];
  /** undefined: it was added. */
  before: StoredRow | undefined;
  /** undefined: it was removed. */
  after: StoredRow | undefined;
}

export interface TableDifference {
  table: string;
  added: number;
  removed: number;
  changed: number;
  /** The first of them, by their keys; the removed ones last. */
  rows: RowDifference[];
}

// Records of what happened are none, and counters follow from the rows that they number.
const internalTables = "('journal', 'history', 'counters')";
/** The tables whose rows belong to the state of a world. */
export function tablesOf(db: Database.Database): string[] {
  return db
    .prepare(
      `SELECT name FROM main.sqlite_schema
       WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT IN ${internalTables} ORDER BY name`,
    )
    .pluck()
    .all() as string[];
}

/** Whether two states of a row differ in a column; undefined: it is not there. */
export function differs(before: StoredRow | undefined, after: StoredRow | undefined): boolean {
  if (before === undefined || after === undefined) return before !== after;
  return Object.keys(after).some((name) => !isSame(before[name], after[name]));
}

function isSame(one: unknown, other: unknown): boolean {
  return Buffer.isBuffer(one) && Buffer.isBuffer(other) ? one.equals(other) : one === other;
}
