// The history of one world, from the moment on when it is to be recorded.

import type { Config } from '../config/schema.js';
import type { Db } from '../db/db.js';
import { History } from '../db/history.js';
import type { Cause } from '../db/history-entry.js';
import { imageOf, imageSize } from '../db/image.js';
import type { Usage } from '../db/usage.js';

/** Runs what changes a world, so that its history knows why. */
export class Remembered {
  /** undefined: none is recorded. */
  history: History | undefined;

  constructor(
    private readonly db: Db,
    private readonly usage: Usage,
    private readonly config: () => Config,
    private readonly now: () => number,
  ) {}

  /** Begins to record, or goes on with what is stored, if the settings say so. */
  begin(): void {
    const { db, usage, now } = this;
    const { data } = this.config();
    if (data.history === 'off' || this.history !== undefined) return;
    const pendingUses = (id: string) => usage.pendingUses(id);
    this.history = new History({ db, now, requests: data.journal, bytes: data.historyBytes, pendingUses });
    usage.tell(this.history);
  }

  /** The place at which the request begins that was counted last. */
  begun(): { from?: number } {
    return this.history === undefined ? {} : { from: this.history.here() };
  }

  /** Runs `act`: what it changes belongs to a point of this kind; of what is asynchronous, all before its first await. */
  as<Result>(label: Cause, act: () => Result): Result {
    return this.history === undefined ? act() : this.history.as(label, act);
  }

  /** Call it before a restore; the function that it returns notes the restore, and is called in its transaction. */
  beforeRestore(name: string): () => void {
    const { history } = this;
    if (history === undefined) return () => {};
    const before = this.now();
    // An image that is too large for the history would take a fifth of a second to make.
    const fits = imageSize(this.db) <= this.config().data.historyBytes;
    const former = fits ? imageOf(this.db).bytes : undefined;
    return () => history.replaced(former, before, name);
  }
}
