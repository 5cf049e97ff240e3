// The numbers of requests and of journal records: given out without writing each, and none of them twice.

import type { Db } from './db.js';
import { readMeta, writeMeta } from './meta.js';

export interface JournalNumbers {
  /** The next number of a request, from 1 on. */
  nextNumber(): number;
  number(): number;
  /** Sets the last number given to a request; a restore goes back in them. */
  renumber(number: number): void;
  /** The next number of a record: it never falls. */
  nextSeq(): number;
  seq(): number;
  /** How many records there were since the journal was last emptied. */
  total(): number;
  counted(total: number): void;
  /** Writes where the numbers stand. Belongs into a transaction. */
  save(): void;
  /** Writes that nothing was given out beyond: the next process goes on exactly here. */
  end(): void;
}

interface Stored {
  number: number;
  seq: number;
  total: number;
  /** Up to where a process that was killed may have given numbers out; null after an orderly end. */
  reserved: { number: number; seq: number } | null;
}

// How far ahead numbers are reserved: one small write for so many requests.
const ahead = 1_000;

/** The numbers in a world's database, going on where they stood. */
export function openJournalNumbers(db: Db): JournalNumbers {
  const stored = JSON.parse(readMeta(db, 'journal') ?? '{}') as Partial<Stored>;
  let number = stored.reserved?.number ?? stored.number ?? 0;
  let seq = stored.reserved?.seq ?? stored.seq ?? 0;
  let total = stored.total ?? 0;
  let reserved: Stored['reserved'] = null;

  function save(): void {
    writeMeta(db, 'journal', JSON.stringify({ number, seq, total, reserved } satisfies Stored));
  }
  function reserve(): void {
    reserved = { number: number + ahead, seq: seq + ahead };
    db.transaction(save);
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
      reserve();
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
    end() {
      if (reserved === null) return;
      reserved = null;
      db.transaction(save);
    },
  };
}
