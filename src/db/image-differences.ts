// The differences between two images of a world: rows that were added, removed or changed, table by table.

import type Database from 'better-sqlite3';
import { connect, migrate } from './connection.js';
import { differs, type RowDifference, type StoredRow, type TableDifference, tablesOf } from './row-difference.js';
import { withoutWal } from './wal-header.js';

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

// The anchor of virtual time is left out, as it is the emulator's own: a restore moves the anchor and leaves the time as it
// was.
const forgetAnchor = `UPDATE meta SET value =
  json_remove(json_set(value, '$.anchorVirtual', json_extract(value, '$.floor')), '$.anchorWall') WHERE key = 'clock'`;

// A copy of the image, migrated to the present tables.
function openImage(image: Buffer): Database.Database {
  const db = connect(withoutWal(image));
  migrate(db, ':memory:');
  db.exec(forgetAnchor);
  return db;
}

// The rows of `meta` that are not compared: the emulator's own counts and marks, and the seed, from which keys follow.
const internalNotes = "('journal', 'counts', 'empty', 'seed', 'initial-state', 'own-scenario')";

function compareTable(
  first: Database.Database,
  second: Database.Database,
  table: string,
  most: number,
): TableDifference {
  const columns = second.pragma(`table_info(${table})`) as { name: string; pk: number }[];
  const keys = columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
  const keyOf = (row: StoredRow): unknown[] => keys.map(({ name }) => row[name]);
  const meant = table === 'meta' ? `WHERE key NOT IN ${internalNotes}` : '';
  const sql = `SELECT * FROM ${table} ${meant} ORDER BY ${keys.map(({ name }) => `"${name}"`)}`;
  const same = `SELECT * FROM ${table} WHERE ${keys.map(({ name }) => `"${name}" IS @${name}`).join(' AND ')}`;
  const [inFirst, inSecond] = [first.prepare(same), second.prepare(same)];
  const difference: TableDifference = { table, added: 0, removed: 0, changed: 0, rows: [] };
  const note = (kind: 'added' | 'removed' | 'changed', row: RowDifference): void => {
    difference[kind]++;
    if (difference.rows.length < most) difference.rows.push(row);
  };
  for (const after of second.prepare(sql).iterate() as Iterable<StoredRow>) {
    const key = keyOf(after);
    const before = inFirst.get(after) as StoredRow | undefined;
    if (before === undefined) note('added', { key, before, after });
    else if (differs(before, after)) note('changed', { key, before, after });
  }
  for (const before of first.prepare(sql).iterate() as Iterable<StoredRow>) {
    if (inSecond.get(before) === undefined) note('removed', { key: keyOf(before), before, after: undefined });
  }
  return difference;
}
