// Worlds that begin with much: made, reset and closed.

import { expect, it, vi } from 'vitest';
import type { ScenarioInput } from '../../../src/tools/scenarios/schema.js';
import { call, startEmulator } from '../../support/emulator.js';

const shop = (containers: number): ScenarioInput => ({
  images: [{ repository: 'web', tag: 'v1' }],
  data: {
    containers: Array.from({ length: containers }, (_, n) => ({ project_name: `web-${n}`, ecr_image_uri: 'web:v1' })),
  },
});

it('a created world and a reset one hold the same, and its containers run its own image', async () => {
  const emulator = await startEmulator();
  const scenario = { ...shop(3), clock: { start: '2026-01-01T00:00:00Z', frozen: true } };
  const world = await emulator.createWorld({ id: 'shop', scenario });
  const state = () => [world.controls.containers.list(), world.controls.images.list()];
  const before = state();
  expect(world.controls.images.list()).toMatchObject([{ containers: ['web-0', 'web-1', 'web-2'] }]);
  await world.controls.reset();
  expect(state()).toEqual(before);
});

it('each of two worlds that are created together is made, whole', async () => {
  const emulator = await startEmulator();
  const [a, b, again] = await Promise.allSettled([
    emulator.controls.worlds.create({ id: 'a', scenario: shop(20) }),
    emulator.controls.worlds.create({ id: 'b', scenario: shop(30) }),
    emulator.controls.worlds.create({ id: 'a' }),
  ]);
  expect([a.status, b.status]).toEqual(['fulfilled', 'fulfilled']);
  expect(again).toMatchObject({ status: 'rejected', reason: { code: 'CONFLICT' } });
  for (const [id, count] of [
    ['a', 20],
    ['b', 30],
  ] as const)
    expect((await call(emulator, 'GET', `/w/${id}/_emulator/containers`)).body.containers).toHaveLength(count);
});

it('a scenario that cannot be leaves the world as it was, and the next one begins whole', async () => {
  const emulator = await startEmulator();
  await emulator.controls.scenarios.apply(shop(2));
  const before = emulator.controls.containers.list();
  const wrong = { data: { containers: [{ project_name: 'web' }, { project_name: 'api', cpu: 1e9 }] } };
  await expect(emulator.controls.scenarios.apply(wrong)).rejects.toThrow(/containers\[1\]/);
  expect(emulator.controls.containers.list()).toEqual(before);
  await emulator.controls.reset();
  expect(emulator.controls.containers.list()).toEqual(before);
});

it('a reset that a scenario overtakes returns to the state with which that one begins', async () => {
  const emulator = await startEmulator();
  const { scenarios, reset, containers } = emulator.controls;
  await scenarios.apply(shop(40));
  const clock = { start: '2031-01-01T00:00:00Z', frozen: true };
  await Promise.all([reset(), scenarios.apply({ ...shop(2), clock }), reset()]);
  expect(containers.list()).toHaveLength(2);
  expect(emulator.controls.clock.get().now).toBe('2031-01-01T00:00:00.000Z');
  await reset();
  expect(containers.list()).toHaveLength(2);
});

it('an emulator that closes refuses the worlds that are being filled, and those that wait for their turn', async () => {
  const emulator = await startEmulator();
  const making = ['a', 'b', 'c'].map((id) => emulator.controls.worlds.create({ id, scenario: shop(200) }));
  const all = Promise.allSettled(making);
  // The first of them is under way.
  await new Promise(setImmediate);
  await emulator.close();
  for (const outcome of await all)
    expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'SERVICE_UNAVAILABLE' } });
});

it('under fake timers a world with a scenario is made and reset as with those of the machine', async () => {
  const emulator = await startEmulator();
  vi.useFakeTimers();
  try {
    const world = await emulator.createWorld({ scenario: shop(40) });
    await world.controls.reset();
    expect(world.controls.containers.list()).toHaveLength(40);
  } finally {
    vi.useRealTimers();
  }
});
