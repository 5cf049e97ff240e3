// The numbers that ids are made from, and their upper limit.

import { ApiError } from '../core/errors.js';
import { maintained } from './cached-reads.js';
import type { Db } from './db.js';

// Ids of greater ones would come a second time.
const lastNumber = 2 ** 32 - 1;

/**
 * The number after `last`.
 *
 * @throws ApiError SERVICE_UNAVAILABLE when there is none left
 */
export function following(last: number, series: string): number {
  if (last < lastNumber) return last + 1;
  throw new ApiError('SERVICE_UNAVAILABLE', {
    message: `The numbers of ${series} in this world have come to their end (${lastNumber}): use another world, or another --data-dir`,
  });
}

const lastOf = maintained(['counters'], (db, series: string) => ({
  number: db.get<{ value: number }>('SELECT value FROM counters WHERE name = @series', { series })?.value ?? 0,
}));

/**
 * The next number of a series, from 1 on; rolled back with the transaction, or the part of a group, that took it.
 *
 * @throws ApiError SERVICE_UNAVAILABLE when there is none left
 */
export function nextNumber(db: Db, series: string): number {
  const last = lastOf(db, series);
  const value = following(last.number, series);
  db.run(
    'INSERT INTO counters (name, value) VALUES (@series, @value) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
    { series, value },
  );
  last.number = value;
  return value;
}

/** The number of a series that was taken last; 0: none was. */
export const lastNumberOf = (db: Db, series: string): number => lastOf(db, series).number;
