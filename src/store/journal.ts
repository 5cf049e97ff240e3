// The journal of requests: written behind, a row a batch, bounded, flushed before anyone reads it.

import { afterWall } from '../kernel/clock.js';
import type { Db } from './db.js';

export interface JournalEntry {
  seq: number;
  requestId: string;
  /** Virtual milliseconds. */
  at: number;
  method: string;
  path: string;
  operation: string | null;
  status: number;
  durationMs: number;
  organizationId: string | null;
  keyId: string | null;
  errorCode: string | null;
  fault: string | null;
  warnings: string[];
  assumptions: string[];
}

export interface Journal {
  /** The number of the next request, from 1 on: request ids are made from it. */
  nextNumber(): number;
  record(entry: JournalEntry): void;
  flush(): void;
  /** The newest entries first. */
  recent(limit: number): JournalEntry[];
}

export interface JournalOptions {
  db: Db;
  /** How many entries are kept; the oldest go first. */
  capacity: number;
  /** Called within each flush, for other counts that may lag (key usage, rate windows, the clock's floor). */
  alsoFlush: () => void;
}

const batchSize = 500;
const batchDelayMs = 200;

/** The journal of one world. */
export function createJournal({ db, capacity, alsoFlush }: JournalOptions): Journal {
  let waiting: JournalEntry[] = [];
  let cancelTimer: (() => void) | undefined;
  let last = db.get<{ seq: number | null }>('SELECT max(last_seq) AS seq FROM journal')?.seq ?? 0;

  function flush(): void {
    cancelTimer?.();
    cancelTimer = undefined;
    if (waiting.length === 0) return;
    const batch = waiting;
    waiting = [];
    db.transaction(() => {
      const lastSeq = batch.at(-1)?.seq ?? last;
      db.run(
        'INSERT OR REPLACE INTO journal (last_seq, entries) VALUES (?, ?)',
        lastSeq,
        JSON.stringify(batch.slice(-capacity)),
      );
      db.run('DELETE FROM journal WHERE last_seq <= ?', lastSeq - capacity);
      alsoFlush();
    });
  }

  return {
    nextNumber: () => ++last,
    record(entry) {
      waiting.push(entry);
      if (waiting.length >= batchSize) flush();
      else cancelTimer ??= afterWall(batchDelayMs, flush);
    },
    flush,
    recent(limit) {
      flush();
      const batches = db.all<{ entries: string }>('SELECT entries FROM journal ORDER BY last_seq DESC');
      const entries = batches.flatMap((row) => (JSON.parse(row.entries) as JournalEntry[]).reverse());
      return entries.slice(0, Math.min(limit, capacity));
    },
  };
}
