// Stored facts about a world: seed, clock, settings.

import type { ClockState } from '../core/clock.js';
import { jsonFault } from '../core/json-fault.js';
import { DamagedError } from './connection.js';
import type { Db } from './db.js';
import { insert } from './insert.js';

/** A value that the world keeps under a name, or undefined. */
export function readMeta(db: Db, key: string): string | undefined {
  return db.get<{ value: string }>('SELECT value FROM meta WHERE key = @key', { key })?.value;
}

/**
 * The value of a name that keeps JSON, or undefined.
 *
 * @throws DamagedError when it is none
 */
export function readMetaJson<Value>(db: Db, key: string): Value | undefined {
  const text = readMeta(db, key);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as Value;
  } catch {
    throw new DamagedError(`the row "${key}" of its table meta is no JSON: ${jsonFault(text, false)}`);
  }
}

export function writeMeta(db: Db, key: string, value: string): void {
  insert(db, 'meta', { key, value }, 'ON CONFLICT (key) DO UPDATE SET value = excluded.value');
}

export function forgetMeta(db: Db, key: string): void {
  db.run('DELETE FROM meta WHERE key = @key', { key });
}

/** Forgets the numbers of a world that others are made from: a new one counts for itself. */
export function forgetNumbers(db: Db): void {
  db.run("DELETE FROM meta WHERE key IN ('counts', 'journal')");
}

export function readClock(db: Db): ClockState | undefined {
  return readMetaJson(db, 'clock');
}

/** @throws when there is none: the data are no world */
export function requireClock(db: Db): ClockState {
  const state = readClock(db);
  if (state === undefined) throw new Error('the image holds no world');
  return state;
}

export function writeClock(db: Db, state: ClockState): void {
  writeMeta(db, 'clock', JSON.stringify(state));
}
