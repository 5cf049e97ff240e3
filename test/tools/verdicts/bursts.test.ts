// Equal requests at once on real connections: none of them repeats another.

import { connect, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { startEmulator } from '../../support/emulator.js';

it('a burst is seen on real connections', async () => {
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
  const answers = await Promise.all(sockets.map((socket) => ask(socket, '/api/v1/containers')));
  const refused = sockets.filter((_, index) => String(answers[index]).includes(' 429 '));
  expect(refused).toHaveLength(3);
  const verdictOf = (id: string) => emulator.controls.verdicts().verdicts.find(({ rule }) => rule === id)?.verdict;
  expect(['retry-after-obeyed', 'backoff-grows'].map(verdictOf)).toEqual(['pass', 'not-exercised']);
  await emulator.controls.clock.advance('2s');
  await ask(refused[0] as Socket, '/api/v1/containers');
  expect(verdictOf('retry-after-obeyed')).toBe('fail');
  for (const socket of sockets) socket.destroy();
});

it('requests for other things by real connections are innocent while they are on their way, and by an idle one they are not', async () => {
  const emulator = await startEmulator();
  const match = { operation: 'containers.get' };
  emulator.controls.faults.add({ match, when: { times: 1 }, effect: { error: 'RATE_LIMITED', retryAfter: 60 } });
  const sockets = Array.from({ length: 3 }, () => connect(emulator.port, '127.0.0.1'));
  const ask = (index: number, thing: string): Promise<string> => {
    const socket = sockets[index] as Socket;
    const answer = new Promise<string>((resolve) => socket.once('data', (data) => resolve(data.toString())));
    const path = `/api/v1/containers/00000000-0000-4000-8000-00000000000${thing}`;
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${emulator.apiKey}\r\n\r\n`);
    return answer;
  };
  const verdict = () =>
    emulator.controls.verdicts().verdicts.find(({ rule }) => rule === 'retry-after-obeyed')?.verdict;
  const answers = await Promise.all([0, 1, 2].map((index) => ask(index, String(index))));
  const refused = answers.findIndex((answer) => answer.includes(' 429 '));
  expect(verdict()).toBe('pass');
  await emulator.controls.clock.advance('2s');
  await ask((refused + 1) % 3, '7');
  expect(verdict()).toBe('pass');
  await ask(refused, '8');
  expect(verdict()).toBe('fail');
  for (const socket of sockets) socket.destroy();
});
