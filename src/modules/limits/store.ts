// Rate limits that controls have set: they override the settings until they are released.

import { cached } from '../../db/cached-reads.js';
import type { WorldPart } from '../../world/parts.js';
import type { PartKey, World } from '../../world/world.js';

type LimitKind = 'preset' | 'feature' | 'operation';

/** The limit that was set for a preset, a feature or an operation. */
interface SetLimit {
  kind: LimitKind;
  name: string;
  limit: number;
  /** Milliseconds; null: the configured length. */
  windowMs: number | null;
}

export interface LimitOverrides extends WorldPart {
  find(kind: LimitKind, name: string): SetLimit | undefined;
  /** In the order in which they were first set. */
  list(): readonly SetLimit[];
  set(wanted: SetLimit): void;
  clear(): void;
}

const limitsKey: PartKey<LimitOverrides> = { name: 'limits', create: createLimits };

/** The limits that controls have set in a world. */
export function limitOverridesOf(world: World): LimitOverrides {
  return world.part(limitsKey);
}

// Read at each request, and nearly always empty.
const listLimits = cached(['limits'], (db): readonly SetLimit[] =>
  db.all<SetLimit>('SELECT kind, name, size AS "limit", window_ms AS windowMs FROM limits ORDER BY seq'),
);

function createLimits({ db }: World): LimitOverrides {
  const list = () => listLimits(db);
  return {
    find: (kind, name) => list().find((entry) => entry.kind === kind && entry.name === name),
    list,
    set({ kind, name, limit, windowMs }) {
      db.run(
        `INSERT INTO limits (kind, name, size, window_ms) VALUES (@kind, @name, @limit, @windowMs)
          ON CONFLICT (kind, name) DO UPDATE SET size = excluded.size, window_ms = excluded.window_ms`,
        { kind, name, limit, windowMs },
      );
    },
    clear: () => void db.run('DELETE FROM limits'),
  };
}
