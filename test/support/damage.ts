// Damages the database of a world that no process has open.

import { openSqlite } from '../../src/db/sqlite.js';

/** Writes a row of its table meta. */
export function damageRow(file: string, row: string, value: string): void {
  const db = openSqlite(file);
  db.prepare('INSERT OR REPLACE INTO meta VALUES (?, ?)').run(row, value);
  db.close();
}
