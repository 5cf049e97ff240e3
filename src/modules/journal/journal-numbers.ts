// The numbers of journal records: given out without writing each, and none of them twice.

import type { Db } from '../../db/db.js';
import { readMeta, writeMeta } from '../../db/meta.js';

export interface JournalNumbers {
  /** The next number: it never falls. */
  next(): number;
  /** The last number that was given out. */
  last(): number;
  /** How many records there were since the journal was last emptied. */
  total(): number;
  counted(total: number): void;
  /** Writes where the numbers stand: whoever opens the database now goes on exactly there. */
  save(): void;
}

interface Stored {
  seq: number;
  total: number;
  /** Up to where a process that was killed may have given numbers out; null when nothing was since they were saved. */
  reserved: { seq: number } | null;
}

const name = 'journal';

// How far ahead numbers are reserved: one small write for so many records.
const ahead = 1_000;

/** The numbers in a world's database, going on where they stood. */
export function openJournalNumbers(db: Db): JournalNumbers {
  const stored = JSON.parse(readMeta(db, name) ?? '{}') as Partial<Stored>;
  let seq = stored.reserved?.seq ?? stored.seq ?? 0;
  let total = stored.total ?? 0;
  let reserved: Stored['reserved'] = null;

  function write(): void {
    writeMeta(db, name, JSON.stringify({ seq, total, reserved } satisfies Stored));
  }
  function reserve(): void {
    reserved = { seq: seq + ahead };
    try {
      db.transaction(write);
    } catch {
      // Where nothing can be stored no record outlives the process either; its request was answered already.
    }
  }
  return {
    next() {
      seq++;
      if (reserved === null || seq > reserved.seq) reserve();
      return seq;
    },
    last: () => seq,
    total: () => total,
    counted(sum) {
      total = sum;
    },
    save() {
      reserved = null;
      write();
    },
  };
}
