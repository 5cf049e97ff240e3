// The journal: read as it was written, bounded, its drops counted, its numbers never given twice.

import { join } from 'node:path';
import { beforeEach, expect, it, vi } from 'vitest';
import { type Db, openDb } from '../../../src/db/db.js';
import type { JournalRecord } from '../../../src/tools/journal/journal-entry.js';
import { tempDir } from '../../support/command.js';
import { fakeTimeouts } from '../../support/fake-wall.js';
import { openJournal, rawRequest, recordMany } from '../../support/raw-request.js';

let dir = '';
beforeEach(() => {
  dir = tempDir();
});

const open = (): Db => openDb(join(dir, 'world.db'));
const seqs = (records: readonly JournalRecord[]): number[] => records.map(({ seq }) => seq);
const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i);

it.each([0, 1, 7, 250])(
  'the journal keeps the newest records in order, however often it is flushed (every %i)',
  (every) => {
    const journal = openJournal(openDb(':memory:'), { capacity: 600 });
    for (let i = 1; i <= 1_300; i++) {
      recordMany(journal, 1);
      if (every > 0 && i % every === 0) journal.flush();
    }
    expect(seqs(journal.records())).toEqual(range(701, 1_300));
    expect(seqs(journal.recent(3))).toEqual([1_300, 1_299, 1_298]);
    expect(seqs(journal.recent(10_000))).toEqual(range(701, 1_300).reverse());
    expect(journal.dropped()).toBe(700);
    journal.flush();
    expect(seqs(journal.records())).toEqual(range(701, 1_300));
    expect(journal.dropped()).toBe(700);
  },
);

it('the journal stores at most one row more than its capacity', () => {
  const db = openDb(':memory:');
  const journal = openJournal(db, { capacity: 10 });
  for (let i = 0; i < 200; i++) {
    recordMany(journal, 3);
    journal.flush();
  }
  const { count } = db.get<{ count: number }>('SELECT sum(count) AS count FROM journal') ?? { count: 0 };
  expect(count).toBeLessThan(13);
  expect(seqs(journal.records())).toEqual(range(591, 600));
});

it('the journal reads what came after a record, whether it is stored already or not', () => {
  const journal = openJournal(openDb(':memory:'), { capacity: 50 });
  recordMany(journal, 60);
  journal.flush();
  recordMany(journal, 5);
  journal.mark('restored', 'three-running');
  recordMany(journal, 5);
  expect(seqs(journal.since(0))).toEqual(range(22, 71));
  expect(seqs(journal.since(58))).toEqual(range(59, 71));
  expect(seqs(journal.since(58, 4))).toEqual(range(59, 62));
  expect(seqs(journal.since(22, 10))).toEqual(range(23, 32));
  expect(seqs(journal.since(60))).toEqual(range(61, 71));
  expect(seqs(journal.since(65, 1))).toEqual([66]);
  expect(journal.since(71)).toEqual([]);
  expect(journal.since(1_000)).toEqual([]);
  expect(journal.last()).toBe(71);
});

it('the journal has markers among the records, but not among the requests', () => {
  const journal = openJournal(openDb(':memory:'), { now: () => 42 });
  recordMany(journal, 1);
  journal.mark('stream-ended', '1', 'client');
  journal.mark('reset', '');
  expect(journal.records().slice(1)).toMatchObject([
    { kind: 'marker', seq: 2, at: 42, event: 'stream-ended', subject: '1', by: 'client' },
    { kind: 'marker', seq: 3, at: 42, event: 'reset', subject: '' },
  ]);
  expect(journal.records()[2]).not.toHaveProperty('by');
  expect(seqs(journal.recent(10))).toEqual([1]);
});

it('a record that was made before its response had been sent is completed, be it pending, read or stored', () => {
  const journal = openJournal(openDb(':memory:'), { capacity: 300 });
  const end = { outcome: 'aborted', durationMs: 70, endedAt: 71 } as const;
  const ends = (): unknown[] =>
    journal.records().flatMap((entry) => (entry.kind === 'request' && entry.outcome === 'aborted' ? entry.seq : []));
  recordMany(journal, 450);
  journal.flush();
  recordMany(journal, 3);
  const read = journal.recent(1);
  for (const seq of [0, 1, 201, 400, 450, 452, 453, 999]) journal.ended(seq, end);
  expect(ends()).toEqual([201, 400, 450, 452, 453]);
  expect(journal.recent(1)).toMatchObject([{ seq: 453, ...end }]);
  expect(read).toMatchObject([{ seq: 453, outcome: 'answered' }]);
  journal.flush();
  journal.close();
  journal.ended(452, { ...end, durationMs: 1 });
  expect(ends()).toEqual([201, 400, 450, 452, 453]);
});

it('the journal is empty after clearing, and continues its numbers', () => {
  const journal = openJournal(openDb(':memory:'), { capacity: 10 });
  recordMany(journal, 12);
  journal.flush();
  recordMany(journal, 3);
  journal.clear();
  expect([journal.records(), journal.recent(5), journal.dropped(), journal.last()]).toEqual([[], [], 0, 15]);
  recordMany(journal, 2);
  expect(journal.recent(5).map(({ seq, requestId }) => [seq, requestId])).toEqual([
    [17, 'req_17'],
    [16, 'req_16'],
  ]);
});

it('the journal calls back at each record, and the callback may write records', () => {
  let [records, flushes] = [0, 0];
  const write = (act: () => void): void => {
    flushes++;
    act();
  };
  const journal = openJournal(openDb(':memory:'), { onRecord: () => records++, write });
  recordMany(journal, 3);
  journal.mark('reset', '');
  expect([records, flushes]).toEqual([4, 0]);
  journal.flush();
  journal.flush();
  expect([records, flushes]).toEqual([4, 1]);
});

it('the journal continues after an orderly end where it stopped', () => {
  let db = open();
  let journal = openJournal(db, { capacity: 20 });
  recordMany(journal, 25);
  journal.close();
  db.close();
  db = open();
  journal = openJournal(db, { capacity: 20 });
  expect([journal.last(), journal.dropped()]).toEqual([25, 5]);
  expect(seqs(journal.records())).toEqual(range(6, 25));
  recordMany(journal, 1);
  expect(seqs(journal.recent(2))).toEqual([26, 25]);
  db.close();
});

it('the journal keeps fewer when it is opened with a smaller capacity', () => {
  let db = open();
  const journal = openJournal(db, { capacity: 50 });
  recordMany(journal, 40);
  journal.close();
  db.close();
  db = open();
  const smaller = openJournal(db, { capacity: 10 });
  expect(seqs(smaller.records())).toEqual(range(31, 40));
  expect(smaller.dropped()).toBe(30);
  db.close();
});

it('the journal uses no number twice when its process is killed, at any moment', () => {
  let recorded = 0;
  for (const requests of [1, 3, 999, 1_000, 1_001, 2_500, 0, 1]) {
    const db = open();
    const journal = openJournal(db, { capacity: 100 });
    for (let i = 0; i < requests; i++) {
      const seq = journal.record(rawRequest());
      expect(seq).toBeGreaterThan(recorded);
      recorded = seq;
      if (i === 500) journal.flush();
    }
    // Without journal.close(): what was not flushed is lost.
    db.close();
  }
  const db = open();
  const journal = openJournal(db, { capacity: 100 });
  expect(journal.records().length).toBeGreaterThan(0);
  expect(journal.last()).toBeGreaterThanOrEqual(recorded);
  db.close();
});

it('the journal continues exactly where it stopped when its process is killed while nothing is unwritten', () => {
  const first = open();
  const journal = openJournal(first);
  recordMany(journal, 5);
  journal.flush();
  first.close();
  const second = open();
  const again = openJournal(second);
  expect(again.record(rawRequest())).toBe(6);
  second.close();
});

it('the journal records nothing after its end, without an error', () => {
  const db = open();
  const journal = openJournal(db);
  recordMany(journal, 1);
  journal.close();
  db.close();
  journal.mark('stream-ended', '1', 'server');
  expect(journal.record(rawRequest())).toBe(0);
});

it('the journal stores within a second what came, and nothing of a ring that has turned over', async () => {
  const restore = fakeTimeouts();
  try {
    const db = openDb(':memory:');
    const journal = openJournal(db, { capacity: 500 });
    const stored = () => db.get<{ n: number | null }>('SELECT sum(count) AS n FROM journal')?.n ?? 0;
    const second = async (requests: number): Promise<number> => {
      recordMany(journal, requests);
      vi.advanceTimersByTime(1_000);
      for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
      return stored();
    };
    expect(await second(50)).toBe(50);
    expect(await second(450)).toBe(500);
    journal.clear();
    for (let i = 0; i < 3; i++) expect(await second(600)).toBe(0);
    expect(seqs(journal.records())).toEqual(range(1_801, 2_300));
    expect(await second(0)).toBe(500);
    expect(seqs(journal.records())).toEqual(range(1_801, 2_300));
  } finally {
    restore();
  }
});
