// The journal of requests: written in batches, bounded, and without secrets before it is read.

import { afterWall, nextTurn, wallMoment, wallNow } from '../../core/clock.js';
import { elapsed } from '../../core/real-time.js';
import { createRing } from '../../core/ring.js';
import type { Db } from '../../db/db.js';
import type { WorldPart } from '../../world/parts.js';
import type { PartKey, World } from '../../world/world.js';
import { bodyHashing } from './body-hash.js';
import type { JournalEntry, JournalMarker, JournalRecord } from './journal-entry.js';
import { openJournalNumbers } from './journal-numbers.js';
import { entryOf, isLong, type PendingEntry, type RedactionContext, shorten } from './pending-entry.js';
import { openJournalRows } from './store.js';

/** The topic that announces new records of the journal. */
export const recorded = 'journal';

/** What the journal learns of a request at its end. */
export type RequestEnd = Pick<PendingEntry, 'outcome' | 'durationMs' | 'endedAt'>;

export interface Journal extends WorldPart {
  /** Adds a request and returns the number of its record; 0 where it has none, as it began before a reset. */
  record(raw: PendingEntry): number;
  /** Completes the record of a request that was added before its response had been sent. */
  ended(seq: number, end: RequestEnd): void;
  /** Adds a marker. */
  mark(event: JournalMarker['event'], subject: string, by?: JournalMarker['by']): void;
  /** Writes the pending records. */
  flush(): void;
  /** Requests only, the newest first. */
  recent(limit: number): JournalEntry[];
  /** All records, the oldest first. */
  records(): JournalRecord[];
  /**
   * The same.
   *
   * @param pick what the reader needs of each: 20,000 records take 100 MB
   */
  read(): JournalRecord[];
  read<Part>(pick: (record: JournalRecord) => Part): Part[];
  /** Records after a number, the oldest first. */
  since(seq: number, limit?: number): JournalRecord[];
  /** The number of the newest record. */
  last(): number;
  /** How many records it holds. */
  size(): number;
  /** How many records were dropped for lack of room, since the journal was last cleared. */
  dropped(): number;
  /** Deletes all records. The numbers of new records continue. */
  clear(): void;
  /** Flushes and ends: later records are lost. */
  close(): void;
}

const flushDelayMs = 1_000;
// Work for later: under load most records are dropped before anybody reads them, so nothing is made of them for 5 s.
const busyPerSecond = 100;
const mostSkipped = 4;
// A batch of this size is written at once if the journal can keep all of it: waiting longer only costs memory.
const maxBatch = 2_000;
// Making entries (50 µs each) of a second's requests at once held up all others for 100 ms, and for 0.7 s after long lists.
// Turns of 1 ms instead of 5 shorten the p99 of creations over ten connections from 12 to 10 ms.
const turnMs = 1;

const journalKey: PartKey<Journal> = { name: 'journal', create: createWorldJournal };

/** The journal of a world. */
export function journalOf(world: World): Journal {
  return world.part(journalKey);
}

function createWorldJournal(world: World): Journal {
  const journal = createJournal({
    db: world.db,
    capacity: world.config.data.journal,
    now: () => world.clock.now(),
    tools: () => ({
      ...bodyHashing(world),
      refusesLive: !world.config.keys.acceptLive,
    }),
    onRecord: () => world.bus.emit(recorded),
    write: world.flush,
  });
  return journal;
}

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

/** The journal over a database. */
export function createJournal({ db, capacity, now, tools, onRecord, write }: JournalOptions): Journal {
  const numbers = openJournalNumbers(db);
  const rows = openJournalRows(db, capacity);
  // A killed process may have left records that it was about to delete.
  numbers.counted(Math.max(numbers.total(), rows.count()));
  const waiting = createRing<PendingEntry | JournalMarker>(capacity);
  let cancelTimer: (() => void) | undefined;
  let closed = false;
  // Records since the timer last ran, and how often in a row the world was too busy to write them.
  let fresh = 0;
  let skipped = 0;
  let isFlushing = false;
  // On the clock of PendingEntry.begunAt.
  let resetAt = 0;

  function add(slot: PendingEntry | JournalMarker): void {
    waiting.push(slot);
    fresh++;
    numbers.counted(numbers.total() + 1);
    if (waiting.size() >= maxBatch && capacity > maxBatch && !isFlushing) void flushInTurns();
    else cancelTimer ??= afterWall(flushDelayMs, () => void flushLater());
    onRecord();
  }
  /** Clients that poll get equal bodies: each is held once. Under lists over ten connections that is 160 MB instead of 240. */
  function shareBody(raw: PendingEntry): void {
    for (let i = 1; i <= 16; i++) {
      const other = waiting.at(waiting.size() - i);
      if (other?.kind !== 'raw' || other.responseBody !== raw.responseBody) continue;
      raw.responseBody = other.responseBody;
      return;
    }
  }
  function waitingFrom(index: number, limit = Infinity, ms = Infinity): JournalRecord[] {
    const records: JournalRecord[] = [];
    const context = tools();
    const until = elapsed() + ms;
    for (let i = index; i < waiting.size() && records.length < limit && elapsed() < until; i++) {
      const slot = waiting.at(i);
      if (slot !== undefined) records.push(slot.kind === 'raw' ? entryOf(slot, context) : slot);
    }
    return records;
  }
  function flush(): void {
    cancelTimer?.();
    cancelTimer = undefined;
    if (!closed && waiting.size() > 0) store(waitingFrom(0));
  }
  function store(batch: readonly JournalRecord[]): void {
    write(() => {
      rows.append(batch);
      numbers.save();
    });
    waiting.drop(batch.length);
  }
  // Writes what is pending now, with turns for others between; a reader who comes between writes the rest.
  async function flushInTurns(): Promise<void> {
    isFlushing = true;
    try {
      for (let left = waiting.size(); left > 0 && waiting.size() > 0 && !closed; ) {
        const batch = waitingFrom(0, left, turnMs);
        store(batch);
        left -= batch.length;
        if (left > 0) await nextTurn();
      }
    } catch {
      // A temporarily full disk must not end the process; the pending records are bounded.
      skipped = 0;
    } finally {
      isFlushing = false;
    }
  }
  async function flushLater(): Promise<void> {
    const isBusy = fresh > busyPerSecond && skipped < mostSkipped;
    fresh = 0;
    skipped = isBusy ? skipped + 1 : 0;
    if (!isBusy) await flushInTurns();
    else {
      try {
        write(numbers.save);
      } catch {
        skipped = 0;
      }
    }
    if (closed) return;
    cancelTimer = waiting.size() === 0 ? undefined : afterWall(flushDelayMs, () => void flushLater());
  }
  /** How many of the stored records are within the capacity by now. */
  const storedKept = (): number => Math.min(rows.count(), capacity - waiting.size());

  const journal: Journal = {
    record(raw) {
      if (closed || raw.begunAt < resetAt) return 0;
      raw.seq = numbers.next();
      if (isLong(raw)) shorten(raw, tools());
      shareBody(raw);
      add(raw);
      return raw.seq;
    },
    ended(seq, end) {
      const first = waiting.at(0)?.seq ?? Infinity;
      const slot = seq < first ? undefined : waiting.at(seq - first);
      if (slot?.kind !== 'raw') {
        try {
          write(() => rows.change(seq, end));
        } catch {
          // Where the disk is full it stays as it was noted.
        }
        return;
      }
      // Entries that were handed out stay as they were.
      Object.assign(slot, end, slot.entry !== undefined && { entry: { ...slot.entry, ...end } });
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
    read: <Part>(pick = (record: JournalRecord) => record as Part) => journal.since(0).map(pick),
    since(seq, limit = Infinity) {
      if (seq >= numbers.last()) return [];
      const first = waiting.at(0)?.seq ?? Infinity;
      // A reader close to the end is served from memory; pending records have consecutive numbers.
      if (seq >= first - 1) return waitingFrom(seq - first + 1, limit);
      const stored: JournalRecord[] = [];
      for (const batch of rows.after(seq, storedKept())) {
        stored.push(...batch);
        if (stored.length >= limit) return stored.slice(0, limit);
      }
      return [...stored, ...waitingFrom(0, limit - stored.length)];
    },
    last: numbers.last,
    size: () => Math.min(capacity, rows.count() + waiting.size()),
    dropped: () => numbers.total() - journal.size(),
    clear() {
      rows.clear();
      waiting.clear();
      numbers.counted(0);
      db.transaction(numbers.save);
    },
    // The image brought the numbers of its time: ours go on.
    reread: numbers.save,
    replaced(event, subject) {
      // A reset world has an empty history; requests before a restore did take place.
      if (event !== 'restored') {
        journal.clear();
        resetAt = wallMoment();
      }
      journal.mark(event, subject);
    },
    close() {
      flush();
      closed = true;
    },
  };
  return journal;
}
