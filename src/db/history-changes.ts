// What parts of a history have changed: rows before and after. An entry says how its rows were before; how they were after
// it, the next entry with the same row says, or the row itself.

import { connect } from './connection.js';
import type { Db } from './db.js';
import { type Entry, sqlValue } from './history-entry.js';
import type { HistoryStore } from './history-store.js';
import { differs, type RowDifference, type StoredRow, type TableDifference } from './row-difference.js';
import type { NotedRow } from './row-log.js';
import type { SqlValues } from './sql-value.js';
import { withoutWal } from './wal-header.js';

/** A request may change any number of rows; beyond these they are counted. */
const mostRows = 500;

/** The numbers follow from the rows that they number. */
const unsaid = 'counters';

/** A changed row; without `after` it is as it is now. */
interface Changed<Group = unknown> extends Pick<NotedRow, 'table' | 'key'> {
  group: Group;
  before: unknown[] | null;
  after?: unknown[] | null;
}

/**
 * The rows that groups of entries changed.
 *
 * @param groupOf the group of an entry; undefined: nobody asks what it changed
 * @param from the number of the first entry that somebody asks about, where that is known
 */
export function changesIn<Group>(
  db: Db,
  entries: Pick<HistoryStore, 'after' | 'image'>,
  groupOf: (entry: Entry) => Group | undefined,
  from = 0,
): Map<Group, TableDifference[]> {
  const found: Changed<Group>[] = [];
  const counts = new Map<Group, Map<string, number>>();
  // The last change of each row, as long as nobody has changed the row after it.
  const last = new Map<string, Changed<Group>>();
  const groups = new Map<Group, Changed<Group>[]>();
  for (const entry of entries.after(from - 1)) {
    if (entry.replaced === true && last.size > 0) {
      const image = entries.image(entry.seq);
      if (image !== undefined) readRows(image, [...last.values()]);
      last.clear();
    }
    const group = groupOf(entry);
    if (group !== undefined && !groups.has(group)) groups.set(group, []);
    for (const { table, key, before } of entry.rows ?? []) {
      if (table === unsaid) continue;
      const name = `${table} ${JSON.stringify(key)}`;
      const known = last.get(name);
      if (known !== undefined) {
        if (known.group === group) continue;
        known.after = before;
        last.delete(name);
      }
      if (group === undefined) continue;
      const count = (counts.get(group)?.get(table) ?? 0) + 1;
      counts.set(group, (counts.get(group) ?? new Map()).set(table, count));
      // Rows that are only counted need no values: a document has thousands, which would all be held at once.
      const change = { group, table, key, before: count <= mostRows || before === null ? before : [] };
      found.push(change);
      last.set(name, change);
    }
  }
  const reader = readerOf((sql, values) => db.all(sql, values));
  for (const change of [...last.values()]) {
    change.after = reader.row(change);
  }
  for (const change of found) groups.get(change.group)?.push(change);
  const differences = new Map<Group, TableDifference[]>();
  for (const [group, changed] of groups) {
    differences.set(group, differencesOf(reader, changed));
  }
  return differences;
}

function readRows(image: Buffer, changed: readonly Changed[]): void {
  const connection = connect(withoutWal(image));
  try {
    const reader = readerOf((sql, values) => connection.prepare(sql).all(values));
    for (const change of changed) change.after = reader.row(change);
  } finally {
    connection.close();
  }
}

interface Reader {
  columns(table: string): readonly Column[];
  /** A row as it is; null: there is none. */
  row(one: Pick<NotedRow, 'table' | 'key'>): unknown[] | null;
}

interface Column {
  name: string;
  pk: number;
}

function readerOf(all: (sql: string, values: SqlValues) => unknown[]): Reader {
  const known = new Map<string, Column[]>();
  function columns(table: string): Column[] {
    let found = known.get(table);
    if (found === undefined) {
      found = all('SELECT name, pk FROM pragma_table_info(@table)', { table }) as Column[];
      known.set(table, found);
    }
    return found;
  }
  return {
    columns,
    row({ table, key }) {
      const keys = columns(table)
        .filter(({ pk }) => pk > 0)
        .sort((a, b) => a.pk - b.pk);
      const where = keys.map(({ name }, index) => `"${name}" = @k${index}`).join(' AND ');
      const values = Object.fromEntries(key.map((value, index) => [`k${index}`, value]));
      const [row] = all(`SELECT * FROM ${table} WHERE ${where}`, values) as StoredRow[];
      return row === undefined ? null : Object.values(row);
    },
  };
}

function differencesOf(reader: Reader, changed: readonly Changed[]): TableDifference[] {
  const tables = new Map<string, RowDifference[]>();
  for (const { table, key, before, after = null } of changed) {
    const rows = tables.get(table) ?? [];
    tables.set(table, rows);
    const names = reader.columns(table).map(({ name }) => name);
    const row = { key, before: rowOf(table, names, before), after: rowOf(table, names, after) };
    if (differs(row.before, row.after)) rows.push(row);
  }
  return [...tables].flatMap(([table, rows]) => (rows.length === 0 ? [] : [countedDifference(table, rows)]));
}

function rowOf(table: string, names: readonly string[], values: unknown[] | null): StoredRow | undefined {
  if (values === null) return undefined;
  const row = Object.fromEntries(names.map((name, index) => [name, sqlValue(values[index])]));
  // Requests are counted beside what they change.
  if (table === 'api_keys') for (const counted of ['usage_count', 'last_used_at']) delete row[counted];
  return row;
}

function countedDifference(table: string, rows: RowDifference[]): TableDifference {
  const count = (isMeant: (change: RowDifference) => boolean): number => rows.filter(isMeant).length;
  const added = count(({ before }) => before === undefined);
  const removed = count(({ after }) => after === undefined);
  return { table, added, removed, changed: rows.length - added - removed, rows: rows.slice(0, mostRows) };
}
