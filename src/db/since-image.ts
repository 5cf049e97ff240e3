// Finds the tables that may differ from the image that was put back last: putting it back again replaces no others.

import type Database from 'better-sqlite3';
import type { Db } from './db.js';
import { tableNames, tables } from './schema.js';

interface Held {
  /** Images of it. */
  images: WeakSet<Buffer>;
  /** SQLite's own count of what other connections have written. */
  version: unknown;
}

const held = new WeakMap<Db, Held>();

/** The tables in which a database may differ from an image. */
export function tablesToReplace(db: Db, connection: Database.Database, image: Buffer): readonly string[] {
  const known = held.get(db);
  if (known?.images.has(image) !== true || known.version !== versionOf(connection)) return tableNames;
  // A deleted row takes those that point at it along, which no statement names.
  const touched = new Set<string>();
  for (const { name, parents } of tables)
    if (db.touched.has(name) || parents.some((parent) => touched.has(parent))) touched.add(name);
  return [...touched];
}

/**
 * Notes that a database holds at this moment what an image holds; what is written from now on may differ.
 *
 * @returns tells which image that is
 */
export function nowHolds(db: Db, connection: Database.Database): (image: Buffer) => void {
  const now: Held = { images: new WeakSet(), version: versionOf(connection) };
  db.touched.clear();
  held.set(db, now);
  return (image) => void now.images.add(image);
}

/** Notes that it holds no image: what was put there is undone. */
export function holdsNone(db: Db): void {
  held.delete(db);
}

const versionOf = (connection: Database.Database): unknown => connection.pragma('data_version', { simple: true });
