// Brings what was written from SQLite's log into the database file as soon as nobody writes for a moment.

import type Database from 'better-sqlite3';
import { afterWall } from '../core/clock.js';

// Longer than the pauses in a burst of requests, shorter than it takes a person to copy a file.
const idleMs = 1_000;
// A client that polls once a second writes as often.
const mostWaits = 10;

export interface Checkpoints {
  /** Notes a write. */
  written(): void;
  cancel(): void;
}

/**
 * Until a checkpoint a database file holds nothing of what was written: a copy of it alone, without its log, would be
 * empty or old, and nothing would say so.
 */
export function checkpointWhenIdle(connection: () => Database.Database): Checkpoints {
  let isWritten = false;
  let cancel: (() => void) | undefined;

  function wait(waits: number): void {
    isWritten = false;
    cancel = afterWall(idleMs, () => {
      cancel = undefined;
      if (isWritten && waits < mostWaits) return wait(waits + 1);
      const db = connection();
      if (!db.open) return;
      if (db.inTransaction) return wait(waits);
      try {
        // A passive checkpoint does not wait: if another program reads, the next checkpoint brings the rest.
        db.pragma('wal_checkpoint(PASSIVE)');
      } catch {
        // The log keeps the data if they cannot be stored now.
      }
    });
  }
  return {
    written() {
      isWritten = true;
      if (cancel === undefined) wait(1);
    },
    cancel() {
      cancel?.();
      cancel = undefined;
    },
  };
}
