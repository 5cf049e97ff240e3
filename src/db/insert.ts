// Inserts a row whose fields have the names of the columns, so that a new column is named once, in the type of its row.

import type { Db, SqlValue } from './db.js';

interface Text {
  columns: readonly string[];
  onConflict: string;
  sql: string;
}

// By table. To put the text together anew for each row, and to find its statement, took 7 % of a create.
const texts = new Map<string, Text[]>();

function textOf(table: string, row: object, onConflict: string): string {
  const columns = Object.keys(row);
  const known = texts.get(table) ?? [];
  const isOfRow = (text: Text): boolean =>
    text.onConflict === onConflict &&
    text.columns.length === columns.length &&
    columns.every((column, index) => column === text.columns[index]);
  const found = known.find(isOfRow);
  if (found !== undefined) return found.sql;
  const values = columns.map((column) => `@${column}`);
  const sql = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${values.join(', ')}) ${onConflict}`;
  texts.set(table, [...known, { columns, onConflict, sql }]);
  return sql;
}

/**
 * Inserts a row and returns how many rows were written: 0 or 1.
 *
 * @param row exactly the columns to write; the others get their defaults
 * @param onConflict what happens instead where the row exists
 * @example insert(db, 'counters', { name: 'orders', value: 1 }, 'ON CONFLICT DO NOTHING')
 */
export function insert<Row extends object & { [Name in keyof Row]: SqlValue }>(
  db: Db,
  table: string,
  row: Row,
  onConflict = '',
): number {
  return db.run(textOf(table, row, onConflict), row);
}
