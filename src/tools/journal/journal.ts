// The journal of requests: a ring of references to the newest ones. An entry, without secrets, is made of one when somebody
// reads it, or within a second, when it is stored; what falls out of the ring was never made.

import { afterWall, nextTurn, wallMoment, wallNow } from '../../core/clock.js';
import type { Db } from '../../db/db.js';
import { readMetaJson, writeMeta } from '../../db/meta.js';
import type { Replacement, WorldPart } from '../../world/parts.js';
import type { PartKey, World } from '../../world/world.js';
import { type JournalEntry, type JournalMarker, type JournalRecord, journalNumbers } from './journal-entry.js';
import { bodyHashing, entryOf, type PendingEntry, type RedactionContext, shorten } from './pending-entry.js';
import { JournalRows } from './store.js';

/** The topic that announces new records of the journal. */
export const recorded = 'journal';

/** What the journal learns of a request at its end. */
export type RequestEnd = Pick<PendingEntry, 'outcome' | 'durationMs' | 'endedAt'>;

export interface JournalOptions {
  db: Db;
  /** How many records are kept; the oldest go first. */
  capacity: number;
  /** Virtual time, for markers. */
  now: () => number;
  tools: () => RedactionContext;
  /** Called when a record was added. */
  onRecord: () => void;
  /** Runs `act` in a transaction that also writes other delayed data. */
  write: (act: () => void) => void;
}

const second = 1_000;
// Making so many entries takes some milliseconds.
const storedInTurn = 100;
// How many numbers are reserved at a time: one small write for each.
const reservedAtOnce = 1_000;

const journalKey: PartKey<Journal> = {
  name: 'journal',
  create: (world) =>
    new Journal({
      db: world.db,
      capacity: world.config.data.journal,
      now: () => world.clock.now(),
      tools: () => ({ ...bodyHashing(world), refusesLive: !world.config.keys.acceptLive }),
      onRecord: () => world.bus.emit(recorded),
      write: (act) => world.flush(act),
    }),
};

/** The journal of a world. */
export function journalOf(world: World): Journal {
  return world.part(journalKey);
}

/** The journal over a database. */
export class Journal implements WorldPart {
  /** The newest records, which are not stored yet; their numbers are consecutive. */
  private readonly ring: Ring<PendingEntry | JournalMarker>;
  private readonly rows: JournalRows;
  private seq: number;
  /** The limit of the numbers that a killed process may have assigned; null: none since they were stored. */
  private reserved: { seq: number } | null = null;
  /** The number of records since the journal was last cleared. */
  private total: number;
  private cancelTimer: (() => void) | undefined;
  /** How many came since the timer last ran. */
  private fresh = 0;
  private isClosed = false;
  /** On the clock of PendingEntry.begunAt. */
  private resetAt = 0;

  constructor(private readonly options: JournalOptions) {
    const { db, capacity } = options;
    this.ring = createRing(capacity);
    this.rows = new JournalRows(db, capacity);
    const { seq = 0, total = 0, reserved } = readMetaJson(db, 'journal', journalNumbers) ?? {};
    this.seq = reserved?.seq ?? seq;
    // A killed process may have left records that it was about to delete.
    this.total = Math.max(total, this.rows.count());
  }

  /** Adds a request and returns the number of its record; 0 where it has none, as it began before a reset. */
  record(raw: PendingEntry): number {
    if (this.isClosed || raw.begunAt < this.resetAt) return 0;
    raw.seq = this.nextNumber();
    shorten(raw, this.options.tools);
    this.add(raw);
    return raw.seq;
  }

  /** Completes the record of a request that was added before its response had been sent. */
  ended(seq: number, end: RequestEnd): void {
    const first = this.firstInRing();
    const slot = seq < first ? undefined : this.ring.at(seq - first);
    if (slot?.kind === 'raw') {
      // Entries that were handed out stay as they were.
      Object.assign(slot, end, slot.entry !== undefined && { entry: { ...slot.entry, ...end } });
      return;
    }
    try {
      this.options.write(() => this.rows.change(seq, end));
    } catch {
      // Where the disk is full it stays as it was noted.
    }
  }

  /** Adds a marker. */
  mark(event: JournalMarker['event'], subject: string, by?: JournalMarker['by']): void {
    if (this.isClosed) return;
    const seq = this.nextNumber();
    const marker: JournalMarker = { kind: 'marker', seq, at: this.options.now(), wall: wallNow(), event, subject };
    this.add(by === undefined ? marker : { ...marker, by });
  }

  private nextNumber(): number {
    this.seq++;
    if (this.reserved === null || this.seq > this.reserved.seq) {
      const before = this.reserved;
      this.reserved = { seq: this.seq + reservedAtOnce };
      try {
        this.options.db.transaction(() => this.writeNumbers());
      } catch {
        // Without storage no record outlives the process either; its request already has its response.
        this.reserved = before;
      }
    }
    return this.seq;
  }

  private writeNumbers(): void {
    const { seq, total, reserved } = this;
    writeMeta(this.options.db, 'journal', JSON.stringify({ seq, total, reserved }));
  }

  /** Stores the current number: the next process to open the database goes on exactly there. */
  private saveNumbers(): void {
    this.reserved = null;
    this.writeNumbers();
  }

  private add(slot: PendingEntry | JournalMarker): void {
    this.ring.push(slot);
    this.fresh++;
    this.total++;
    this.cancelTimer ??= afterWall(second, () => void this.storeInTurns());
    this.options.onRecord();
  }

  // Others have their turn in between. Where the ring has turned over within the second, all in it is younger than that, and
  // most would be dropped before anybody reads it: only the numbers are stored, and what counts requests.
  private async storeInTurns(): Promise<void> {
    this.cancelTimer = undefined;
    const isTurning = this.fresh >= this.options.capacity;
    this.fresh = 0;
    try {
      if (isTurning) this.options.write(() => this.saveNumbers());
      else
        for (let left = this.ring.size(); left > 0 && this.ring.size() > 0 && !this.isClosed; left -= storedInTurn) {
          this.store(storedInTurn);
          if (left > storedInTurn) await nextTurn();
        }
    } catch {
      // A temporarily full disk must not end the process; the pending records are bounded.
    }
    if (!this.isClosed && this.ring.size() > 0) this.cancelTimer ??= afterWall(second, () => void this.storeInTurns());
  }

  private store(most: number): void {
    const batch = this.inRing(0, most);
    this.options.write(() => {
      this.rows.append(batch);
      this.saveNumbers();
    });
    this.ring.drop(batch.length);
  }

  /** Writes the pending records. */
  flush(): void {
    this.cancelTimer?.();
    this.cancelTimer = undefined;
    if (!this.isClosed && this.ring.size() > 0) this.store(Infinity);
  }

  private firstInRing(): number {
    return this.ring.at(0)?.seq ?? Infinity;
  }

  private inRing(index: number, limit = Infinity): JournalRecord[] {
    const records: JournalRecord[] = [];
    const tools = this.options.tools();
    for (let i = index; i < this.ring.size() && records.length < limit; i++) {
      const slot = this.ring.at(i);
      if (slot !== undefined) records.push(slot.kind === 'raw' ? entryOf(slot, tools) : slot);
    }
    return records;
  }

  /** How many of the stored records are within the capacity by now. */
  private storedKept(): number {
    return Math.min(this.rows.count(), this.options.capacity - this.ring.size());
  }

  /** Requests only, the newest first. */
  recent(limit: number): JournalEntry[] {
    const entries: JournalEntry[] = [];
    const take = (batch: JournalRecord[]): boolean => {
      for (const record of batch.reverse()) if (record.kind === 'request') entries.push(record);
      return entries.length >= limit;
    };
    if (!take(this.inRing(0))) for (const batch of this.rows.backwards(this.storedKept())) if (take(batch)) break;
    return entries.slice(0, limit);
  }

  /** All records, the oldest first. */
  records(): JournalRecord[] {
    return this.since(0);
  }

  /** Records after a number, the oldest first. */
  since(seq: number, limit = Infinity): JournalRecord[] {
    if (seq >= this.seq) return [];
    const first = this.firstInRing();
    // A reader close to the end is served from memory.
    if (seq >= first - 1) return this.inRing(seq - first + 1, limit);
    const stored: JournalRecord[] = [];
    for (const batch of this.rows.after(seq, this.storedKept())) {
      stored.push(...batch);
      if (stored.length >= limit) return stored.slice(0, limit);
    }
    return [...stored, ...this.inRing(0, limit - stored.length)];
  }

  /** The number of the newest record. */
  last(): number {
    return this.seq;
  }

  /** How many records it holds. */
  size(): number {
    return Math.min(this.options.capacity, this.rows.count() + this.ring.size());
  }

  /** How many records were dropped for lack of room, since the journal was last cleared. */
  dropped(): number {
    return this.total - this.size();
  }

  /** Deletes all records. The numbers of new records continue. */
  clear(): void {
    this.rows.clear();
    this.ring.clear();
    this.total = 0;
    this.options.db.transaction(() => this.saveNumbers());
  }

  /** The image brought the numbers of its time: ours go on. */
  reread(): void {
    this.saveNumbers();
  }

  replaced(event: Replacement, subject: string): void {
    // A reset world begins with an empty journal; requests before a restore did take place.
    if (event !== 'restored') {
      this.clear();
      this.resetAt = wallMoment();
    }
    this.mark(event, subject);
  }

  /** Flushes and ends: later records are lost. */
  close(): void {
    this.flush();
    this.isClosed = true;
  }
}

// The newest items of a series, in a place of fixed size.

export interface Ring<Item> {
  push(item: Item): void;
  size(): number;
  /** The i-th, from the oldest on. */
  at(index: number): Item | undefined;
  /** Takes away so many of the oldest. */
  drop(count: number): void;
  clear(): void;
}

/**
 * An empty ring for at most `capacity` items: one more takes the place of the oldest.
 *
 * @example
 * const last = createRing<number>(2);
 * for (const number of [1, 2, 3]) last.push(number);
 * last.at(0); // 2
 */
function createRing<Item>(capacity: number): Ring<Item> {
  let items: (Item | undefined)[] = [];
  let oldest = 0;
  let size = 0;
  const place = (index: number): number => (oldest + index) % Math.max(1, capacity);
  return {
    push(item) {
      items[place(size)] = item;
      if (size < capacity) size++;
      else oldest = place(1);
    },
    size: () => size,
    at: (index) => (index < size ? items[place(index)] : undefined),
    drop(count) {
      for (let i = 0; i < count; i++) items[place(i)] = undefined;
      oldest = place(count);
      size -= count;
    },
    clear() {
      items = [];
      oldest = 0;
      size = 0;
    },
  };
}
