// Reading the journal in slices, while others write, flush and clear it between two slices.

import { expect, it } from 'vitest';
import { finish } from '../../../src/core/slices.js';
import { openDb } from '../../../src/db/db.js';
import type { JournalRecord } from '../../../src/modules/journal/journal-entry.js';
import { openJournal, recordMany } from '../../support/raw-request.js';

const seqs = (records: readonly JournalRecord[]): number[] => records.map(({ seq }) => seq);
const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i);

it('returns the records of the moment at which it began, whatever is written meanwhile', () => {
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
    // What was pending when the reading began is stored while it goes on.
    if (slices === 5) journal.flush();
  }
  expect(slices).toBeGreaterThan(4);
});

it('starts again when the journal is cleared meanwhile', () => {
  const journal = openJournal(openDb(':memory:'), { capacity: 2_000 });
  recordMany(journal, 600);
  journal.flush();
  const reading = journal.read();
  reading.next();
  journal.clear();
  recordMany(journal, 3);
  expect(seqs(finish(reading))).toEqual(range(601, 603));
});
