// Reading the journal in slices, while others write, flush and clear it between two slices.

import { describe, expect, it } from 'vitest';
import { finish } from '../../../src/core/slices.js';
import { type Db, openDb } from '../../../src/db/db.js';
import type { JournalRecord } from '../../../src/modules/journal/journal-entry.js';
import { openJournal, recordMany } from '../../support/raw-request.js';

const seqs = (records: readonly JournalRecord[]): number[] => records.map(({ seq }) => seq);
const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i);

it('reading the journal returns the records of the moment at which it began, whatever is written meanwhile', () => {
  const journal = openJournal(openDb(':memory:'), { capacity: 2_000 });
  recordMany(journal, 700);
  journal.flush();
  recordMany(journal, 300);
  const reading = journal.read();
  let slices = 0;
  for (let slice = reading.next(); ; slice = reading.next()) {
    if (slice.done === true) {
      expect(seqs(slice.value)).toEqual(range(1, 1_000));
      break;
    }
    slices++;
    recordMany(journal, 20);
    // Entries that were pending when the reading began are stored while it goes on.
    if (slices === 5) journal.flush();
  }
  expect(slices).toBeGreaterThan(4);
});

it('reading the journal starts again when the journal is cleared meanwhile', () => {
  const journal = openJournal(openDb(':memory:'), { capacity: 2_000 });
  recordMany(journal, 600);
  journal.flush();
  const reading = journal.read();
  reading.next();
  finish(journal.clear());
  recordMany(journal, 3);
  expect(seqs(finish(reading))).toEqual(range(601, 603));
});

describe('clearing in slices', () => {
  const storedIn = (db: Db): number | null | undefined =>
    db.get<{ count: number | null }>('SELECT sum(count) AS count FROM journal')?.count;
  function begun() {
    const db = openDb(':memory:');
    const journal = openJournal(db, { capacity: 10_000 });
    for (let row = 0; row < 30; row++) {
      recordMany(journal, 200);
      journal.flush();
    }
    const clearing = journal.clear();
    clearing.next();
    recordMany(journal, 3);
    journal.flush();
    return { db, journal, clearing };
  }

  it('shows nothing of what is still being deleted, and keeps what comes meanwhile', () => {
    const { db, journal, clearing } = begun();
    expect(storedIn(db)).toBe(4_003);
    expect([seqs(journal.records()), journal.size(), journal.dropped()]).toEqual([range(6_001, 6_003), 3, 0]);
    finish(clearing);
    expect(storedIn(db)).toBe(3);
    expect(seqs(journal.records())).toEqual(range(6_001, 6_003));
  });

  it('keeps all where the storage refuses, and deletes all at the next attempt', () => {
    const db = openDb(':memory:');
    const journal = openJournal(db, { capacity: 10_000 });
    recordMany(journal, 300);
    journal.flush();
    recordMany(journal, 3);
    const refuse = "CREATE TEMP TRIGGER refusal BEFORE DELETE ON journal BEGIN SELECT RAISE(ABORT, 'refused'); END";
    db.exclusive((connection) => connection.exec(refuse));
    expect(() => finish(journal.clear())).toThrow('refused');
    expect(seqs(journal.records())).toEqual(range(1, 303));
    db.exclusive((connection) => connection.exec('DROP TRIGGER refusal'));
    finish(journal.clear());
    expect([journal.size(), storedIn(db)]).toEqual([0, null]);
  });

  it('leaves nothing to a clearing that is under way where another follows at once', () => {
    const { db, journal, clearing } = begun();
    finish(journal.clear());
    expect([journal.size(), storedIn(db)]).toEqual([0, null]);
    recordMany(journal, 2);
    journal.flush();
    finish(clearing);
    expect(journal.size()).toBe(2);
  });

  it('deletes the rest where it is broken off', () => {
    const { db, clearing } = begun();
    clearing.return();
    expect(storedIn(db)).toBe(3);
  });

  it('leaves a shorter journal where the process is killed', () => {
    const { db } = begun();
    const again = openJournal(db, { capacity: 10_000 });
    expect([seqs(again.records()), again.dropped()]).toEqual([range(2_001, 6_003), 0]);
  });
});
