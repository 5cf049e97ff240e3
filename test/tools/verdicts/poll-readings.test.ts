// Polls that come too early, of clients that keep the interval nevertheless, and of those that do not.

import { expect, it } from 'vitest';
import { pollIntervalObeyed } from '../../../src/tools/verdicts/poll-interval.js';
import { context, creation, judgedBy, look, start, timeline } from '../../support/records.js';

/** Polls at these seconds, each by a connection of this number; ten seconds are advised. */
function judged(polls: readonly (readonly [second: number, connection: number])[], headers = {}) {
  const journal = timeline();
  journal.request(creation({ connection: { number: 1, openedAt: start - 5, others: 0 } }));
  const others = new Set(polls.map(([, number]) => number)).size - 1;
  let passed = 0;
  for (const [second, number] of [...polls].sort(([a], [b]) => a - b)) {
    journal.wait(second * 1_000 - passed);
    passed = second * 1_000 + 2;
    const connection = { number, openedAt: start - 5, others, earlier: 1 };
    journal.request(look('building', { connection, requestHeaders: headers }));
  }
  return judgedBy(pollIntervalObeyed, journal.records, context);
}

/** Polls at equal distances. */
const every = (seconds: number, count: number, from = 1, connection = 1) =>
  Array.from({ length: count }, (_, index) => [from + index * seconds, connection] as const);
const fetchHeaders = { 'sec-fetch-mode': 'cors' };

it.each([
  ['a client that waits and then reads the details', [...every(10, 4), [31.1, 1]]],
  ['one that reads something in between', [...every(10, 4), [15, 1]]],
  ['two processes, each with a connection', [...every(10, 4), ...every(10, 4, 4, 2)]],
  ['two processes in which the intervals differ', [...every(10, 4), ...every(13, 3, 4, 2)]],
  ['two tabs that share a connection', [...every(10, 4), ...every(10, 4, 4)]],
  ['three components that share a connection', [...every(10, 4), ...every(10, 4, 1.01), ...every(10, 4, 5)]],
] as const)('poll-interval-obeyed passes %s', (_, polls) => {
  for (const headers of [{}, fetchHeaders])
    expect(judged(polls, headers)).toMatchObject({
      verdict: 'pass',
      summary: expect.stringMatching(/came sooner, as an extra read or by another watcher\.$/),
    });
});

it.each([
  ['a loop at half the interval', every(5, 6)],
  ['a loop at half the interval that ends soon', every(5, 3)],
  ['a loop at half the interval that began late', [[1, 1], ...every(5, 4, 11)]],
  ['a loop at a tenth of it', every(1, 12)],
  ['waits that grow up to the interval', [1, 1.5, 2.5, 4.5, 8.5, 16.5].map((second) => [second, 1] as const)],
  ['random waits around half the interval', [1, 6.5, 10.5, 14, 20.5, 26.5, 29.5].map((second) => [second, 1] as const)],
  ['a loop at a tenth of it by two connections', [...every(2, 6), ...every(2, 6, 2, 2)]],
] as const)('poll-interval-obeyed fails %s', (_, polls) => {
  for (const headers of [{}, fetchHeaders]) expect(judged(polls, headers).verdict).toBe('fail');
});

it('poll-interval-obeyed passes a client that looks into a list, and then reads the list for something else', () => {
  const journal = timeline();
  journal.request(creation());
  for (const wait of [1_000, 15]) {
    journal.wait(wait);
    journal.request(look('pending', { operation: 'containers.list', subject: null }));
  }
  expect(judgedBy(pollIntervalObeyed, journal.records, context).verdict).toBe('pass');
  journal.wait(15);
  journal.request(look('pending', { operation: 'containers.list', subject: null }));
  expect(judgedBy(pollIntervalObeyed, journal.records, context).verdict).toBe('fail');
});
