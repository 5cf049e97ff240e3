// Stored facts about a world: seed, clock, settings.

import * as z from 'zod';
import type { ClockState } from '../core/clock.js';
import { lastInstant } from '../core/instant.js';
import { jsonFault } from '../core/json.js';
import { problemsOf } from '../core/problems.js';
import { DamagedError } from './connection.js';
import type { Db } from './db.js';
import { insert } from './insert.js';

/**
 * A value that the world keeps under a name, or undefined.
 *
 * @throws DamagedError when it is no text
 */
export function readMeta(db: Db, key: string): string | undefined {
  const value = db.get<{ value: unknown }>('SELECT value FROM meta WHERE key = @key', { key })?.value;
  if (value === undefined || typeof value === 'string') return value;
  throw damagedRow(key, 'is no text');
}

/**
 * The value of a name that keeps JSON, or undefined.
 *
 * @throws DamagedError when it is none, or another than the one that is written there
 */
export function readMetaJson<Value>(db: Db, key: string, shape: z.ZodType<Value>): Value | undefined {
  const text = readMeta(db, key);
  if (text === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw damagedRow(key, `is no JSON: ${jsonFault(text, false)}`);
  }
  return ofShape(value, key, shape);
}

/**
 * Checks the value of a name and returns it unchanged: fields that are unknown came from another version.
 *
 * @throws DamagedError when it is not what is written there
 */
export function ofShape<Value>(value: unknown, key: string, shape: z.ZodType<Value>): Value {
  // Most are read once, which is less than making the functions would cost.
  const read = shape.safeParse(value, { jitless: true });
  if (read.success) return value as Value;
  const issues = read.error.issues.filter(({ code }) => code !== 'unrecognized_keys');
  const [problem] = problemsOf(issues, value, shape);
  if (problem !== undefined) throw damagedRow(key, `is not as it was written: ${problem.path} ${problem.message}`);
  return value as Value;
}

/** The error of a row that is not as it was written. */
export function damagedRow(key: string, problem: string): DamagedError {
  return new DamagedError(`the row "${key}" of its table meta ${problem}`);
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

/** An instant in milliseconds that the wire can carry. */
export const storedInstant = z.lazy(() => z.number().min(-lastInstant).max(lastInstant));

/** A clock as it is stored. */
export const clockState: z.ZodType<ClockState> = z.lazy(() =>
  z.object({
    anchorVirtual: storedInstant,
    anchorWall: storedInstant,
    speed: z.number().min(0),
    skewMs: z.number(),
    waits: z.number().min(0).optional(),
    floor: storedInstant,
  }),
);

export function readClock(db: Db): ClockState | undefined {
  return readMetaJson(db, 'clock', clockState);
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

/** The bytes that a database takes. */
export function bytesIn(db: Db): number {
  const size = 'SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size';
  return db.get<{ bytes: number }>(size)?.bytes ?? 0;
}
