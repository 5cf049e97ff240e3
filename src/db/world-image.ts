// The data of a world at an instant, as a value: the bytes, and what is known of them.

import type Database from 'better-sqlite3';
import type { Db } from './db.js';
import { tableNames, tables } from './schema.js';

/** All data of a world but records of the past, as the bytes of an SQLite file. */
export interface WorldImage {
  readonly bytes: Buffer;
  /** Whether the bytes were looked at, or are our own: they hold a world that can be put back. */
  isChecked: boolean;
  /** The moment at which a database held exactly these data. */
  moment?: Moment;
}

/** A moment of a database. */
export interface Moment {
  /** SQLite's own count of what other connections have written. */
  version: unknown;
}

// For each database the last moment at which it held the data of an image.
const latest = new WeakMap<Db, Moment>();

/**
 * Notes a moment at which a database holds the data of an image; what is written from now on may differ.
 *
 * @returns the moment, for the image
 */
export function noteMoment(db: Db, connection: Database.Database): Moment {
  const now = { version: dataVersionOf(connection) };
  db.touched.clear();
  latest.set(db, now);
  return now;
}

/** Notes that a database holds the data of no image: what was put there is undone. */
export function forgetMoment(db: Db): void {
  latest.delete(db);
}

/** The tables in which a database may differ from an image: putting it back replaces no others. */
export function tablesToReplace(db: Db, connection: Database.Database, { moment }: WorldImage): readonly string[] {
  if (moment === undefined || latest.get(db) !== moment || moment.version !== dataVersionOf(connection))
    return tableNames;
  // The deletion of a row deletes those that refer to it, which no statement names. `tables` has parents first.
  const touched = new Set<string>();
  for (const { name, parents } of tables)
    if (db.touched.has(name) || parents.some((parent) => touched.has(parent))) touched.add(name);
  return [...touched];
}

const dataVersionOf = (connection: Database.Database): unknown => connection.pragma('data_version', { simple: true });
