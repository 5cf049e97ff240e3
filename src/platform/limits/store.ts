// Rate limits that controls have set: they override the settings until they are released.

import { cached } from '../../db/cached-reads.js';
import type { Db } from '../../db/db.js';

type LimitKind = 'preset' | 'feature' | 'operation';

/** The limit that was set for a preset, a feature or an operation. */
interface SetLimit {
  kind: LimitKind;
  name: string;
  limit: number;
  /** Milliseconds; null: the configured length. */
  windowMs: number | null;
}

/** The limits that controls have set, in the order in which they were first set: read at each request, and nearly always empty. */
export const limitsSet = cached(['limits'], (db): readonly SetLimit[] =>
  db.all<SetLimit>('SELECT kind, name, size AS "limit", window_ms AS windowMs FROM limits ORDER BY seq'),
);

/** The limit that a control has set for something. */
export function findLimit(db: Db, kind: LimitKind, name: string): SetLimit | undefined {
  return limitsSet(db).find((set) => set.kind === kind && set.name === name);
}

export function insertLimit(db: Db, { kind, name, limit, windowMs }: SetLimit): void {
  db.run(
    `INSERT INTO limits (kind, name, size, window_ms) VALUES (@kind, @name, @limit, @windowMs)
      ON CONFLICT (kind, name) DO UPDATE SET size = excluded.size, window_ms = excluded.window_ms`,
    { kind, name, limit, windowMs },
  );
}

export function removeLimits(db: Db): void {
  db.run('DELETE FROM limits');
}
