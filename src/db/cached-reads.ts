// Reads that keep their results until one of the tables that they come from is written.

import type { CachedRead } from './cache.js';
import type { Db } from './db.js';
import { schema } from './schema.js';

/**
 * Makes a read that keeps its results, by its first argument, until one of the tables that they come from is written.
 * What follows the first argument must be determined by it, or by the data. Results must not be changed.
 *
 * @param tables without any, results are kept until all data of the world are replaced
 */
export function cached<Args extends [key?: string | number, ...rest: unknown[]], Result>(
  tables: readonly string[],
  read: (db: Db, ...args: Args) => Result,
): (db: Db, ...args: Args) => Result {
  requireTables(tables);
  const identity: CachedRead = { tables };
  return (db, ...args) => db.kept(identity, args[0], () => read(db, ...args));
}

/**
 * Makes a read whose results those keep up to date who write the tables, for what takes long to read anew: an object for
 * each key, which is dropped when a transaction that wrote one of the tables is undone, or all data are replaced.
 */
export function maintained<Key extends string, Result extends object>(
  tables: readonly string[],
  read: (db: Db, key: Key) => Result,
): (db: Db, key: Key) => Result {
  requireTables(tables);
  const identity: CachedRead = { tables, isMaintained: true };
  return (db, key) => db.kept(identity, key, () => read(db, key));
}

function requireTables(tables: readonly string[]): void {
  for (const table of tables)
    if (!schema.includes(`CREATE TABLE ${table} `)) throw new Error(`there is no table ${table}`);
}
