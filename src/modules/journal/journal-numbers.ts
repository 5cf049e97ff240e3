// The numbers of journal records: assigned without a write for each, and never twice.

import * as z from 'zod';
import type { Db } from '../../db/db.js';
import { readMetaJson, writeMeta } from '../../db/meta.js';

interface JournalNumbers {
  /** The next number: it never falls. */
  next(): number;
  /** The last number that was assigned. */
  last(): number;
  /** The number of records since the journal was last cleared. */
  total(): number;
  counted(total: number): void;
  /** Stores the current number: the next process to open the database goes on exactly there. */
  save(): void;
}

interface Stored {
  seq: number;
  total: number;
  /** The limit of the numbers that a killed process may have assigned; null: none since the last save. */
  reserved: { seq: number } | null;
}

const name = 'journal';
// Older versions kept other fields beside them.
const shape = z.lazy(() => {
  const count = z.int().min(0).optional();
  return z.object({ seq: count, total: count, reserved: z.object({ seq: count }).nullish() });
});

// How many numbers are reserved at a time: one small write for each.
const ahead = 1_000;

/** The numbers in a world's database, continued from the stored state. */
export function openJournalNumbers(db: Db): JournalNumbers {
  const stored = readMetaJson(db, name, shape) ?? {};
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
      // Without storage no record outlives the process either; its request already has its response.
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
