// The history of a world: one line of entries that say how everything was before it changed. Going back to a place undoes
// what came after it, so no copies of the world are kept but those that a restore replaces.

import type { Db } from './db.js';
import { type Cause, type Entry, entryText, type KeyBefore, type Label } from './history-entry.js';
import { HistoryStore } from './history-store.js';
import type { NotedRow } from './row-log.js';
import type { CallerWindow, UsageNotes } from './usage.js';

interface HistoryOptions {
  db: Db;
  now: () => number;
  /** Requests, as the journal keeps them. */
  requests: number;
  bytes: number;
  /** What counted uses of a key are not in its row yet. */
  pendingUses: (id: string) => { count: number; at: number } | undefined;
}

/** The entries of a request: its arrival, and what it changes. */
const perRequest = 2;

/** The history of one world. It begins, or goes on, when it is made. */
export class History implements UsageNotes {
  private readonly store: HistoryStore;
  private seq: number;
  private point = 0;
  private label: Cause = { kind: 'control' };
  /** The labels that have a point. */
  private readonly noted = new WeakSet<Label>();
  /** The entry that is being made. */
  private open: Entry | undefined;

  constructor(private readonly options: HistoryOptions) {
    const { db, requests, bytes } = options;
    this.store = new HistoryStore(db, { entries: requests * perRequest, bytes });
    this.seq = this.store.last();
    for (const { point } of this.store.backwards()) {
      if (point === undefined) continue;
      this.point = point.point;
      break;
    }
    db.onChange({
      changed: (rows) => this.changed(rows),
      lost: () => {
        this.store.reread();
        this.close();
        // The number that no entry has stands for what is not known: nobody can go back beyond it.
        this.seq++;
      },
    });
  }

  private opened(): Entry {
    if (this.open === undefined) {
      const at = this.options.now();
      this.open = { seq: ++this.seq, from: at, at };
    }
    return this.open;
  }

  private close(at = this.options.now(), image?: Buffer): void {
    if (this.open === undefined) return;
    this.open.at = at;
    this.store.push(this.open.seq, entryText(this.open), image);
    this.open = undefined;
  }

  /** Closes the entry that is open as a point. */
  private addPoint({ at, ...about }: Cause): void {
    this.opened().point = { point: ++this.point, ...about };
    this.close(at);
  }

  private changed(rows: NotedRow[]): void {
    this.opened().rows = rows.map((row) => (row.table === 'api_keys' ? this.withPendingUses(row) : row));
    this.addPoint(this.label);
    this.noted.add(this.label);
    if (!this.options.db.inMemory) this.store.write();
  }

  // A row of a key does not have its newest uses yet: going back must give it those that it had.
  private withPendingUses({ table, key, before }: NotedRow): NotedRow {
    const pending = before === null ? undefined : this.options.pendingUses(String(key[0]));
    if (pending === undefined || before === null) return { table, key, before };
    const columns = this.options.db.all<{ name: string }>("SELECT name FROM pragma_table_info('api_keys')");
    const row = before.map((value, index) => {
      const column = columns[index]?.name;
      if (column === 'usage_count') return Number(value) + pending.count;
      return column === 'last_used_at' ? pending.at : value;
    });
    return { table, key, before: row };
  }

  /** Runs `act`: what it changes belongs to a point of this kind; of what is asynchronous, all before its first await. */
  as<Result>(about: Cause, act: () => Result): Result {
    const { db } = this.options;
    // What was changed until now belongs to whoever runs this.
    db.tell();
    const before = this.label;
    this.label = about;
    try {
      const result = act();
      db.tell();
      return result;
    } finally {
      this.label = before;
    }
  }

  /** The number of the entry that the present request has begun: a fork before the request undoes it. */
  here(): number {
    return this.seq;
  }

  arrived(number: number): void {
    this.close();
    this.opened().request = number;
  }

  window({ caller, bucket, startedAt, count, fullUntil }: CallerWindow): void {
    const entry = this.opened();
    entry.windows ??= [];
    if (entry.windows.some(([one, other]) => one === caller && other === bucket)) return;
    const isThere = count > 0 || fullUntil !== null;
    entry.windows.push(isThere ? [caller, bucket, startedAt, count, fullUntil] : [caller, bucket]);
  }

  key(before: KeyBefore): void {
    const entry = this.opened();
    entry.keys ??= [];
    if (!entry.keys.some(([id]) => id === before[0])) entry.keys.push(before);
  }

  changedByHand(): void {
    if (this.open?.windows !== undefined) this.addPoint(this.label);
  }

  /** Adds a point for a request that has ended, unless it has changed rows under this label. */
  finished(about: Label): void {
    if (!this.noted.has(about)) this.addPoint(about);
  }

  /**
   * All data were replaced; those that were there before, at an instant, are the image. Without one nobody can go back beyond
   * it. Call it in the transaction.
   */
  replaced(image: Buffer | undefined, before: number, subject: string): void {
    this.close();
    const point = { point: ++this.point, kind: 'restore' as const, subject };
    if (image === undefined) {
      this.seq++;
      this.store.clear();
      return;
    }
    Object.assign(this.opened(), { from: before, replaced: true, point });
    this.close(this.options.now(), image);
    if (!this.options.db.inMemory) this.store.write();
  }

  /** Writes what is only in memory. Call it in a transaction. */
  write(): void {
    this.close();
    this.store.write();
  }

  /** Forgets everything: the numbers go on. */
  clear(): void {
    this.open = undefined;
    this.store.clear();
  }

  /** Why a place cannot be reached exactly; undefined: it can. */
  whyNot(place: number): string | undefined {
    if (place + 1 < this.store.first())
      return 'the history keeps less: data.historyBytes and data.journal say how much';
    return undefined;
  }

  /** All entries up to now. */
  entries(): Pick<HistoryStore, 'after' | 'backwards' | 'image' | 'first' | 'last' | 'bytes'> {
    this.close();
    return this.store;
  }
}
