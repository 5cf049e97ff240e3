// Awaiting requests: so many of an operation, by id or pattern and status, since the reset or a place.

import { expect, it } from 'vitest';
import type { EmulatorWorld } from '../../../src/index.js';
import { itFull } from '../../support/campaign.js';
import { call, startWorld } from '../../support/emulator.js';

const door = '/_emulator/await';
const list = (world: EmulatorWorld) => call(world, 'GET', '/api/v1/containers');

it('an await of an operation succeeds once the journal holds so many, those of before counted', async () => {
  const world = await startWorld();
  await list(world);
  const waiting = world.controls.await({ operation: 'containers.list', count: 3 });
  let answered = false;
  void waiting.then(() => {
    answered = true;
  });
  await call(world, 'GET', '/api/v1/api-keys');
  await list(world);
  expect(answered).toBe(false);
  const third = await list(world);
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
  expect((await call(world, 'POST', door, { operation: 'containers.list', count: 3 })).body.count).toBe(3);
});

it.each([
  [{ operation: 'containers.list', status: 401 }, 1],
  [{ operation: 'containers.list', status: '4xx' }, 1],
  [{ operation: 'containers.list', status: [200, '4xx'] }, 3],
  [{ operation: 'containers.*' }, 4],
  [{ operation: '*' }, 5],
  [{ operation: '*', status: '5xx' }, 0],
])('an await of an operation counts by %j: %i', async (condition, count) => {
  const world = await startWorld();
  await list(world);
  await list(world);
  await call(world, 'GET', '/api/v1/containers', undefined, { authorization: '' });
  await call(world, 'GET', '/api/v1/containers/quota');
  await call(world, 'GET', '/api/v1/api-keys');
  await call(world, 'GET', '/api/nothing');
  const { status, body } = await call(world, 'POST', door, { ...condition, count: 6, timeout: 0 });
  expect([status, body.error.details.count]).toEqual([408, count]);
  expect(body.error.message).toBe(`After 0ms, there were ${count} of 6 requests of ${condition.operation}`);
});

it('an await of an operation counts since the last reset, or since a journal position', async () => {
  const world = await startWorld();
  const first = await list(world);
  await list(world);
  const counted = async (since?: string | number) => {
    const request = { operation: '*', count: 900, timeout: 0, ...(since !== undefined && { since }) };
    return (await call(world, 'POST', door, request)).body.error.details?.count;
  };
  expect(await counted()).toBe(2);
  expect(await counted(first.headers.get('x-request-id') ?? '')).toBe(2);
  expect(await counted('2026-01-01T00:00:01Z')).toBe(0);
  await world.controls.clock.advance('10s');
  await list(world);
  expect(await counted('5s')).toBe(1);
  expect(await counted('2026-01-01T00:00:01Z')).toBe(1);
  expect(await counted(1)).toBe(3);
  await world.controls.reset();
  expect(await counted()).toBe(0);
  await list(world);
  expect(await counted()).toBe(1);
  // The journal is empty after a reset.
  expect(await counted(1)).toBe(1);
});

it('an await of an operation begins to count anew when the world is reset meanwhile', async () => {
  const world = await startWorld();
  const waiting = world.controls.await({ operation: 'containers.list', count: 2 });
  await list(world);
  await world.controls.reset();
  await list(world);
  const { headers } = await list(world);
  expect((await waiting).last?.requestId).toBe(headers.get('x-request-id'));
});

it('an await of an operation waits for a journal position that is yet to come', async () => {
  const world = await startWorld();
  const request = { operation: 'containers.list', count: 1, since: '2026-01-01T00:01:00Z' } as const;
  const waiting = world.controls.await(request);
  await list(world);
  await world.controls.clock.advance('1m');
  const { headers } = await list(world);
  expect((await waiting).last?.requestId).toBe(headers.get('x-request-id'));
});

it('an await of an operation refuses a journal position that is none', async () => {
  const world = await startWorld();
  const answer = await call(world, 'POST', door, { operation: '*', count: 1, since: 'yesterday' });
  expect([answer.status, answer.body.error.details[0].path]).toEqual([400, 'since']);
});

itFull('an await of an operation notices many requests at once', async () => {
  const world = await startWorld();
  const waiting = Array.from({ length: 50 }, (_, i) =>
    world.controls.await({ operation: 'containers.list', count: i * 2 + 1 }),
  );
  await Promise.all(Array.from({ length: 99 }, () => list(world)));
  const counts = (await Promise.all(waiting)).map(({ count }) => count);
  for (const [i, count] of counts.entries()) expect(count).toBeGreaterThanOrEqual(i * 2 + 1);
});
