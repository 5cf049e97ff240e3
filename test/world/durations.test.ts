// Durations that clients are told are wall time at the clock's present speed: waiting them suffices.

import { expect, it } from 'vitest';
import { call, startWorld } from '../support/emulator.js';
import { clone } from '../support/voice.js';

const list = '/api/v1/containers';
const agents = '/api/v1/app/agents';
const container = { name: 'web', project_name: 'web', ecr_image_uri: '127.0.0.1:4747/acme/web:v1' };

it.each([
  [60, 1],
  [7, 9],
  [0.5, 120],
])('a 429 at speed %d asks to wait %d s of a window of a minute', async (speed, seconds) => {
  const world = await startWorld({ rateLimits: { perKey: 1 } });
  world.controls.clock.resume({ speed });
  await call(world, 'GET', list);
  const refused = await call(world, 'GET', list);
  expect(refused.status).toBe(429);
  expect(refused.body.error.retryAfter).toBe(seconds);
  expect(refused.headers.get('retry-after')).toBe(String(seconds));
  expect(refused.headers.get('x-ratelimit-reset-after')).toBe(String(seconds));
  const reset = Date.parse(refused.headers.get('x-ratelimit-reset') ?? '') - Date.now();
  expect(reset).toBeLessThanOrEqual(seconds * 1_000);
  expect(reset).toBeGreaterThan((seconds - 5) * 1_000);
});

it.each([0, 1])('a 429 at speed %d asks to wait a whole window', async (speed) => {
  const world = await startWorld({ rateLimits: { perKey: 1 } });
  if (speed > 0) world.controls.clock.resume({ speed });
  await call(world, 'GET', list);
  const { body } = await call(world, 'GET', list);
  expect(body.error.retryAfter).toBeGreaterThan(55);
  expect(body.error.retryAfter).toBeLessThanOrEqual(60);
});

it('a 429 names, of several windows that are used up, the one that ends last', async () => {
  const world = await startWorld({ rateLimits: { perKey: 1, operations: { 'agents.create': 'CRITICAL' } } });
  const { controls } = world;
  controls.limits.exhaust({ operation: 'agents.create', retryAfter: 300 });
  controls.limits.exhaust({ retryAfter: 20 });
  const refused = await call(world, 'POST', agents, { name: 'a' });
  const reset = Date.parse(refused.headers.get('x-ratelimit-reset') ?? '') - Date.now();
  expect(refused.body.error.retryAfter).toBe(300);
  expect(Math.round(reset / 10_000)).toBe(30);
  expect(refused.headers.get('x-ratelimit-limit')).toBe('5');
});

it('a forced 429 has a Reset that agrees with its Retry-After', async () => {
  const world = await startWorld();
  world.controls.clock.resume({ speed: 2 });
  world.controls.faults.add({ match: { operation: 'containers.list' }, effect: { status: 429, retryAfter: 80 } });
  const { headers, body } = await call(world, 'GET', list);
  expect(body.error.retryAfter).toBe(40);
  expect(Math.round((Date.parse(headers.get('x-ratelimit-reset') ?? '') - Date.now()) / 10_000)).toBe(4);
});

it('a forced 429 that names no wait speaks of a minute of virtual time', async () => {
  const world = await startWorld();
  world.controls.faults.add({ effect: { status: 429 } });
  expect((await call(world, 'GET', list)).body.error.retryAfter).toBe(60);
  world.controls.clock.resume({ speed: 30 });
  expect((await call(world, 'GET', list)).body.error.retryAfter).toBe(2);
});

it('a window is exhausted for as long as Retry-After says', async () => {
  const world = await startWorld();
  world.controls.clock.resume({ speed: 1_000 });
  expect(world.controls.limits.exhaust({ retryAfter: 30 }).retryAfter).toBe(30);
  const { body } = await call(world, 'GET', list);
  expect(body.error.retryAfter).toBeGreaterThan(25);
});

it.each([
  [0, 1_000, 12_000],
  [1, 1_000, 12_000],
  [7, 143, 1_715],
  [0.5, 2_000, 24_000],
])('the advice at speed %d is to poll a deployment every %d ms', async (speed, intervalMs, expectedDurationMs) => {
  const world = await startWorld();
  if (speed > 0) world.controls.clock.resume({ speed });
  const { body } = await call(world, 'POST', list, container);
  expect(body.polling).toMatchObject({ intervalMs, expectedDurationMs });
});

it('the advice on a cloning job is in wall time too', async () => {
  const world = await startWorld();
  world.controls.clock.resume({ speed: 10 });
  const { body } = await clone(world);
  expect(body.polling).toMatchObject({ intervalMs: 50, expectedDurationMs: 500 });
});
