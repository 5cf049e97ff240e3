// Copies the tables of a database between connections: without gaps, and without looking at each reference.

import type Database from 'better-sqlite3';
import { formatMark } from './migrations.js';
import { records } from './schema.js';

/** The value of a pragma that is a number. */
export const pragma = (connection: Database.Database, name: string): number =>
  connection.pragma(name, { simple: true }) as number;

/** The tables and indexes of a connection as an image without gaps and without records of the past. */
export function compacted(connection: Database.Database): Buffer {
  const pageSize = pragma(connection, 'page_size');
  connection.exec("ATTACH ':memory:' AS image");
  const setBack = allowLooseReferencesOn(connection);
  try {
    connection.exec(`PRAGMA image.page_size = ${pageSize}; BEGIN`);
    for (const { sql } of connection.prepare(statements).all() as { sql: string }[])
      connection.exec(sql.replace(/^CREATE (TABLE|INDEX|UNIQUE INDEX) /, 'CREATE $1 image.'));
    for (const { name } of connection.prepare(ownTables).all() as { name: string }[]) {
      connection.exec(`INSERT INTO image.${name} SELECT * FROM main.${name}`);
    }
    connection.exec(`${formatMark('image')} COMMIT`);
    return connection.serialize({ attached: 'image' });
  } finally {
    if (connection.inTransaction) connection.exec('ROLLBACK');
    setBack();
    connection.exec('DETACH image');
  }
}

// Tables first: indexes are of them.
const statements = `SELECT sql FROM sqlite_schema WHERE type IN ('table', 'index') AND sql IS NOT NULL
  AND name NOT LIKE 'sqlite_%' ORDER BY type DESC, rowid`;

const ownTables = `SELECT name FROM main.sqlite_schema
  WHERE type = 'table' AND name NOT LIKE 'sqlite_%'
  AND name NOT IN (${records.map((name) => `'${name}'`)})`;

/** SQLite copies whole tables only where it need not look at each reference. The result sets that back. */
export function allowLooseReferencesOn(connection: Database.Database): () => void {
  if (connection.pragma('foreign_keys', { simple: true }) === 0) return () => {};
  connection.pragma('foreign_keys = OFF');
  return () => void connection.pragma('foreign_keys = ON');
}
