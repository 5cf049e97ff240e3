// Closing streams.

import { expect, it } from 'vitest';
import { streamsClosed } from '../../../src/modules/verdicts/streams.js';
import { context, judgedBy, type Timeline, timeline } from '../../support/records.js';

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
