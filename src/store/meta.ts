// What a world remembers about itself: seed, clock, counters.

import type { ClockState } from '../kernel/clock.js';
import type { Db } from './db.js';

/** A value that the world keeps under a name, or undefined. */
export function readMeta(db: Db, key: string): string | undefined {
  return db.get<{ value: string }>('SELECT value FROM meta WHERE key = ?', key)?.value;
}

export function writeMeta(db: Db, key: string, value: string): void {
  db.run(
    'INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
    key,
    value,
  );
}

export function readClock(db: Db): ClockState | undefined {
  const text = readMeta(db, 'clock');
  return text === undefined ? undefined : (JSON.parse(text) as ClockState);
}

export function writeClock(db: Db, state: ClockState): void {
  writeMeta(db, 'clock', JSON.stringify(state));
}

/** The next number of a series, from 1; rolled back with the transaction that took it. */
export function nextNumber(db: Db, series: string): number {
  // Not an upsert, which costs twice as much: all numbers but the first are an update.
  const row = db.get<{ value: number }>('UPDATE counters SET value = value + 1 WHERE name = ? RETURNING value', series);
  if (row !== undefined) return row.value;
  db.run('INSERT INTO counters (name, value) VALUES (?, 1)', series);
  return 1;
}
