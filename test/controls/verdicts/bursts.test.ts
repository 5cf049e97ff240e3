// Equal requests that were sent at once: none of them repeats another.

import { connect, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { backoffGrows } from '../../../src/controls/verdicts/backoff.js';
import { retryAfterObeyed } from '../../../src/controls/verdicts/retry-after.js';
import { startEmulator } from '../../support/emulator.js';
import { context, refusal, start, timeline } from '../../support/records.js';

/** Refusals by connections, given as their numbers and how long after the start each was opened. */
function judged(connections: readonly [number: number, openedMs: number][]) {
  const journal = timeline();
  for (const [number, openedMs] of connections)
    journal.request(refusal(60, { connection: { number, openedAt: start + openedMs } }));
  return [retryAfterObeyed, backoffGrows].map((rule) => rule.judge(journal.records, context).verdict);
}

it('is no retry when each came by a connection that was open before', () => {
  expect(judged([1, 2, 3, 4].map((number) => [number, -5]))).toEqual(['pass', 'not-exercised']);
});

it('is one when connections were used again', () => {
  expect(judged([1, 2, 1, 2].map((number) => [number, -5]))).toEqual(['fail', 'fail']);
  expect(judged([1, 1, 1, 1].map((number) => [number, -5]))).toEqual(['fail', 'fail']);
});

it('is one when each connection was opened after an answer', () => {
  expect(judged([1, 2, 3, 4].map((number) => [number, number * 10]))).toEqual(['fail', 'fail']);
});

it('is one when there were only two', () => {
  expect(
    judged([
      [1, -5],
      [2, -5],
    ]),
  ).toEqual(['fail', 'not-exercised']);
});

// A machine that stands still for a moment pulls a burst apart.
it('is seen on real connections', { retry: 3 }, async () => {
  const emulator = await startEmulator();
  emulator.controls.limits.set({ operation: 'containers.list', limit: 2, window: '1m' });
  const ask = (socket: Socket, path: string): Promise<unknown> => {
    const answer = new Promise((resolve) => socket.once('data', resolve));
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${emulator.apiKey}\r\n\r\n`);
    return answer;
  };
  // A client's pool: each connection has been used before.
  const sockets = Array.from({ length: 5 }, () => connect(emulator.port, '127.0.0.1'));
  for (const socket of sockets) await ask(socket, '/api/v1/credits/balance');
  await Promise.all(sockets.map((socket) => ask(socket, '/api/v1/containers')));
  const verdictOf = (id: string) => emulator.controls.verdicts().verdicts.find(({ rule }) => rule === id)?.verdict;
  expect(['retry-after-obeyed', 'backoff-grows'].map(verdictOf)).toEqual(['pass', 'not-exercised']);
  await ask(sockets[0] as Socket, '/api/v1/containers');
  expect(verdictOf('retry-after-obeyed')).toBe('fail');
  for (const socket of sockets) socket.destroy();
});
