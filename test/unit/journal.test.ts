// The journal: read as it was written, bounded, and numbered on after a restart.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openDb } from '../../src/store/db.js';
import { createJournal, type Journal } from '../../src/store/journal.js';

function record(journal: Journal, count: number): void {
  for (let i = 0; i < count; i++) {
    const seq = journal.nextNumber();
    const known = { method: 'GET', path: `/${seq}`, operation: null, status: 200, durationMs: 1 };
    const empty = { organizationId: null, keyId: null, errorCode: null, fault: null, warnings: [], assumptions: [] };
    journal.record({ seq, requestId: `req_${seq}`, at: 0, ...known, ...empty });
  }
}

it('gives the newest first, over several batches, and no more than it keeps', () => {
  const journal = createJournal({ db: openDb(':memory:'), capacity: 600, alsoFlush: () => {} });
  record(journal, 1_300);
  expect(journal.recent(3).map((entry) => entry.seq)).toEqual([1_300, 1_299, 1_298]);
  expect(journal.recent(10_000).map((entry) => entry.seq)).toEqual(Array.from({ length: 600 }, (_, i) => 1_300 - i));
});

it('numbers on where the last process stopped', () => {
  const dir = mkdtempSync(join(tmpdir(), 'cloudemu-journal-'));
  const file = join(dir, 'world.db');
  const first = openDb(file);
  const journal = createJournal({ db: first, capacity: 10, alsoFlush: () => {} });
  record(journal, 3);
  journal.flush();
  first.close();
  const second = openDb(file);
  expect(createJournal({ db: second, capacity: 10, alsoFlush: () => {} }).nextNumber()).toBe(4);
  second.close();
  rmSync(dir, { recursive: true });
});
