// Columns that contain JSON: if one is damaged, the error names it.

import { parsedJson } from '../core/json.js';
import { isTree } from '../core/tree.js';
import { DamagedError } from './connection.js';
import { jsonColumns } from './schema.js';

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
