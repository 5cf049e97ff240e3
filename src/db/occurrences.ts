// The order of what happens in a world, to containers and jobs: many things may happen at one instant.

import { maintained } from './cached-reads.js';
import type { Db } from './db.js';

// Numbers are reserved, so that most occurrences need no write of their own. A start leaves the rest of them out.
const reservedAtOnce = 1_000;
const series = 'occurrences';

const reservedOf = maintained(['counters'], (db, _key: string) => {
  const row = db.get<{ value: number }>('SELECT value FROM counters WHERE name = @series', { series });
  return { last: row?.value ?? 0, until: row?.value ?? 0 };
});

/** The number of something that happens now: above those of all that happened before. */
export function nextOccurrence(db: Db): number {
  const reserved = reservedOf(db, series);
  if (reserved.last === reserved.until) {
    const value = reserved.until + reservedAtOnce;
    db.run('REPLACE INTO counters (name, value) VALUES (@series, @value)', { series, value });
    reserved.until = value;
  }
  reserved.last++;
  return reserved.last;
}

/** The number of what happened last. */
export function lastOccurrence(db: Db): number {
  return reservedOf(db, series).last;
}
