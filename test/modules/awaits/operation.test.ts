// Awaiting requests: so many of an operation, by id or pattern and status, since the reset or a place.

import { expect, it } from 'vitest';
import type { Emulator } from '../../../src/index.js';
import { call, startEmulator } from '../../support/emulator.js';

const door = '/_emulator/await';
const list = (emulator: Emulator) => call(emulator, 'GET', '/api/v1/containers');

it('answers once the journal holds so many, those of before counted', async () => {
  const emulator = await startEmulator();
  await list(emulator);
  const waiting = emulator.controls.await({ operation: 'containers.list', count: 3 });
  let answered = false;
  void waiting.then(() => {
    answered = true;
  });
  await call(emulator, 'GET', '/api/v1/api-keys');
  await list(emulator);
  expect(answered).toBe(false);
  const third = await list(emulator);
  expect(await waiting).toEqual({
    operation: 'containers.list',
    count: 3,
    last: {
      seq: expect.any(Number),
      requestId: third.headers.get('x-request-id'),
      operation: 'containers.list',
      status: 200,
      at: '2026-01-01T00:00:00.000Z',
    },
  });
  expect((await call(emulator, 'POST', door, { operation: 'containers.list', count: 3 })).body.count).toBe(3);
});

it.each([
  [{ operation: 'containers.list', status: 401 }, 1],
  [{ operation: 'containers.list', status: '4xx' }, 1],
  [{ operation: 'containers.list', status: [200, '4xx'] }, 3],
  [{ operation: 'containers.*' }, 4],
  [{ operation: '*' }, 5],
  [{ operation: '*', status: '5xx' }, 0],
])('counts by %j: %i', async (condition, count) => {
  const emulator = await startEmulator();
  await list(emulator);
  await list(emulator);
  await call(emulator, 'GET', '/api/v1/containers', undefined, { authorization: '' });
  await call(emulator, 'GET', '/api/v1/containers/quota');
  await call(emulator, 'GET', '/api/v1/api-keys');
  await call(emulator, 'GET', '/api/nothing');
  const { status, body } = await call(emulator, 'POST', door, { ...condition, count: 6, timeout: 0 });
  expect([status, body.error.details.count]).toEqual([408, count]);
  expect(body.error.message).toBe(`After 0ms, there were ${count} of 6 requests of ${condition.operation}`);
});

it('counts since the last reset, or since a place', async () => {
  const emulator = await startEmulator();
  const first = await list(emulator);
  await list(emulator);
  const counted = async (since?: string | number) => {
    const request = { operation: '*', count: 900, timeout: 0, ...(since !== undefined && { since }) };
    return (await call(emulator, 'POST', door, request)).body.error.details?.count;
  };
  expect(await counted()).toBe(2);
  expect(await counted(first.headers.get('x-request-id') ?? '')).toBe(2);
  expect(await counted('2026-01-01T00:00:01Z')).toBe(0);
  await emulator.controls.clock.advance('10s');
  await list(emulator);
  expect(await counted('5s')).toBe(1);
  expect(await counted('2026-01-01T00:00:01Z')).toBe(1);
  expect(await counted(1)).toBe(3);
  await emulator.controls.reset();
  expect(await counted()).toBe(0);
  await list(emulator);
  expect(await counted()).toBe(1);
  // The journal is empty after a reset.
  expect(await counted(1)).toBe(1);
});

it('begins to count anew when the world is reset meanwhile', async () => {
  const emulator = await startEmulator();
  const waiting = emulator.controls.await({ operation: 'containers.list', count: 2 });
  await list(emulator);
  await emulator.controls.reset();
  await list(emulator);
  const { headers } = await list(emulator);
  expect((await waiting).last?.requestId).toBe(headers.get('x-request-id'));
});

it('waits for a place that is yet to come', async () => {
  const emulator = await startEmulator();
  const request = { operation: 'containers.list', count: 1, since: '2026-01-01T00:01:00Z' } as const;
  const waiting = emulator.controls.await(request);
  await list(emulator);
  await emulator.controls.clock.advance('1m');
  const { headers } = await list(emulator);
  expect((await waiting).last?.requestId).toBe(headers.get('x-request-id'));
});

it('refuses a place that is none', async () => {
  const emulator = await startEmulator();
  const answer = await call(emulator, 'POST', door, { operation: '*', count: 1, since: 'yesterday' });
  expect([answer.status, answer.body.error.details[0].path]).toEqual([400, 'since']);
});

it('hears of many requests at once', async () => {
  const emulator = await startEmulator();
  const waiting = Array.from({ length: 50 }, (_, i) =>
    emulator.controls.await({ operation: 'containers.list', count: i * 2 + 1 }),
  );
  await Promise.all(Array.from({ length: 99 }, () => list(emulator)));
  const counts = (await Promise.all(waiting)).map(({ count }) => count);
  for (const [i, count] of counts.entries()) expect(count).toBeGreaterThanOrEqual(i * 2 + 1);
});
