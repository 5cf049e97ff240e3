// Closing streams.

import { expect, it } from 'vitest';
import type { JournalEntry } from '../../../src/tools/journal/journal-entry.js';
import { streamsClosed } from '../../../src/tools/verdicts/streams.js';
import { context, judgedBy, look, type Timeline, timeline } from '../../support/records.js';

const judge = ({ records }: Timeline, runningSince = 0) =>
  judgedBy(streamsClosed, records, { ...context, runningSince });
const stream = { operation: 'containers.streamLogs', outcome: 'streaming' as const };

it('streams-closed is not exercised without a stream', () => {
  const journal = timeline();
  journal.request();
  expect(judge(journal).verdict).toBe('not-exercised');
});

it.each(['client', 'server'] as const)('streams-closed passes a stream that the %s ended', (by) => {
  const journal = timeline();
  const { seq } = journal.request(stream);
  journal.mark('stream-ended', { subject: String(seq), by });
  expect(judge(journal)).toMatchObject({ verdict: 'pass', summary: '1 stream, all of them closed.' });
});

it('streams-closed fails a stream that is open, whatever else has ended', () => {
  const journal = timeline();
  const { seq } = journal.request(stream);
  const open = journal.request(stream);
  journal.mark('stream-ended', { subject: String(seq), by: 'client' });
  journal.mark('stream-ended', { subject: '99', by: 'client' });
  expect(judge(journal)).toMatchObject({
    verdict: 'fail',
    summary: expect.stringContaining('1 of 2 streams'),
    evidence: [{ requestId: open.requestId }],
  });
});

it('streams-closed finds the end of a stream across a reset', () => {
  const journal = timeline();
  const { seq } = journal.request(stream);
  journal.mark('reset');
  journal.mark('stream-ended', { subject: String(seq), by: 'client' });
  expect(judge(journal).verdict).toBe('pass');
});

it('streams-closed knows that the streams of an earlier process are gone', () => {
  const journal = timeline();
  const { wall } = journal.request(stream);
  expect(judge(journal, wall + 1).verdict).toBe('pass');
});

/** Streams of one container, each opened so long after the one before, and closed so long after it was opened. */
function opened(
  journal: Timeline,
  times: number,
  everyMs: number,
  openMs: number,
  fields: Partial<JournalEntry> = {},
): void {
  for (let i = 0; i < times; i++) {
    const { seq, wall } = journal.request({
      ...stream,
      path: '/api/v1/containers/c1/logs/stream',
      durationMs: 0,
      ...fields,
    });
    journal.mark('stream-ended', { subject: String(seq), by: 'client', wall: wall + openMs });
    journal.wait(everyMs);
  }
}

it.each([
  ['six in 0.4 s', 6, 80, 70, 'fail'],
  ['six, one a second', 6, 1_000, 900, 'pass'],
  ['three at once, as a component that is mounted again', 3, 5, 4, 'pass'],
  ['six beside each other', 6, 5, 2_000, 'pass'],
] as const)(
  'streams-closed judges streams of one thing that are opened again: %s',
  (_, times, every, open, verdict) => {
    const journal = timeline();
    opened(journal, times, every, open);
    expect(judge(journal).verdict).toBe(verdict);
  },
);

it('streams-closed takes neither replies of a model nor streams of several things for a storm', () => {
  const journal = timeline();
  opened(journal, 9, 50, 40, { method: 'POST', operation: 'chat.completions', path: '/api/v1/chat/completions' });
  for (let i = 0; i < 9; i++) opened(journal, 1, 50, 40, { path: `/api/v1/containers/c${i}/logs/stream` });
  expect(judge(journal).verdict).toBe('pass');
});

it('streams-closed sees a storm of streams that a fault broke off', () => {
  const journal = timeline();
  for (let i = 0; i < 7; i++) journal.request({ ...stream, outcome: 'lost', fault: 'fault_1', durationMs: 40 });
  expect(judge(journal)).toMatchObject({ verdict: 'fail', evidence: [{ requestId: 'req_6' }] });
});

const agent = (name: string) => ({ requestHeaders: { 'user-agent': name } });

it.each([
  ['closed at once', 'failed', 200, 'app', 'pass'],
  ['closed after two seconds', 'failed', 2_000, 'app', 'unclear'],
  ['left open until the process ended', 'stopped', 60_000, 'app', 'fail'],
  ['that another program watches', 'failed', 60_000, 'curl', 'unclear'],
  ['of a container that runs', 'running', 60_000, 'app', 'pass'],
] as const)('streams-closed judges a stream %s', (_, status, ms, program, verdict) => {
  const journal = timeline();
  const { seq } = journal.request({ ...stream, subject: 'c1', ...agent(program) });
  journal.request(look('building', agent('app')));
  journal.request(look(status, agent('app')));
  journal.request({ path: '/api/my-agents/characters', operation: 'agents.list' });
  journal.wait(ms);
  journal.mark('stream-ended', { subject: String(seq), by: 'client' });
  expect(judge(journal).verdict).toBe(verdict);
});

it('streams-closed waits for the last request of a client, and for a container that goes on', () => {
  for (const last of [{ operation: 'agents.list', path: '/a' }, look('running')]) {
    const journal = timeline();
    const { seq } = journal.request({ ...stream, subject: 'c1' });
    journal.request(look('failed'));
    journal.wait(60_000);
    journal.request(last);
    journal.mark('stream-ended', { subject: String(seq), by: 'client' });
    expect(judge(journal).verdict).toBe('pass');
  }
});

it('streams-closed passes a stream that the server ended', () => {
  const journal = timeline();
  const { seq } = journal.request({ ...stream, subject: 'c1' });
  journal.request(look('failed'));
  journal.wait(60_000);
  journal.mark('stream-ended', { subject: String(seq), by: 'server' });
  expect(judge(journal).verdict).toBe('pass');
});
