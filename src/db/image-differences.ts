// What is different between two images of a world: rows that were added, removed or changed, table by table.

import type Database from 'better-sqlite3';
import { connect, migrate } from './connection.js';
import { asRollbackJournalled } from './snapshot.js';

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

/**
 * The tables in which two images differ. It takes time and memory in proportion to the images.
 *
 * @param most of the rows of each table; the counts are those of all
 */
export function differencesOf(before: Buffer, after: Buffer, most: number): TableDifference[] {
  const [first, second] = [openImage(before), openImage(after)];
  try {
    return tablesOf(second)
      .map((table) => compareTable(first, second, table, most))
      .filter(({ added, removed, changed }) => added + removed + changed > 0);
  } finally {
    first.close();
    second.close();
  }
}

// Its own copy, brought to the tables of now.
function openImage(image: Buffer): Database.Database {
  const db = connect(asRollbackJournalled(image));
  migrate(db, ':memory:');
  return db;
}

// The journal is a record of what happened, and no part of the state.
function tablesOf(db: Database.Database): string[] {
  return db
    .prepare(
      `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> 'journal'
       ORDER BY name`,
    )
    .pluck()
    .all() as string[];
}

function compareTable(
  first: Database.Database,
  second: Database.Database,
  table: string,
  most: number,
): TableDifference {
  const columns = second.pragma(`table_info(${table})`) as { name: string; pk: number }[];
  const keys = columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
  const keyOf = (row: StoredRow): unknown[] => keys.map(({ name }) => row[name]);
  const sql = `SELECT * FROM ${table} ORDER BY ${keys.map(({ name }) => `"${name}"`)}`;
  const former = new Map<string, StoredRow>();
  for (const row of first.prepare(sql).iterate() as Iterable<StoredRow>) former.set(JSON.stringify(keyOf(row)), row);
  const difference: TableDifference = { table, added: 0, removed: 0, changed: 0, rows: [] };
  const note = (kind: 'added' | 'removed' | 'changed', row: RowDifference): void => {
    difference[kind]++;
    if (difference.rows.length < most) difference.rows.push(row);
  };
  for (const after of second.prepare(sql).iterate() as Iterable<StoredRow>) {
    const key = keyOf(after);
    const before = former.get(JSON.stringify(key));
    if (before === undefined) note('added', { key, before, after });
    else if (!columns.every(({ name }) => isSame(before[name], after[name]))) note('changed', { key, before, after });
    former.delete(JSON.stringify(key));
  }
  for (const before of former.values()) note('removed', { key: keyOf(before), before, after: undefined });
  return difference;
}

function isSame(one: unknown, other: unknown): boolean {
  return Buffer.isBuffer(one) && Buffer.isBuffer(other) ? one.equals(other) : one === other;
}
