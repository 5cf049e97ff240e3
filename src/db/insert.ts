// Inserts a row whose fields have the names of the columns, so that a new column is named once, in the type of its row.

import type { Db, SqlValue } from './db.js';

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
  const columns = Object.keys(row);
  const values = columns.map((column) => `@${column}`);
  return db.run(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${values.join(', ')}) ${onConflict}`, row);
}
