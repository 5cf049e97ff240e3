// Rate limits: exactly N pass, each answer says where the caller stands, and waiting as told suffices.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runsOf } from '../../support/campaign.js';
import { call, startEmulator, startWorld } from '../../support/emulator.js';

const list = '/api/v1/containers';
const create = '/api/v1/app/agents';

it('the rate limiter lets exactly N requests of a feature pass, and the next after the time that it names', async () => {
  const world = await startWorld({ quotas: { enabled: false } });
  for (let i = 0; i < 60; i++) {
    const answer = await call(world, 'POST', create, { name: `a${i}` });
    expect(answer.status).toBe(201);
    expect(answer.headers.get('x-ratelimit-limit')).toBe('60');
    expect(answer.headers.get('x-ratelimit-remaining')).toBe(String(59 - i));
  }
  await world.controls.clock.advance('12500ms');
  const refused = await call(world, 'POST', create, { name: 'one more' });
  expect(refused.status).toBe(429);
  expect(refused.body.error).toMatchObject({ code: 'RATE_LIMITED', retryAfter: 48 });
  expect(refused.headers.get('x-ratelimit-reset-after')).toBe('48');
  expect((await call(world, 'GET', list)).status).toBe(200);
  await world.controls.clock.advance(`${refused.body.error.retryAfter}s`);
  expect((await call(world, 'POST', create, { name: 'one more' })).status).toBe(201);
});

it('the rate limiter keeps the windows of two keys, and of callers without one, apart', async () => {
  const world = await startWorld({ rateLimits: { perKey: 2 } });
  const other = world.controls.keys.create({});
  for (let i = 0; i < 3; i++) await call(world, 'GET', list);
  expect((await call(world, 'GET', list)).status).toBe(429);
  expect((await call(world, 'GET', list, undefined, { authorization: `Bearer ${other.apiKey}` })).status).toBe(200);
  expect((await call(world, 'GET', list, undefined, { authorization: '' })).status).toBe(401);
});

it('the rate limiter bounds a key by its own limit', async () => {
  const world = await startWorld();
  const { apiKey } = world.controls.keys.create({ rateLimit: 3 });
  const get = () => call(world, 'GET', list, undefined, { authorization: `Bearer ${apiKey}` });
  expect([(await get()).status, (await get()).status, (await get()).status, (await get()).status]).toEqual([
    200, 200, 200, 429,
  ]);
});

it.each([
  ['free', 60],
  ['pro', 300],
] as const)('the rate limiter bounds a key of plan %s in mode `plans`', async (plan, size) => {
  const world = await startWorld({ rateLimits: { mode: 'plans' } });
  const { apiKey } = world.controls.organizations.create({ plan });
  const answer = await call(world, 'GET', list, undefined, { authorization: `Bearer ${apiKey}` });
  expect(answer.headers.get('x-ratelimit-limit')).toBe(String(size));
  expect(answer.headers.get('x-ratelimit-remaining')).toBe(String(size - 1));
});

it('the rate limiter scales every limit, and can be switched off', async () => {
  const doubled = await startWorld({ rateLimits: { multiplier: 2 } });
  expect((await call(doubled, 'POST', create, { name: 'a' })).headers.get('x-ratelimit-limit')).toBe('120');
  const off = await startWorld({ rateLimits: { enabled: false, perKey: 1 } });
  for (let i = 0; i < 5; i++) expect((await call(off, 'GET', list)).status).toBe(200);
});

it.each([
  [undefined, '2030-01-01T00:01:00.000Z'],
  ['7', '2030-01-01T00:00:07.000Z'],
])(
  'the rate limiter says in virtual time when a window ends where the settings say so, also of a forced 429 (%s)',
  async (wait, ends) => {
    const world = await startEmulator({ clock: { start: '2030-01-01T00:00:00Z', frozen: true, exposed: 'virtual' } });
    const forced = JSON.stringify({ effect: { error: 'RATE_LIMITED', retryAfter: Number(wait) } });
    const headers = wait === undefined ? undefined : { 'x-emulator-fault': forced };
    const answer = await call(world, 'GET', list, undefined, headers);
    expect(answer.headers.get('x-ratelimit-reset')).toBe(ends);
  },
);

it('the rate limiter reports the reset as an ISO time or as Unix seconds, in wall time', async () => {
  const iso = await startWorld();
  const reset = Date.parse((await call(iso, 'GET', list)).headers.get('x-ratelimit-reset') ?? '');
  expect(reset - Date.now()).toBeGreaterThan(30_000);
  expect(reset - Date.now()).toBeLessThanOrEqual(60_000);
  const unix = await startWorld({ rateLimits: { resetFormat: 'unix' } });
  expect((await call(unix, 'GET', list)).headers.get('x-ratelimit-reset')).toMatch(/^\d{10}$/);
});

it('the usage report holds every feature of the caller', async () => {
  const world = await startWorld();
  await call(world, 'POST', create, { name: 'a' });
  const { body } = await call(world, 'GET', '/api/quotas/usage');
  expect(body.period).toBe('current_minute');
  expect(body.usage).toMatchObject({
    all: { used: 2, limit: 1000, window_seconds: 60 },
    agents: { used: 1, limit: 60, window_seconds: 60 },
    chat: { used: 0, limit: 200, window_seconds: 60 },
    embeddings: { used: 0, limit: 60, window_seconds: 60 },
    video: { used: 0, limit: 5, window_seconds: 300 },
  });
});

it('the rate limiter agrees with a simple model over any sequence of requests and jumps', async () => {
  const steps = fc.array(
    fc.oneof(
      { weight: 4, arbitrary: fc.record({ ask: fc.constantFrom('list', 'create') }) },
      { weight: 1, arbitrary: fc.record({ jump: fc.integer({ min: 1, max: 40_000 }) }) },
    ),
    { maxLength: 60 },
  );
  await fc.assert(
    fc.asyncProperty(steps, async (sequence) => {
      const limits = { enabled: true, perKey: 12, presets: { STANDARD: { limit: 4, window: 30_000 } } };
      const world = await startWorld({ quotas: { enabled: false }, rateLimits: limits });
      const windows = {
        all: { size: 12, length: 60_000, at: -1, count: 0 },
        agents: { size: 4, length: 30_000, at: -1, count: 0 },
      };
      let now = 0;
      for (const step of sequence) {
        if ('jump' in step) {
          now += step.jump;
          await world.controls.clock.advance(step.jump);
          continue;
        }
        const mine = step.ask === 'create' ? [windows.all, windows.agents] : [windows.all];
        for (const window of mine)
          if (window.at < 0 || now >= window.at + window.length) Object.assign(window, { at: now, count: 0 });
        const passes = mine.every((window) => window.count < window.size);
        if (passes) for (const window of mine) window.count++;
        const answer =
          step.ask === 'create' ? await call(world, 'POST', create, { name: 'a' }) : await call(world, 'GET', list);
        expect(answer.status === 429).toBe(!passes);
        expect(Number(answer.headers.get('x-ratelimit-remaining'))).toBe(
          Math.min(...mine.map((window) => window.size - window.count)),
        );
      }
    }),
    { numRuns: runsOf(15) },
  );
});
