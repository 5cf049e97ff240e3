// The journal of requests: written behind, bounded, and without secrets before anyone reads it.

import { afterWall, wallNow } from '../kernel/clock.js';
import type { Db } from './db.js';
import type { JournalEntry, JournalMarker, JournalRecord } from './journal-entry.js';
import { openJournalNumbers } from './journal-numbers.js';
import { openJournalRows } from './journal-rows.js';
import { type EntryTools, entryOf, isLong, type RawRequest, shorten } from './raw-request.js';
import { createRing } from './ring.js';

export interface Journal {
  /** Adds a request and returns the number of its record. */
  record(raw: RawRequest): number;
  /** Adds a marker. */
  mark(event: JournalMarker['event'], subject: string, by?: JournalMarker['by']): void;
  /** Writes what waits to be written. */
  flush(): void;
  /** Requests only, the newest first. */
  recent(limit: number): JournalEntry[];
  /** Everything that is kept, the oldest first. */
  records(): JournalRecord[];
  /** What came after the record of a number, the oldest first. */
  since(seq: number, limit?: number): JournalRecord[];
  /** The number of the newest record. */
  last(): number;
  /** How many records are gone because there were too many, since the journal was last emptied. */
  dropped(): number;
  /** A text without its secrets, as records hold it. */
  clean(text: string): string;
  /** Forgets all records; numbers go on. */
  clear(): void;
  /** Goes on in data that were just put into the database, within the transaction that did. */
  replaced(): void;
  /** Flushes and ends: what is recorded after it is lost. */
  close(): void;
}

export interface JournalOptions {
  db: Db;
  /** How many records are kept; the oldest go first. */
  capacity: number;
  /** Virtual time, for markers. */
  now: () => number;
  tools: () => EntryTools;
  /** Hears that a record was added. */
  onRecord: () => void;
  /** Runs `act` in a transaction, in which other things are written that may lag. */
  write: (act: () => void) => void;
}

const flushDelayMs = 1_000;
// When a second brings more than is kept, most of what would be written is gone a second later.
const mostSkipped = 4;
// Where none of so many would be dropped, waiting longer only costs memory.
const maxBatch = 2_000;

/** The journal of one world. */
export function createJournal({ db, capacity, now, tools, onRecord, write }: JournalOptions): Journal {
  const numbers = openJournalNumbers(db);
  const rows = openJournalRows(db, capacity);
  const waiting = createRing<RawRequest | JournalMarker>(capacity);
  let cancelTimer: (() => void) | undefined;
  let closed = false;
  // Records since the last look at the timer, and how often in a row that was too many to write.
  let fresh = 0;
  let skipped = 0;

  function add(slot: RawRequest | JournalMarker): void {
    waiting.push(slot);
    fresh++;
    numbers.counted(numbers.total() + 1);
    if (waiting.size() >= maxBatch && capacity > maxBatch) flush();
    else cancelTimer ??= afterWall(flushDelayMs, flushLater);
    onRecord();
  }
  function waitingFrom(index: number, limit = Infinity): JournalRecord[] {
    const records: JournalRecord[] = [];
    for (let i = index; i < waiting.size() && records.length < limit; i++) {
      const slot = waiting.at(i);
      if (slot !== undefined) records.push(slot.kind === 'raw' ? entryOf(slot, tools()) : slot);
    }
    return records;
  }
  function flush(): void {
    cancelTimer?.();
    cancelTimer = undefined;
    if (closed || waiting.size() === 0) return;
    const batch = waitingFrom(0);
    write(() => {
      rows.append(batch);
      numbers.save();
    });
    waiting.clear();
  }
  function flushLater(): void {
    const flood = fresh > capacity && skipped < mostSkipped;
    fresh = 0;
    skipped = flood ? skipped + 1 : 0;
    try {
      if (flood) write(numbers.save);
      else flush();
    } catch {
      // A disk that is full for a while must not end the process; what waits is bounded.
      skipped = 0;
    }
    cancelTimer = waiting.size() === 0 ? undefined : afterWall(flushDelayMs, flushLater);
  }
  /** How many of the stored records are not too old by now. */
  const storedKept = (): number => Math.min(rows.count(), capacity - waiting.size());

  const journal: Journal = {
    record(raw) {
      if (closed) return 0;
      raw.seq = numbers.next();
      if (isLong(raw)) shorten(raw, tools());
      add(raw);
      return raw.seq;
    },
    mark(event, subject, by) {
      if (closed) return;
      const marker: JournalMarker = {
        kind: 'marker',
        seq: numbers.next(),
        at: now(),
        wall: wallNow(),
        event,
        subject,
      };
      add(by === undefined ? marker : { ...marker, by });
    },
    flush,
    recent(limit) {
      const entries: JournalEntry[] = [];
      const take = (batch: JournalRecord[]): boolean => {
        for (const record of [...batch].reverse()) if (record.kind === 'request') entries.push(record);
        return entries.length >= limit;
      };
      if (take(waitingFrom(0))) return entries.slice(0, limit);
      for (const batch of rows.backwards(storedKept())) if (take(batch)) break;
      return entries.slice(0, limit);
    },
    records: () => journal.since(0),
    since(seq, limit = Infinity) {
      if (seq >= numbers.last()) return [];
      const first = waiting.at(0)?.seq ?? Infinity;
      // Whoever follows closely is served from memory; records that wait have one number after the other.
      if (seq >= first - 1) return waitingFrom(seq - first + 1, limit);
      const found: JournalRecord[] = [];
      for (const batch of rows.after(seq, storedKept())) {
        found.push(...batch);
        if (found.length >= limit) return found.slice(0, limit);
      }
      return [...found, ...waitingFrom(0, limit - found.length)];
    },
    last: numbers.last,
    dropped: () => numbers.total() - Math.min(capacity, rows.count() + waiting.size()),
    clean: (text) => tools().redactor.text(text),
    clear() {
      waiting.clear();
      db.transaction(() => {
        rows.clear();
        numbers.counted(0);
        numbers.save();
      });
    },
    replaced: numbers.save,
    close() {
      flush();
      closed = true;
    },
  };
  return journal;
}
