// The numbers of requests and of journal records: given out without writing each, and none of them twice.

import type { Db } from './db.js';
import { readMeta, writeMeta } from './meta.js';

export interface JournalNumbers {
  /** The next number of a request, from 1 on. */
  nextNumber(): number;
  number(): number;
  /** Sets the last number given to a request: a restore goes back in them. */
  renumber(number: number): void;
  /** The next number of a record: it never falls. */
  nextSeq(): number;
  seq(): number;
  /** How many records there were since the journal was last emptied. */
  total(): number;
  counted(total: number): void;
  /** Writes where the numbers stand: whoever opens the database now goes on exactly there. */
  save(): void;
}

interface Stored {
  number: number;
  seq: number;
  total: number;
  /** Up to where a process that was killed may have given numbers out; null when nothing was since they were saved. */
  reserved: { number: number; seq: number } | null;
}

const name = 'journal';

// How far ahead numbers are reserved: one small write for so many requests.
const ahead = 1_000;

/** Forgets numbers that came with the image of another world: a new world counts for itself. */
export function forgetNumbers(db: Db): void {
  db.run('DELETE FROM meta WHERE key = ?', name);
}

/** The numbers in a world's database, going on where they stood. */
export function openJournalNumbers(db: Db): JournalNumbers {
  const stored = JSON.parse(readMeta(db, name) ?? '{}') as Partial<Stored>;
  let number = stored.reserved?.number ?? stored.number ?? 0;
  let seq = stored.reserved?.seq ?? stored.seq ?? 0;
  let total = stored.total ?? 0;
  let reserved: Stored['reserved'] = null;

  function write(): void {
    writeMeta(db, name, JSON.stringify({ number, seq, total, reserved } satisfies Stored));
  }
  function save(): void {
    reserved = null;
    write();
  }
  function reserve(): void {
    reserved = { number: number + ahead, seq: seq + ahead };
    db.transaction(write);
  }
  return {
    nextNumber() {
      number++;
      if (reserved === null || number > reserved.number) reserve();
      return number;
    },
    number: () => number,
    renumber(last) {
      number = last;
      save();
    },
    nextSeq() {
      seq++;
      if (reserved === null || seq > reserved.seq) reserve();
      return seq;
    },
    seq: () => seq,
    total: () => total,
    counted(sum) {
      total = sum;
    },
    save,
  };
}
