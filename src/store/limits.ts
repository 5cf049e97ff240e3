// Rate limits that control has set: they stand over the settings until they are released.

import type { Db } from './db.js';

export type LimitKind = 'preset' | 'feature' | 'operation';

/** What was set for a preset, a feature or an operation. */
export interface SetLimit {
  kind: LimitKind;
  name: string;
  limit: number;
  /** Milliseconds; null: as long as without it. */
  windowMs: number | null;
}

export interface Limits {
  find(kind: LimitKind, name: string): SetLimit | undefined;
  /** In the order in which they were first set. */
  list(): readonly SetLimit[];
  set(wanted: SetLimit): void;
  clear(): void;
}

/** The set limits of one world. */
export function createLimits(db: Db): Limits {
  // Asked at each request, and nearly always empty.
  const list = (): readonly SetLimit[] =>
    db.memo('limits', 'all', () =>
      db.all<SetLimit>('SELECT kind, name, size AS "limit", window_ms AS windowMs FROM limits ORDER BY seq'),
    );
  return {
    find: (kind, name) => list().find((entry) => entry.kind === kind && entry.name === name),
    list,
    set({ kind, name, limit, windowMs }) {
      db.run(
        `INSERT INTO limits (kind, name, size, window_ms) VALUES (?, ?, ?, ?)
         ON CONFLICT (kind, name) DO UPDATE SET size = excluded.size, window_ms = excluded.window_ms`,
        kind,
        name,
        limit,
        windowMs,
      );
    },
    clear: () => void db.run('DELETE FROM limits'),
  };
}
