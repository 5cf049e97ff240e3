// Limits set by control: of a preset, a feature, an operation; listed, obeyed, released.

import { describe, expect, it } from 'vitest';
import { tempDir } from '../../support/command.js';
import { call, type Platform, startEmulator, startWorld } from '../../support/emulator.js';

const list = '/api/v1/containers';
const agents = '/api/v1/app/agents';
const options = { quotas: { enabled: false } };

const createAgent = (emulator: Platform) => call(emulator, 'POST', agents, { name: 'a' });
const listContainers = (emulator: Platform) => call(emulator, 'GET', list);

async function statuses(times: number, ask: () => Promise<{ status: number }>): Promise<number[]> {
  const seen: number[] = [];
  for (let i = 0; i < times; i++) seen.push((await ask()).status);
  return seen;
}

it('a limit set by control gives a feature another size: exactly so many pass', async () => {
  const emulator = await startWorld(options);
  emulator.controls.limits.set({ feature: 'agents', limit: 3 });
  expect(await statuses(5, () => createAgent(emulator))).toEqual([201, 201, 201, 429, 429]);
  const refused = await createAgent(emulator);
  expect(refused.headers.get('x-ratelimit-limit')).toBe('3');
  expect(refused.body.error.retryAfter).toBe(60);
  await emulator.controls.clock.advance('60s');
  expect(await statuses(4, () => createAgent(emulator))).toEqual([201, 201, 201, 429]);
});

it('a limit set by control gives a preset another size and length, and with it every feature that has it', async () => {
  const emulator = await startWorld(options);
  const { features } = emulator.controls.limits.set({ preset: 'STANDARD', limit: 2, window: '10s' });
  expect(features.filter(({ preset }) => preset === 'STANDARD')).toEqual(
    ['embeddings', 'images', 'knowledge', 'agents'].map((name) => ({
      name,
      preset: 'STANDARD',
      limit: 2,
      windowMs: 10_000,
      from: 'control',
    })),
  );
  expect(await statuses(3, () => createAgent(emulator))).toEqual([201, 201, 429]);
  await emulator.controls.clock.advance('10s');
  expect((await createAgent(emulator)).status).toBe(201);
});

it('a limit set by control gives an operation a window of its own, apart from that of its feature', async () => {
  const emulator = await startWorld(options);
  expect((await createAgent(emulator)).headers.get('x-ratelimit-remaining')).toBe('59');
  emulator.controls.limits.set({ operation: 'agents.create', limit: 2 });
  expect((await createAgent(emulator)).headers.get('x-ratelimit-remaining')).toBe('1');
  expect(await statuses(2, () => createAgent(emulator))).toEqual([201, 429]);
  const { windows } = emulator.controls.limits.list();
  expect(windows.map(({ bucket, used, limit }) => [bucket, used, limit])).toEqual([
    ['agents', 1, 60],
    ['agents.create', 2, 2],
    ['all', 3, 1000],
  ]);
});

it('a limit set by control gives a window to an operation that has none', async () => {
  const emulator = await startWorld();
  emulator.controls.limits.set({ operation: 'containers.list', limit: 1, window: '5s' });
  expect(await statuses(2, () => listContainers(emulator))).toEqual([200, 429]);
  expect((await call(emulator, 'GET', `${list}/quota`)).status).toBe(200);
  await emulator.controls.clock.advance('5s');
  expect((await listContainers(emulator)).status).toBe(200);
});

it('a limit set by control takes the number as it is and holds it, whatever the settings do to limits', async () => {
  const doubled = await startWorld({ rateLimits: { multiplier: 2 } });
  doubled.controls.limits.set({ operation: 'containers.list', limit: 3 });
  expect((await listContainers(doubled)).headers.get('x-ratelimit-limit')).toBe('3');
  const off = await startWorld({ rateLimits: { enabled: false, perKey: 1 } });
  off.controls.limits.set({ operation: 'containers.list', limit: 2 });
  expect(await statuses(3, () => listContainers(off))).toEqual([200, 200, 429]);
  expect(await statuses(3, () => call(off, 'GET', '/api/v1/api-keys'))).toEqual([200, 200, 200]);
});

it('a limit set by control overrides what the settings say of an operation', async () => {
  const emulator = await startWorld({
    rateLimits: { operations: { 'containers.list': 'CRITICAL', 'agents.create': 'none' } },
  });
  const { operations } = emulator.controls.limits.list();
  expect(operations).toEqual([{ name: 'containers.list', limit: 5, windowMs: 300_000, from: 'settings' }]);
  expect((await createAgent(emulator)).headers.get('x-ratelimit-limit')).toBe('1000');
  emulator.controls.limits.set({ operation: 'containers.list', limit: 7 });
  emulator.controls.limits.set({ operation: 'agents.create', limit: 4 });
  expect(emulator.controls.limits.list().operations).toEqual([
    { name: 'agents.create', limit: 4, windowMs: 60_000, from: 'control' },
    { name: 'containers.list', limit: 7, windowMs: 300_000, from: 'control' },
  ]);
});

it('a limit set by control shows in the usage report', async () => {
  const emulator = await startWorld(options);
  const { limits } = emulator.controls;
  limits.set({ feature: 'chat', limit: 7, window: '2m' });
  limits.set({ preset: 'STRICT', limit: 9 });
  limits.set({ operation: 'agents.create', limit: 5 });
  limits.set({ operation: 'containers.list', limit: 6 });
  await createAgent(emulator);
  await listContainers(emulator);
  const { usage } = (await call(emulator, 'GET', '/api/quotas/usage')).body;
  expect(usage).toMatchObject({
    chat: { used: 0, limit: 7, window_seconds: 120 },
    siweNonce: { used: 0, limit: 9, window_seconds: 60 },
    agents: { used: 1, limit: 5, window_seconds: 60 },
    'containers.list': { used: 1, limit: 6, window_seconds: 60 },
  });
});

it('a limit set by control is released: the settings hold again, and every caller begins anew', async () => {
  const emulator = await startWorld(options);
  const before = emulator.controls.limits.list();
  emulator.controls.limits.set({ feature: 'agents', limit: 1 });
  emulator.controls.limits.set({ operation: 'containers.list', limit: 1 });
  expect(await statuses(2, () => createAgent(emulator))).toEqual([201, 429]);
  expect(emulator.controls.limits.release()).toEqual(before);
  expect((await createAgent(emulator)).headers.get('x-ratelimit-remaining')).toBe('59');
});

it('the list of limits says where each number comes from', async () => {
  const emulator = await startWorld({ rateLimits: { presets: { BURST: { limit: 11 } } } });
  emulator.controls.limits.set({ preset: 'STRICT', limit: 3 });
  const { presets, features, keys } = emulator.controls.limits.list();
  expect(keys).toEqual({ limit: 1_000, windowMs: 60_000, from: 'default' });
  expect(presets).toContainEqual({ name: 'STANDARD', limit: 60, windowMs: 60_000, from: 'default' });
  expect(presets).toContainEqual({ name: 'BURST', limit: 11, windowMs: 1_000, from: 'settings' });
  expect(presets).toContainEqual({ name: 'STRICT', limit: 3, windowMs: 60_000, from: 'control' });
  expect(features).toContainEqual({
    name: 'siweNonce',
    preset: 'STRICT',
    limit: 3,
    windowMs: 60_000,
    from: 'control',
  });
});

it('a limit set by control survives a restart, and the count with it', async () => {
  const dataDir = tempDir();
  const first = await startEmulator({ dataDir });
  first.controls.limits.set({ operation: 'containers.list', limit: 3 });
  expect(await statuses(2, () => listContainers(first))).toEqual([200, 200]);
  await first.close();
  const second = await startEmulator({ dataDir });
  expect((await call(second, 'GET', '/api/quotas/usage')).body.usage['containers.list'].used).toBe(2);
  expect(await statuses(2, () => listContainers(second))).toEqual([200, 429]);
});

it('a limit set by control is part of snapshots, with what was used and exhausted, and gone after a reset', async () => {
  const emulator = await startWorld(options);
  const { limits, snapshots, clock } = emulator.controls;
  limits.set({ feature: 'agents', limit: 3 });
  limits.exhaust({ operation: 'containers.list', retryAfter: 40 });
  await createAgent(emulator);
  snapshots.take({ name: 'limited' });
  const then = limits.list();
  await createAgent(emulator);
  limits.release();
  await clock.advance('10s');
  await snapshots.restore('limited');
  expect(limits.list()).toEqual(then);
  expect((await createAgent(emulator)).headers.get('x-ratelimit-remaining')).toBe('1');
  expect((await listContainers(emulator)).headers.get('retry-after')).toBe('40');
  await emulator.controls.reset();
  expect(limits.list()).toMatchObject({ operations: [], windows: [] });
  expect((await createAgent(emulator)).headers.get('x-ratelimit-remaining')).toBe('59');
});

describe('over HTTP', () => {
  it('returns the same as in process', async () => {
    const emulator = await startWorld();
    await listContainers(emulator);
    const set = await call(emulator, 'POST', '/_emulator/limits', { feature: 'chat', limit: 5, window: '1s' });
    expect(set.status).toBe(200);
    expect(set.body).toEqual(emulator.controls.limits.list());
    expect((await call(emulator, 'GET', '/_emulator/limits')).body).toEqual(set.body);
    const released = await call(emulator, 'DELETE', '/_emulator/limits');
    expect(released.body).toEqual(emulator.controls.limits.list());
    expect(released.body.windows).toEqual([]);
  });

  it.each<[object, string, string, string | undefined]>([
    [{ limit: 5 }, 'preset', 'or `feature` or `operation` must be given, and only one of them', undefined],
    [{ preset: 'STRICT', feature: 'chat', limit: 5 }, 'feature', 'cannot be combined with `preset`', undefined],
    [{ preset: 'STRIKT', limit: 5 }, 'preset', 'must be one of STANDARD', 'STRICT'],
    [{ feature: 'chatt', limit: 5 }, 'feature', 'must be one of chat', 'chat'],
    [{ operation: 'containers.crate', limit: 5 }, 'operation', 'must be the id of an operation', 'containers.create'],
    [{ operation: '__proto__', limit: 5 }, 'operation', 'must be the id of an operation', undefined],
    [{ feature: 'chat' }, 'limit', 'is required', undefined],
    [{ feature: 'chat', limit: 0 }, 'limit', 'must be at least 1', undefined],
    [{ feature: 'chat', limit: 1.5 }, 'limit', 'must be a whole number', undefined],
    [{ feature: 'chat', limit: 1_000_000_001 }, 'limit', 'must be at most 1000000000', undefined],
    [{ feature: 'chat', limit: 5, window: 0 }, 'window', 'must be a duration', undefined],
    [{ feature: 'chat', limit: 5, window: '2d' }, 'window', 'must be a duration', undefined],
    [{ feature: 'chat', limit: 5, window: 'soon' }, 'window', 'must be a duration', undefined],
  ])('is refused: %j', async (body, path, message, suggestion) => {
    const emulator = await startWorld();
    const answer = await call(emulator, 'POST', '/_emulator/limits', body);
    expect(answer.status).toBe(400);
    const [problem] = answer.body.error.details;
    expect(problem).toMatchObject({ path, message: expect.stringContaining(message) });
    expect(problem.suggestion).toBe(suggestion);
    expect(emulator.controls.limits.list().presets.every(({ from }) => from === 'default')).toBe(true);
    expect(() => emulator.controls.limits.set(body as never)).toThrow(path);
  });
});
