// Rows whose columns contain JSON: if one is damaged, the error names it.

import { parsedJson } from '../core/json.js';
import { isTree } from '../core/tree.js';
import { DamagedError } from './connection.js';
import type { Db } from './db.js';
import { flagColumns, jsonColumns } from './schema.js';
import type { SqlValues } from './sql-value.js';

const kinds = new Map<string, string>([
  ...jsonColumns.map(([table, column, holds]) => [`${table}.${column}`, holds] as const),
  ['journal.records', 'array'],
]);

/**
 * The JSON value of a column.
 *
 * @param column such as `deployments.plan`
 * @throws DamagedError when it is no JSON, or a value of another kind
 */
export function storedJson<Value>(text: string, column: string): Value {
  const value = parsedJson(text);
  const holds = kinds.get(column);
  if (holds === 'array' ? Array.isArray(value) : isTree(value)) return value as Value;
  throw new DamagedError(`${column} is no JSON ${holds} in one of its rows`);
}

/** The row that a query finds, with the values of its columns of JSON, and of those that are true or false. */
export function findRow<Row>(db: Db, table: string, sql: string, values?: SqlValues): Row | undefined {
  const row = db.get<object>(sql, values);
  return row === undefined ? undefined : readRow<Row>(table, row);
}

/** All rows that a query finds, in this form. */
export function listRows<Row>(db: Db, table: string, sql: string, values?: SqlValues): Row[] {
  return db.all<object>(sql, values).map((row) => readRow<Row>(table, row));
}

function readRow<Row>(table: string, row: object): Row {
  const read: Record<string, unknown> = { ...row };
  for (const [of, column] of jsonColumns)
    if (of === table && typeof read[column] === 'string') read[column] = storedJson(read[column], `${table}.${column}`);
  for (const [of, column] of flagColumns) if (of === table) read[column] = read[column] === 1;
  return read as Row;
}
