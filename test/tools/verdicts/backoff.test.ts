// Trying less and less often while it fails.

import { expect, it } from 'vitest';
import type { JournalEntry } from '../../../src/tools/journal/journal-entry.js';
import { backoffGrows } from '../../../src/tools/verdicts/backoff.js';
import { failure, judgedBy, refusal, type Timeline, timeline } from '../../support/records.js';

const judge = ({ records }: Timeline) => judgedBy(backoffGrows, records);

/** Failures with these waits between them, and a success after the last. */
function retried(waits: readonly number[], failing: Partial<JournalEntry> = failure(), end = true): Timeline {
  const journal = timeline();
  for (const wait of waits) {
    journal.request(failing);
    journal.wait(wait);
  }
  journal.request(end ? {} : failing);
  return journal;
}

it('backoff-grows is not exercised by two failures in a row', () => {
  expect(judge(retried([0, 0])).verdict).toBe('not-exercised');
  const journal = timeline();
  for (let i = 0; i < 5; i++) {
    journal.request(failure());
    journal.request();
  }
  expect(judge(journal).verdict).toBe('not-exercised');
});

it.each([
  ['doubling', [1_000, 2_000, 4_000]],
  ['jitter of a quarter', [1_000, 2_000, 1_600, 2_500]],
  ['short waits that grow', [150, 300, 600]],
  ['jitter of a quarter both ways', [1_250, 1_500, 5_000]],
  ['waits that end at a limit', [1_000, 4_000, 8_000, 8_000, 6_100]],
  ['a minute between any two', [60_000, 60_000, 60_000]],
])('backoff-grows passes %s', (_, waits) => {
  expect(judge(retried(waits))).toMatchObject({ verdict: 'pass', evidence: [] });
  expect(judge(retried(waits, failure(), false)).verdict).toBe('pass');
});

it.each([
  ['trying again at once', [0, 0, 0]],
  ['at once, give or take', [1, 4, 9, 20]],
  ['equal waits', [1_000, 1_000, 1_000]],
  ['at once twice, then later', [1, 2, 900]],
  ['equal waits after one at once', [2, 1_000, 1_010, 1_000]],
  ['equal waits with jitter of a quarter', [1_250, 800, 1_100, 900, 1_240]],
  ['waits that fall', [4_000, 3_900, 2_000, 1_000]],
  ['waits that fall by the same step', [3_000, 2_000, 1_000]],
  ['waits that fall by half', [4_000, 2_000, 1_000]],
  ['at once, though a busy machine takes its time', [40, 2, 3, 180]],
])('backoff-grows fails %s', (_, waits) => {
  expect(judge(retried(waits))).toMatchObject({ verdict: 'fail', evidence: [{}] });
});

it.each([
  ['full jitter', [900, 350, 2_600, 1_200]],
  ['decorrelated jitter', [700, 1_900, 800, 1_100]],
  ['waits that shrink in the end', [2_000, 4_000, 1_000]],
  ['equal waits with much jitter', [1_250, 1_000, 750, 1_240]],
  ['two equal waits', [1_250, 1_250]],
  ['two that come quickly', [3, 40]],
])('backoff-grows says of %s that it may be either', (_, waits) => {
  expect(judge(retried(waits, failure(), false))).toMatchObject({
    verdict: 'unclear',
    summary:
      'Of 1 request that kept failing, 1 may not have backed off: the waits do not grow, but may be random, or those of several workers.',
    evidence: [{}],
  });
});

it.each([
  ['two waits that differ as jitter of a quarter makes doubled ones differ', [1_250, 1_500]],
  ['one at once, then growing', [0, 200, 400]],
  ['one at once, then a wait', [0, 500]],
])('backoff-grows passes %s, though little can be told', (_, waits) => {
  expect(judge(retried(waits, failure(), false)).verdict).toBe('pass');
});

it('backoff-grows cannot tell very short waits that grow from what a busy machine takes', () => {
  expect(judge(retried([10, 20, 40]))).toMatchObject({ verdict: 'unclear', evidence: [{}] });
});

it.each([
  ['a job every ten minutes, tried once', [600_000, 600_000, 600_000, 600_000]],
  ['a job every ten minutes, tried three times', [1_000, 2_000, 597_000, 1_000, 2_000, 597_000, 1_000, 2_000]],
  ['two operations an hour apart', [1_000, 2_000, 3_597_000, 1_000, 2_000]],
  ['one that failed once an hour before', [3_600_000, 1_000, 2_000]],
])('backoff-grows takes for no repetition %s', (_, waits) => {
  expect(judge(retried(waits)).verdict).not.toBe('fail');
});

it('backoff-grows names the waits', () => {
  const [evidence] = judge(retried([1_000, 1_000, 1_000])).evidence;
  expect(evidence?.message).toBe('4 attempts at the same request, with these waits: 1 s, 1 s, 1 s');
  expect(evidence?.requestId).toBe('req_4');
});

it.each([
  ['lost answers', { outcome: 'lost', status: 0 }],
  ['answers that a fault held back until the client went away', { outcome: 'aborted', status: 0, fault: 'f1' }],
  ['refusals', { status: 429 }],
  ['server errors', { status: 503 }],
] as const)('backoff-grows counts %s as failures', (_, fields) => {
  expect(judge(retried([0, 0, 0], fields)).verdict).toBe('fail');
});

it.each([
  ['requests that the client called off', { outcome: 'aborted', status: 0 }],
  ['errors that trying again does not help', { status: 404 }],
] as const)('backoff-grows does not count %s', (_, fields) => {
  expect(judge(retried([0, 0, 0], fields)).verdict).toBe('not-exercised');
});

it('backoff-grows accepts waits that were asked for and kept as they are', () => {
  expect(judge(retried([60_000, 60_000, 60_000], refusal(60))).verdict).toBe('pass');
  expect(judge(retried([1_000, 1_000, 1_000], refusal(60))).verdict).toBe('fail');
  expect(judge(retried([30, 60, 90], refusal(60))).verdict).toBe('fail');
  expect(judge(retried([30, 60, 90])).verdict).toBe('unclear');
});

it('backoff-grows keeps different requests and callers apart', () => {
  const journal = timeline();
  for (let i = 0; i < 4; i++) journal.request(failure({ query: `?page=${i}` }));
  for (let i = 0; i < 4; i++) journal.request(failure({ caller: `key:${i}` }));
  for (let i = 0; i < 4; i++) journal.request(failure({ method: 'POST', requestBodyHash: `${i}` }));
  expect(judge(journal).verdict).toBe('not-exercised');
});

it('backoff-grows takes attempts that ran side by side for no sequence', () => {
  const journal = timeline();
  journal.together(...Array.from({ length: 5 }, () => failure({ durationMs: 500 })));
  expect(judge(journal).verdict).toBe('not-exercised');
});

it('backoff-grows counts virtual time, and nothing across a restore', () => {
  const journal = timeline({ frozen: true });
  for (const wait of [1_000, 2_000, 4_000]) {
    journal.request(failure());
    journal.advance(wait);
  }
  expect(judge(journal).verdict).toBe('pass');
  const cut = timeline();
  for (let i = 0; i < 6; i++) {
    cut.request(failure());
    if (i % 2 === 0) cut.mark('restored');
  }
  expect(judge(cut).verdict).toBe('not-exercised');
});
