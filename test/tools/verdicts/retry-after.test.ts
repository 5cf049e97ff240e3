// Waiting as long as an answer told.

import { expect, it } from 'vitest';
import type { JournalEntry } from '../../../src/tools/journal/journal-entry.js';
import { retryAfterObeyed } from '../../../src/tools/verdicts/retry-after.js';
import { judgedBy, refusal, start, type Timeline, timeline } from '../../support/records.js';

const judge = ({ records }: Timeline) => judgedBy(retryAfterObeyed, records);

it('retry-after-obeyed is not exercised while no response asks the client to wait', () => {
  const journal = timeline();
  journal.request({ status: 500 });
  journal.request();
  expect(judge(journal).verdict).toBe('not-exercised');
  expect(judge(timeline()).verdict).toBe('not-exercised');
});

it('retry-after-obeyed passes a client that waited, and one that gave up', () => {
  const journal = timeline();
  journal.request(refusal(2));
  expect(judge(journal).verdict).toBe('pass');
  journal.wait(2_000);
  journal.request();
  expect(judge(journal)).toMatchObject({ verdict: 'pass', evidence: [] });
});

it('retry-after-obeyed fails a client that retries at once, and names the wait that was asked for', () => {
  const journal = timeline();
  journal.request(refusal(60));
  const early = journal.request(refusal(59));
  const judgement = judge(journal);
  expect(judgement.verdict).toBe('fail');
  expect(judgement.evidence).toEqual([
    expect.objectContaining({
      requestId: early.requestId,
      message: 'came 0 ms after req_1, which asked for a wait of 60 s',
    }),
  ]);
});

it('retry-after-obeyed counts virtual time, when the clock was advanced', () => {
  const journal = timeline({ frozen: true });
  journal.request(refusal(60));
  journal.advance(60_000);
  journal.request();
  expect(judge(journal).verdict).toBe('pass');
  journal.request(refusal(60));
  journal.advance(59_000);
  journal.request();
  expect(judge(journal).verdict).toBe('fail');
});

it('retry-after-obeyed counts wall time, when the clock stands still', () => {
  const journal = timeline({ frozen: true });
  journal.request(refusal(3));
  journal.wait(3_000);
  journal.request();
  expect(judge(journal).verdict).toBe('pass');
});

it('retry-after-obeyed measures from the end of the response', () => {
  const journal = timeline();
  journal.request(refusal(2, { durationMs: 5_000 }));
  journal.wait(500);
  journal.request();
  expect(judge(journal).verdict).toBe('fail');
});

it('retry-after-obeyed lets timers be a few milliseconds off', () => {
  const journal = timeline();
  journal.request(refusal(1));
  journal.wait(960);
  journal.request();
  expect(judge(journal).verdict).toBe('pass');
  journal.request(refusal(1));
  journal.wait(900);
  journal.request();
  expect(judge(journal).verdict).toBe('fail');
});

it('retry-after-obeyed does not hold requests against a client that were on their way', () => {
  const journal = timeline();
  const list = { path: '/api/v1/containers', query: '?page=2' };
  journal.together(refusal(60, { durationMs: 500 }), { ...refusal(60), ...list }, refusal(60));
  expect(judge(journal).verdict).toBe('pass');
  journal.wait(60_000);
  journal.request();
  expect(judge(journal).verdict).toBe('pass');
});

/** Requests of other things at once, by a connection each; `told` of them is refused. Then one more after a while. */
function afterBatch(ms: number, next: Partial<JournalEntry>): string {
  const journal = timeline();
  const by = (number: number, earlier: number) => ({ number, openedAt: start - 5, others: 2, earlier });
  const things = ['a', 'b', 'c'].map((id) => ({ operation: 'containers.get', path: `/api/v1/containers/${id}` }));
  const all = things.map((one, index) => ({ ...one, durationMs: 20, connection: by(index + 1, 0) }));
  journal.together({ ...all[0], ...refusal(60) }, all[1] as object, all[2] as object);
  journal.wait(ms);
  const path = '/api/v1/containers/d';
  journal.request({ operation: 'containers.get', path, ...next, connection: by(next.connection?.number ?? 1, 1) });
  return judge(journal).verdict;
}

it.each<[string, number, Partial<JournalEntry>, string]>([
  ['by the same connection, a second later', 1_000, {}, 'fail'],
  ['by the same connection, for which it may have waited', 5, {}, 'unclear'],
  ['by the same connection, when the time is over', 60_000, {}, 'pass'],
  [
    'by another connection, which may be that of another process',
    1_000,
    { connection: { number: 2 } as never },
    'pass',
  ],
  ['of another operation', 1_000, { operation: 'agents.list', path: '/api/my-agents/characters' }, 'pass'],
])('retry-after-obeyed judges what follows parallel requests of which one was refused: %s', (_, ms, next, verdict) => {
  expect(afterBatch(ms, next)).toBe(verdict);
});

it('retry-after-obeyed judges the first request that could know, though others came between', () => {
  const journal = timeline();
  journal.together(refusal(60, { durationMs: 50 }), { query: '?page=2' });
  journal.wait(1_000);
  const early = journal.request({ query: '?page=3' });
  expect(judge(journal).evidence).toMatchObject([{ requestId: early.requestId }]);
});

const agents = { operation: 'agents.list', path: '/api/my-agents/characters' };
const ofWindow = (size: number) => ({ responseHeaders: { 'X-RateLimit-Limit': String(size) } });

it('retry-after-obeyed is about other operations too, where the window that was used up is theirs', () => {
  const journal = timeline();
  journal.request(refusal(60, ofWindow(1_000)));
  journal.wait(10_000);
  journal.request(refusal(50, { ...agents, ...ofWindow(1_000) }));
  expect(judge(journal)).toMatchObject({ verdict: 'fail', evidence: [{ requestId: 'req_2' }] });
});

it('retry-after-obeyed is not about operations that were let in, or refused for a window of their own', () => {
  const journal = timeline();
  journal.request(refusal(60, ofWindow(1_000)));
  journal.wait(10_000);
  journal.request(agents);
  journal.request(refusal(50, { ...agents, ...ofWindow(5) }));
  journal.request(refusal(60, { operation: 'agents.get', path: '/other', ...ofWindow(1_000) }));
  expect(judge(journal).verdict).toBe('pass');
});

it('retry-after-obeyed is about its operation only, when it was forced or is a 503', () => {
  for (const told of [refusal(60, { fault: 'f1' }), refusal(60, { status: 503, errorCode: 'SERVICE_UNAVAILABLE' })]) {
    const journal = timeline();
    journal.request(told);
    journal.wait(1_000);
    journal.request(refusal(59, agents));
    expect(judge(journal).verdict).toBe('pass');
    journal.request();
    expect(judge(journal).verdict).toBe('fail');
  }
});

it('retry-after-obeyed expects nothing of a client that did not get the response', () => {
  const journal = timeline();
  journal.request(refusal(60, { outcome: 'lost', fault: 'f1', status: 0 }));
  journal.request();
  expect(judge(journal).verdict).toBe('not-exercised');
});

it('retry-after-obeyed judges each caller by itself', () => {
  const journal = timeline();
  journal.request(refusal(60));
  journal.wait(1_000);
  journal.request({ caller: 'key:two' });
  expect(judge(journal).verdict).toBe('pass');
});

it.each(['reset', 'restored', 'scenario'] as const)(
  'retry-after-obeyed compares nothing across a marker "%s"',
  (event) => {
    const journal = timeline();
    journal.request(refusal(60));
    journal.mark(event);
    journal.request();
    expect(judge(journal).verdict).toBe('pass');
  },
);

it('retry-after-obeyed shows at most twenty, and counts the others', () => {
  const journal = timeline();
  for (let i = 0; i < 31; i++) journal.request(refusal(60));
  const { evidence, furtherEvidence } = judge(journal);
  expect([evidence.length, furtherEvidence]).toEqual([20, 10]);
});
