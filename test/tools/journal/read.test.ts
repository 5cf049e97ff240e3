// Reading and clearing the journal.

import { expect, it } from 'vitest';
import { type Db, openDb } from '../../../src/db/db.js';
import type { JournalRecord } from '../../../src/tools/journal/journal-entry.js';
import { openJournal, recordMany } from '../../support/raw-request.js';

const seqs = (records: readonly JournalRecord[]): number[] => records.map(({ seq }) => seq);
const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i);
const storedIn = (db: Db): number | null | undefined =>
  db.get<{ count: number | null }>('SELECT sum(count) AS count FROM journal')?.count;

it('reading the journal returns what is stored and what is pending, and is not changed by what comes later', () => {
  const journal = openJournal(openDb(':memory:'), { capacity: 2_000 });
  recordMany(journal, 700);
  journal.flush();
  recordMany(journal, 300);
  const read = journal.records();
  recordMany(journal, 20);
  expect(seqs(read)).toEqual(range(1, 1_000));
});

it('clearing the journal keeps all where the storage refuses, and deletes all at the next attempt', () => {
  const db = openDb(':memory:');
  const journal = openJournal(db, { capacity: 10_000 });
  recordMany(journal, 300);
  journal.flush();
  recordMany(journal, 3);
  const refuse = "CREATE TEMP TRIGGER refusal BEFORE DELETE ON journal BEGIN SELECT RAISE(ABORT, 'refused'); END";
  db.exclusive((connection) => connection.exec(refuse));
  expect(() => journal.clear()).toThrow('refused');
  expect(seqs(journal.records())).toEqual(range(1, 303));
  db.exclusive((connection) => connection.exec('DROP TRIGGER refusal'));
  journal.clear();
  expect([journal.size(), storedIn(db)]).toEqual([0, null]);
});
