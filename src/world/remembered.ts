// The history of one world, from the moment on when it is to be recorded.

import type { Config } from '../config/schema.js';
import type { Db } from '../db/db.js';
import { History } from '../db/history.js';
import type { Cause } from '../db/history-entry.js';
import { imageOf } from '../db/image.js';
import type { Usage } from '../db/usage.js';

/** Runs what changes a world, so that its history knows why. */
export interface Remembered {
  /** undefined: none is recorded. */
  readonly history: History | undefined;
  /** Begins to record, or goes on with what is stored, if the settings say so. */
  begin(): void;
  /** The place at which the request begins that was counted last. */
  begun(): { from?: number };
  /** Runs `act`: what it changes belongs to a point of this kind. */
  as<Result>(label: Cause, act: () => Result): Result;
  /** To be called before other data are put in; the function that it returns notes that, within the transaction that does. */
  beforeRestore(name: string): () => void;
}

/** Nothing is recorded yet. */
export function createRemembered(db: Db, usage: Usage, config: () => Config, now: () => number): Remembered {
  let history: History | undefined;
  return {
    get history() {
      return history;
    },
    begin() {
      const { data } = config();
      if (data.history === 'off' || history !== undefined) return;
      history = new History({
        db,
        now,
        requests: data.journal,
        bytes: data.historyBytes,
        pendingUses: (id) => usage.pendingUses(id),
      });
      usage.tell(history);
    },
    begun: () => (history === undefined ? {} : { from: history.here() }),
    as: (label, act) => (history === undefined ? act() : history.as(label, act)),
    beforeRestore(name) {
      if (history === undefined) return () => {};
      const [recorded, before, former] = [history, now(), imageOf(db).bytes];
      return () => recorded.replaced(former, before, name);
    },
  };
}
