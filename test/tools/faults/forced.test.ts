// Forced answers: in the platform's own shape, with what real ones carry, and with a mark.

import { describe, expect, it } from 'vitest';
import { Random } from '../../../src/core/random.js';
import type { EmulatorWorld } from '../../../src/index.js';
import { itFull, sampleOf } from '../../support/campaign.js';
import { call, deploy, startWorld } from '../../support/emulator.js';
import { eventually } from '../../support/eventually.js';
import { create } from '../../support/faults.js';

const list = '/api/v1/containers';

it('the wait that a rule names is one of virtual time, like that of a limit', async () => {
  const world = await startWorld();
  world.controls.clock.resume({ speed: 20 });
  world.controls.faults.add({ effect: { status: 429, retryAfter: 30 } });
  const { headers } = await call(world, 'GET', '/api/v1/containers');
  expect(headers.get('retry-after')).toBe('2');
});

it('a forced error comes in the platform’s envelope, marked, with the limiter’s headers', async () => {
  const world = await startWorld();
  world.controls.faults.add({ effect: { error: 'SERVICE_UNAVAILABLE', retryAfter: 7 } });
  const answer = await call(world, 'GET', list);
  expect(answer.status).toBe(503);
  expect(answer.body).toEqual({
    success: false,
    error: {
      code: 'SERVICE_UNAVAILABLE',
      message: 'Service temporarily unavailable',
      requestId: answer.headers.get('x-request-id'),
      retryAfter: 7,
    },
  });
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'x-emulator-fault': 'fault_1',
    'retry-after': '7',
    'x-ratelimit-reset-after': '7',
    'x-ratelimit-limit': '1000',
    'x-ratelimit-remaining': '999',
    'content-type': 'application/json; charset=utf-8',
  });
});

it('a forced error speaks the profile’s own dialect', async () => {
  const world = await startWorld({ profile: 'elizacloud-v1' });
  world.controls.faults.add({ effect: { status: 429, retryAfter: 3 } });
  expect((await call(world, 'GET', list)).body).toMatchObject({
    success: false,
    error: 'Too many requests: wait 3 s',
    code: 'rate_limit_exceeded',
    retryAfter: 3,
  });
});

it('a forced 429 comes as if the window were used up', async () => {
  const world = await startWorld({ rateLimits: { resetFormat: 'unix' } });
  world.controls.faults.add({ effect: { retryAfter: 90 }, when: { times: 1 } });
  const answer = await call(world, 'GET', list);
  expect([answer.status, answer.body.error.code, answer.body.error.retryAfter]).toEqual([429, 'RATE_LIMITED', 90]);
  expect(answer.headers.get('retry-after')).toBe('90');
  expect(answer.headers.get('x-ratelimit-remaining')).toBe('0');
  const wait = Number(answer.headers.get('x-ratelimit-reset')) - Date.now() / 1_000;
  expect(wait).toBeGreaterThan(85);
  expect(wait).toBeLessThan(95);
  // The window itself is untouched.
  expect((await call(world, 'GET', list)).headers.get('x-ratelimit-remaining')).toBe('998');
});

it('a forced 402 comes with the true price and a way to pay', async () => {
  const world = await startWorld();
  world.controls.faults.add({ match: { operation: 'containers.create' }, effect: { status: 402 } });
  const { status, body } = await call(world, 'POST', list, create.body);
  expect(status).toBe(402);
  expect(body).toMatchObject({
    error: {
      code: 'INSUFFICIENT_CREDITS',
      message: 'Insufficient credits: this costs 0.5, the balance is 1000, and a fault rule refuses it',
      details: { required: 0.5, balance: 1_000 },
    },
    requiredCredits: 0.5,
    creditsRemaining: 1_000,
    x402Version: 1,
    accepts: [{ scheme: 'exact', maxAmountRequired: '500000' }],
  });
  expect((await call(world, 'GET', '/api/v1/credits/balance')).body.balance).toBe(1_000);
});

it.each(
  sampleOf<[operation: string, path: string, body: object, price: number]>(
    [
      ['containers.create', list, { ...create.body, desired_count: 10 }, 0.95],
      ['containers.create', list, { name: 'cannot be read' }, 0.5],
      ['voice.tts', '/api/v1/voice/tts', { text: 'x'.repeat(2_500), voiceId: 'EXAVITQu4vr4xnSDxMaL' }, 3],
      ['images.generate', '/api/v1/generate-image', { prompt: 'A lighthouse', n: 3 }, 0.12],
      ['videos.generate', '/api/v1/generate-video', { prompt: 'A lighthouse' }, 0.5],
      ['topup.create', '/api/v1/topup/50', {}, 50],
    ],
    6,
  ),
)('a forced 402 of %s quotes what the request costs, before and after it', async (operation, path, body, price) => {
  const world = await startWorld();
  for (const phase of ['before', 'after'] as const) {
    world.controls.faults.add({ match: { operation }, phase, effect: { error: 'INSUFFICIENT_CREDITS' } });
    const answer = await call(world, 'POST', path, body);
    world.controls.faults.clear();
    if (answer.status === 400 || answer.body.error.code === 'PAYMENT_REQUIRED') continue;
    const { balance } = (await call(world, 'GET', '/api/v1/credits/balance')).body;
    expect([phase, answer.status, answer.body.requiredCredits]).toEqual([phase, 402, price]);
    expect(answer.body.creditsRemaining).toBe(balance);
  }
});

it.each(
  sampleOf(
    [
      ['QUOTA_EXCEEDED', { details: { current: 100, max: 100 } }],
      ['VALIDATION_ERROR', { details: [{ path: 'name' }] }],
      ['METHOD_NOT_ALLOWED', { details: { allow: ['GET', 'HEAD'] } }],
      ['ROUTE_NOT_FOUND', { details: { nearest: expect.arrayContaining([`POST ${list}`]) } }],
      ['CONFLICT', { message: 'Conflict' }],
    ] as const,
    3,
  ),
)('a forced error gives %s the details that real ones have', async (error, expected) => {
  const world = await startWorld();
  world.controls.faults.add({ effect: { error } });
  const answer = await call(world, 'POST', list, create.body);
  expect(answer.body.error).toMatchObject({ code: error, ...expected });
  if (error === 'METHOD_NOT_ALLOWED') expect(answer.headers.get('allow')).toBe('GET, HEAD');
});

it.each(
  sampleOf(
    [
      [418, 'VALIDATION_ERROR'],
      [410, 'GONE'],
      [502, 'SERVICE_UNAVAILABLE'],
      [504, 'SERVICE_UNAVAILABLE'],
      [520, 'INTERNAL_ERROR'],
      [404, 'NOT_FOUND'],
      [400, 'VALIDATION_ERROR'],
    ],
    4,
  ),
)('a forced error gives status %i the envelope of a code that suits it', async (status, code) => {
  const world = await startWorld();
  world.controls.faults.add({ effect: { status } });
  const answer = await call(world, 'GET', list);
  expect([answer.status, answer.body.error.code]).toEqual([status, code]);
});

describe('bodies', () => {
  it.each(
    sampleOf(
      [
        [
          'an object as JSON',
          { status: 500, body: { oops: ['é', null] } },
          500,
          '{"oops":["é",null]}',
          'application/json',
        ],
        [
          'a string as text',
          { status: 502, body: '<html>Bad gateway</html>' },
          502,
          '<html>Bad gateway</html>',
          'text/plain',
        ],
        ['with status 200 where none is given', { body: [] }, 200, '[]', 'application/json'],
        ['with the status of an error', { error: 'NOT_FOUND', body: 'gone' }, 404, 'gone', 'text/plain'],
        ['null', { status: 201, body: null }, 201, 'null', 'application/json'],
        ['none where a status has none', { status: 204 }, 204, '', null],
      ] as const,
      3,
    ),
  )('%s', async (_, effect, status, text, type) => {
    const world = await startWorld();
    world.controls.faults.add({ effect });
    const answer = await call(world, 'GET', list);
    expect([answer.status, answer.text]).toEqual([status, text]);
    expect(answer.headers.get('content-type')?.split(';')[0] ?? null).toBe(type);
    expect(answer.headers.get('x-emulator-fault')).toBe('fault_1');
    expect(answer.headers.get('x-ratelimit-limit')).toBe('1000');
  });
});

it('a forced response comes before authentication: nobody needs to be known', async () => {
  const world = await startWorld();
  world.controls.faults.add({ effect: { status: 503 } });
  expect((await call(world, 'GET', list, undefined, { authorization: '' })).status).toBe(503);
});

it('a forced response in phase after replaces the real one, and the effect stands', async () => {
  const world = await startWorld();
  world.controls.faults.add({
    match: { operation: 'containers.create' },
    phase: 'after',
    effect: { status: 504, delay: 200 },
  });
  const began = performance.now();
  const answer = await call(world, 'POST', list, create.body);
  expect(performance.now() - began).toBeGreaterThan(190);
  expect([answer.status, answer.body.error.code]).toEqual([504, 'SERVICE_UNAVAILABLE']);
  expect((await call(world, 'GET', list)).body.data).toMatchObject([{ project_name: 'web' }]);
  expect(world.controls.ledger().map(({ amount }) => amount)).toEqual([1_000, -0.5]);
});

it('a forced response in phase after lets an error of the platform’s own pass, and waits for a success', async () => {
  const world = await startWorld();
  world.controls.faults.add({
    match: { operation: 'containers.create' },
    when: { nth: 2 },
    phase: 'after',
    effect: { error: 'INTERNAL_ERROR' },
  });
  const send = (body: unknown) => call(world, 'POST', list, body);
  const refused = await send({});
  expect([refused.status, refused.headers.get('x-emulator-fault')]).toEqual([400, null]);
  expect((await send({ ...create.body, name: 'a', project_name: 'a' })).status).toBe(202);
  expect((await send({})).status).toBe(400);
  expect(world.controls.faults.list()).toMatchObject([{ seen: 1, hits: 0, state: 'armed' }]);
  expect((await send({ ...create.body, name: 'b', project_name: 'b' })).status).toBe(500);
  expect((await send({ ...create.body, name: 'c', project_name: 'c' })).status).toBe(202);
  expect(world.controls.faults.list()).toMatchObject([{ seen: 3, hits: 1, state: 'spent' }]);
});

it('forced responses are damaged too', async () => {
  const world = await startWorld();
  world.controls.faults.add({ effect: { status: 503, network: 'malformed' } });
  const answer = await call(world, 'GET', list);
  expect(answer.status).toBe(503);
  expect(answer.text).toMatch(/^\{"success":false/);
  expect(typeof answer.body).toBe('string');
});

describe('delay', () => {
  const timed = async (act: () => Promise<unknown>): Promise<number> => {
    const began = performance.now();
    await act();
    return performance.now() - began;
  };

  it.each(['before', 'after'] as const)('alone gives the true response later, phase %s', async (phase) => {
    const world = await startWorld();
    await deploy(world);
    world.controls.faults.add({ match: { operation: 'containers.list' }, phase, effect: { delay: '300ms' } });
    expect(
      await timed(async () => {
        const answer = await call(world, 'GET', list);
        expect([answer.status, answer.body.data.length]).toEqual([200, 1]);
        expect(answer.headers.get('x-emulator-fault')).toBe('fault_1');
      }),
    ).toBeGreaterThan(290);
  });

  it('does not hold up others', async () => {
    const world = await startWorld();
    world.controls.faults.add({ match: { operation: 'containers.list' }, effect: { delay: '1s' } });
    const order: string[] = [];
    const slow = call(world, 'GET', list).then(() => order.push('slow'));
    await call(world, 'GET', '/api/v1/credits/balance').then(() => order.push('quick'));
    await slow;
    expect(order).toEqual(['quick', 'slow']);
  });

  itFull('draws from a range, the same for the same seed', async () => {
    const world = await startWorld({ seed: 'range' });
    world.controls.faults.add({ effect: { status: 503, delay: { min: 100, max: '500ms' } } });
    const fractions = [1, 2, 3, 4, 5, 6].map((hit) => new Random('range').fraction('fault-delay', 'fault_1', hit));
    const expected = fractions.map((fraction) => 100 + 400 * fraction);
    expect(Math.max(...expected) - Math.min(...expected)).toBeGreaterThan(150);
    for (const ms of expected) {
      const elapsed = await timed(() => call(world, 'GET', list));
      expect(elapsed).toBeGreaterThan(ms - 3);
      expect(elapsed).toBeLessThan(ms + 2_000);
    }
  });

  /** Asks for a container, with a client that can leave; it must not have been answered by then. */
  function asking(world: EmulatorWorld): { asked: Promise<void>; leave: () => void } {
    const abort = new AbortController();
    const headers = { authorization: `Bearer ${world.apiKey}` };
    const init = { method: 'POST', body: JSON.stringify(create.body), headers, signal: abort.signal };
    const asked = expect(world.fetch(list, init)).rejects.toThrow('aborted');
    return { asked, leave: () => abort.abort() };
  }

  function aborted({ controls }: EmulatorWorld): { outcome: string; happened: boolean }[] {
    const all = controls.requests.list().requests.filter(({ outcome }) => outcome === 'aborted');
    return all.map(({ outcome, happened = false }) => ({ outcome, happened }));
  }

  itFull('in phase before lets nothing happen when the client does not wait', async () => {
    const world = await startWorld();
    world.controls.faults.add({ match: { operation: 'containers.create' }, effect: { delay: '1s' } });
    const { asked, leave } = asking(world);
    await eventually(() => world.controls.faults.get('fault_1').hits === 1);
    // Long enough for the handler, if it did not wait; far less than the delay.
    await new Promise((resolve) => setTimeout(resolve, 100));
    leave();
    await asked;
    await eventually(() => world.controls.requests.list().requests.some(({ outcome }) => outcome === 'aborted'));
    // Past the delay: nothing comes afterwards either.
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    expect(world.controls.containers.list()).toEqual([]);
    expect(aborted(world)).toEqual([{ outcome: 'aborted', happened: false }]);
  });

  it('in phase after has let it happen when the client does not wait', async () => {
    const world = await startWorld();
    world.controls.faults.add({
      match: { operation: 'containers.create' },
      phase: 'after',
      effect: { delay: '10m' },
    });
    const { asked, leave } = asking(world);
    await eventually(() => world.controls.containers.list().length === 1);
    leave();
    await asked;
    expect(world.controls.containers.list()).toHaveLength(1);
    await eventually(() => aborted(world).length === 1);
    expect(aborted(world)).toEqual([{ outcome: 'aborted', happened: true }]);
  });
});
