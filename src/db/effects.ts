// Consequences that are due at an instant of virtual time and must be written once (a refund, a bill).

import type { Db } from './db.js';

export interface Effect {
  kind: string;
  subject: string;
  due_at: number;
}

/** Sets when an effect is due; `undefined` calls it off. */
export function scheduleEffect(db: Db, kind: string, subject: string, dueAt: number | undefined): void {
  if (dueAt === undefined) {
    db.run('DELETE FROM effects WHERE kind = @kind AND subject = @subject', { kind, subject });
    return;
  }
  db.run(
    `INSERT INTO effects (kind, subject, due_at) VALUES (@kind, @subject, @dueAt)
       ON CONFLICT (kind, subject) DO UPDATE SET due_at = excluded.due_at`,
    { kind, subject, dueAt },
  );
}

/** The earliest effect that is due by an instant. */
export function dueEffect(db: Db, now: number): Effect | undefined {
  return db.get<Effect>(
    'SELECT kind, subject, due_at FROM effects WHERE due_at <= @now ORDER BY due_at, kind, subject LIMIT 1',
    { now },
  );
}

/** The effects that are due after an instant, the earliest first. */
export function dueEffects(db: Db, after: number, limit: number): Effect[] {
  return db.all<Effect>(
    'SELECT kind, subject, due_at FROM effects WHERE due_at > @after ORDER BY due_at, kind, subject LIMIT @limit',
    { after, limit },
  );
}

/** The subjects for which an effect of a kind is scheduled. */
export function subjectsOf(db: Db, kind: string): string[] {
  return db
    .all<{ subject: string }>('SELECT subject FROM effects WHERE kind = @kind ORDER BY subject', { kind })
    .map(({ subject }) => subject);
}

/** When the next effect is due, or undefined. */
export function nextEffectAt(db: Db): number | undefined {
  return db.get<{ due: number | null }>('SELECT min(due_at) AS due FROM effects')?.due ?? undefined;
}

/** How many rows the connection has changed since it was opened. */
export function changedRows(db: Db): number {
  return db.get<{ rows: number }>('SELECT total_changes() AS rows')?.rows ?? 0;
}
