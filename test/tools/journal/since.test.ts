// The part of the journal that is meant.

import { describe, expect, it } from 'vitest';
import { recordsSince } from '../../../src/tools/journal/request-filter.js';
import { timeline } from '../../support/records.js';

const journal = timeline();
for (let minute = 0; minute < 5; minute++) {
  journal.request({ durationMs: 0 });
  journal.wait(60_000);
}
const now = Date.parse('2026-01-01T00:05:00Z');
const seqsSince = (since: string | number | undefined): number[] =>
  recordsSince(journal.records, since, now).map(({ seq }) => seq);

it.each([
  [undefined, [1, 2, 3, 4, 5]],
  ['req_4', [4, 5]],
  ['4', [4, 5]],
  [4, [4, 5]],
  [0, [1, 2, 3, 4, 5]],
  ['99', []],
  ['2026', []],
  ['2m', [4, 5]],
  ['1h', [1, 2, 3, 4, 5]],
  ['0s', []],
  ['2026-01-01T00:02:00Z', [3, 4, 5]],
  ['2026-01-01T01:02:00+01:00', [3, 4, 5]],
  ['2026-01-02', []],
] as const)('since takes %s', (since, seqs) => {
  expect(seqsSince(since)).toEqual(seqs);
});

it.each(['', 'yesterday', 'req', '-1', '2026-13-45', '10 minutes', Number.NaN, -5])('since refuses %s', (since) => {
  expect(() => seqsSince(since)).toThrow(/since must be a request id, a number of the journal/);
});

it('since refuses a request that the journal does not hold, and names it', () => {
  expect(() => seqsSince('req_99')).toThrow(/since must name a request that the journal holds/);
});

describe('after a restore, when virtual time has gone back', () => {
  it('since keeps what came later', () => {
    const [first, second, third] = journal.records;
    const records = [first, third, { ...second, seq: 6 }].filter((record) => record !== undefined) as never;
    expect(recordsSince(records, '2026-01-01T00:02:00Z', now).map(({ seq }) => seq)).toEqual([3, 6]);
  });
});
