// Windows exhausted by control: a real 429 until the window ends, with any Retry-After.

import { describe, expect, it } from 'vitest';
import { tempDir } from '../../support/command.js';
import { call, type Platform, startEmulator, startWorld } from '../../support/emulator.js';

const list = '/api/v1/containers';
const agents = '/api/v1/app/agents';

const listContainers = (emulator: Platform, key = emulator.apiKey) =>
  call(emulator, 'GET', list, undefined, { authorization: `Bearer ${key}` });
const createAgent = (emulator: Platform) => call(emulator, 'POST', agents, { name: 'a' });

it('an exhausted window is a 429 like a real one', async () => {
  const [real, forced] = [await startWorld({ rateLimits: { perKey: 1 } }), await startWorld()];
  await listContainers(real);
  forced.controls.limits.exhaust({});
  const [a, b] = [await listContainers(real), await listContainers(forced)];
  expect([a.status, b.status]).toEqual([429, 429]);
  const own = ['x-ratelimit-limit', 'x-ratelimit-reset', 'date', 'x-request-id'];
  const shown = ({ headers }: typeof a) => [...headers].filter(([name]) => !own.includes(name));
  expect(shown(b)).toEqual(shown(a));
  expect({ ...b.body.error, requestId: 0 }).toEqual({ ...a.body.error, requestId: 0 });
  expect(b.headers.get('x-ratelimit-remaining')).toBe('0');
});

it('an exhausted window lasts until the window that the caller is in ends', async () => {
  const emulator = await startWorld();
  await listContainers(emulator);
  await emulator.controls.clock.advance('12500ms');
  expect(emulator.controls.limits.exhaust({})).toEqual({
    caller: expect.stringMatching(/^key:/),
    bucket: 'all',
    used: 1_000,
    limit: 1_000,
    exhausted: true,
    resetsAt: '2026-01-01T00:01:00.000Z',
    retryAfter: 48,
  });
  const refused = await listContainers(emulator);
  expect(refused.body.error).toMatchObject({ code: 'RATE_LIMITED', retryAfter: 48 });
  expect(refused.headers.get('x-ratelimit-reset-after')).toBe('48');
  await emulator.controls.clock.advance('47400ms');
  expect((await listContainers(emulator)).headers.get('retry-after')).toBe('1');
  await emulator.controls.clock.advance('100ms');
  expect((await listContainers(emulator)).headers.get('x-ratelimit-remaining')).toBe('999');
});

it.each([1, 2, 61, 86_400])(
  'an exhausted window has exactly the retryAfter that is asked for: %i s',
  async (retryAfter) => {
    const emulator = await startWorld();
    emulator.controls.limits.exhaust({ retryAfter });
    const refused = await listContainers(emulator);
    expect(refused.headers.get('retry-after')).toBe(String(retryAfter));
    expect(refused.body.error.retryAfter).toBe(retryAfter);
    await emulator.controls.clock.advance(retryAfter * 1_000 - 1);
    expect((await listContainers(emulator)).status).toBe(429);
    await emulator.controls.clock.advance(1);
    expect((await listContainers(emulator)).status).toBe(200);
  },
);

it('an exhausted window with retryAfter 0 refuses the next request, whenever it comes, and no other', async () => {
  const emulator = await startWorld();
  emulator.controls.limits.exhaust({ retryAfter: 0 });
  expect(emulator.controls.limits.list().windows).toMatchObject([{ exhausted: true }]);
  await emulator.controls.clock.advance('5m');
  const refused = await listContainers(emulator);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '0']);
  expect((await listContainers(emulator)).headers.get('x-ratelimit-remaining')).toBe('999');
});

it('an exhausted window concerns one key only: by id, test value or prefix; the seeded one when none is named', async () => {
  const emulator = await startWorld();
  const { limits } = emulator.controls;
  const [a, b, c] = [1, 2, 3].map(() => emulator.controls.keys.create({}));
  const all = [emulator.apiKey, a?.apiKey, b?.apiKey, c?.apiKey];
  const passing = async () => {
    const answers = await Promise.all(all.map((key) => listContainers(emulator, key)));
    return answers.map(({ status }) => status);
  };
  limits.exhaust({ key: a?.id });
  expect(await passing()).toEqual([200, 429, 200, 200]);
  limits.exhaust({ key: b?.apiKey });
  expect(await passing()).toEqual([200, 429, 429, 200]);
  limits.exhaust({ key: c?.apiKey.slice(0, 12) });
  expect(await passing()).toEqual([200, 429, 429, 429]);
  limits.exhaust();
  expect(await passing()).toEqual([429, 429, 429, 429]);
  limits.release();
  expect(await passing()).toEqual([200, 200, 200, 200]);
});

it('an exhausted window concerns a feature only, or the window in which an operation counts', async () => {
  const emulator = await startWorld();
  emulator.controls.limits.exhaust({ feature: 'agents' });
  expect((await createAgent(emulator)).status).toBe(429);
  expect((await listContainers(emulator)).status).toBe(200);
  emulator.controls.limits.release();
  expect(emulator.controls.limits.exhaust({ operation: 'agents.create' })).toMatchObject({ bucket: 'agents' });
  expect((await createAgent(emulator)).status).toBe(429);
});

it('exhausting an operation that counts nowhere gives it a window of its own', async () => {
  const emulator = await startWorld();
  const filled = emulator.controls.limits.exhaust({ operation: 'containers.list', retryAfter: 7 });
  expect(filled).toMatchObject({ bucket: 'containers.list', limit: 1_000, retryAfter: 7 });
  expect((await listContainers(emulator)).headers.get('retry-after')).toBe('7');
  expect((await call(emulator, 'GET', `${list}/quota`)).status).toBe(200);
  expect(emulator.controls.limits.list().operations).toMatchObject([{ name: 'containers.list', from: 'control' }]);
});

it('an exhausted window concerns callers without a key as they are listed', async () => {
  const emulator = await startWorld();
  await listContainers(emulator, '');
  const caller = emulator.controls.limits.list().windows[0]?.caller ?? '';
  expect(caller).toMatch(/^address:/);
  emulator.controls.limits.exhaust({ caller, retryAfter: 30 });
  expect((await listContainers(emulator, '')).headers.get('retry-after')).toBe('30');
  expect((await listContainers(emulator)).status).toBe(200);
});

it('an exhausted window holds even where the settings switch limits off, and when the limit is raised afterwards', async () => {
  const emulator = await startWorld({ rateLimits: { enabled: false } });
  emulator.controls.limits.exhaust({ feature: 'agents' });
  emulator.controls.limits.set({ feature: 'agents', limit: 5_000 });
  const refused = await createAgent(emulator);
  expect([refused.status, refused.headers.get('x-ratelimit-remaining')]).toEqual([429, '0']);
});

it('an exhausted window shows in the usage report and the list', async () => {
  const emulator = await startWorld();
  emulator.controls.limits.exhaust({ feature: 'chat' });
  const { usage } = (await call(emulator, 'GET', '/api/quotas/usage')).body;
  expect(usage.chat).toEqual({ used: 200, limit: 200, window_seconds: 60 });
  const { windows } = emulator.controls.limits.list();
  expect(windows).toMatchObject([
    { bucket: 'all', used: 1, exhausted: false },
    { bucket: 'chat', used: 200, limit: 200, exhausted: true, resetsAt: '2026-01-01T00:01:00.000Z' },
  ]);
  await emulator.controls.clock.advance('1m');
  expect(emulator.controls.limits.list().windows).toEqual([]);
});

it('an exhausted window outlives a restart', async () => {
  const dataDir = tempDir();
  const first = await startEmulator({ dataDir });
  first.controls.limits.exhaust({ retryAfter: 500 });
  await first.close();
  const second = await startEmulator({ dataDir });
  expect((await listContainers(second)).headers.get('retry-after')).toBe('500');
});

describe('over HTTP', () => {
  it('exhausting a window returns the same as in process', async () => {
    const emulator = await startWorld();
    const answer = await call(emulator, 'POST', '/_emulator/limits/exhaust', { feature: 'agents', retryAfter: 9 });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual(emulator.controls.limits.exhaust({ feature: 'agents', retryAfter: 9 }));
    expect((await call(emulator, 'POST', '/_emulator/limits/exhaust')).body.bucket).toBe('all');
    expect((await createAgent(emulator)).headers.get('retry-after')).toBe('60');
  });

  it.each<[object, number, string]>([
    [{ key: 'nothing' }, 404, 'There is no key "nothing"'],
    [{ key: `ek_test_${'0'.repeat(64)}` }, 404, 'There is no key of the value that was given'],
    [{ key: 5 }, 400, 'key must be a string'],
    [{ key: 'a', caller: 'address:::1' }, 400, 'caller cannot be combined with `key`'],
    [{ caller: 'me' }, 400, 'caller must be as the list of limits has it'],
    [{ caller: 'address:a b' }, 400, 'caller must be as the list of limits has it'],
    [{ caller: 'key:nothing' }, 404, 'There is no key "nothing"'],
    [{ feature: 'chat', operation: 'agents.create' }, 400, 'operation cannot be combined with `feature`'],
    [{ feature: 'chatt' }, 400, 'feature must be one of'],
    [{ operation: 'agents.crate' }, 400, 'operation must be the id of an operation'],
    [{ retryAfter: -1 }, 400, 'retryAfter must be at least 0'],
    [{ retryAfter: 86_401 }, 400, 'retryAfter must be at most 86400'],
    [{ retryAfter: 1.5 }, 400, 'retryAfter must be a whole number'],
  ])('exhausting a window refuses %j', async (body, status, message) => {
    const emulator = await startWorld();
    const answer = await call(emulator, 'POST', '/_emulator/limits/exhaust', body);
    expect([answer.status, answer.body.error.message]).toEqual([status, expect.stringContaining(message)]);
    expect(answer.text).not.toContain('00000000');
    expect((await listContainers(emulator)).status).toBe(200);
  });

  it('exhausting a window refuses a prefix of several keys, naming them', async () => {
    const emulator = await startWorld({ keys: { prefix: 'a_long_prefix_' } });
    emulator.controls.keys.create();
    const answer = await call(emulator, 'POST', '/_emulator/limits/exhaust', { key: 'a_long_prefi' });
    expect(answer.status).toBe(400);
    expect(answer.body.error.message).toContain('names 2 keys');
  });
});
