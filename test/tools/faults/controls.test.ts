// Fault rules through the control operations: written, tried, listed with what they have done, removed.

import { expect, it } from 'vitest';
import { call, startWorld } from '../../support/emulator.js';

const path = '/_emulator/faults';

it('faults.add writes a rule and returns it in full', async () => {
  const world = await startWorld();
  const { status, body } = await call(world, 'POST', path, {
    match: { operation: 'containers.create', headers: { 'X-Team': 'blue' } },
    when: { times: 2, expiresIn: '10m' },
    phase: 'after',
    effect: { network: 'reset', delay: '1s' },
  });
  expect(status).toBe(201);
  expect(body).toEqual({
    id: 'fault_1',
    match: { operation: 'containers.create', headers: { 'x-team': 'blue' } },
    when: { times: 2, expiresIn: 600_000 },
    phase: 'after',
    effect: { network: 'reset', delay: 1_000 },
    state: 'armed',
    seen: 0,
    hits: 0,
    createdAt: '2026-01-01T00:00:00.000Z',
    expiresAt: '2026-01-01T00:10:00.000Z',
    wouldHaveMatched: { count: 0, of: 0, requests: [] },
    notes: [],
  });
});

it('faults.add chooses the phase that an effect needs, and the error that retryAfter means', async () => {
  const { faults } = (await startWorld()).controls;
  expect(faults.add({ effect: { status: 503 } }).phase).toBe('before');
  expect(faults.add({ effect: { network: 'hang' } }).phase).toBe('before');
  expect(faults.add({ effect: { network: 'truncate' } }).phase).toBe('after');
  expect(faults.add({ effect: { network: 'drip', status: 503 } }).phase).toBe('before');
  expect(faults.add({ effect: { retryAfter: 5 } }).effect).toEqual({ retryAfter: 5, error: 'RATE_LIMITED' });
});

it('the controls of faults list, show, remove one and remove all', async () => {
  const world = await startWorld();
  const { controls } = world;
  const get = async (sub = ''): Promise<any> => (await call(world, 'GET', path + sub)).body;
  for (const status of [500, 502, 503]) controls.faults.add({ match: { operation: 'usage.get' }, effect: { status } });
  await call(world, 'GET', '/api/quotas/usage');
  expect(await get()).toEqual({ faults: controls.faults.list(), total: 3 });
  expect(await get('/fault_2')).toEqual(controls.faults.get('fault_2'));
  expect((await get('/never-fired'))['never-fired']).toEqual(controls.faults.neverFired());
  expect(controls.faults.neverFired().map(({ id }) => id)).toEqual(['fault_2', 'fault_3']);
  expect((await call(world, 'DELETE', `${path}/fault_1`)).body).toMatchObject({ id: 'fault_1', hits: 1 });
  expect((await call(world, 'GET', '/api/quotas/usage')).status).toBe(502);
  const gone = await call(world, 'DELETE', `${path}/fault_1`);
  expect([gone.status, gone.body.error.message]).toEqual([
    404,
    expect.stringMatching(/^There is no fault rule "\w+"; did you mean fault_2\?$/),
  ]);
  expect((await call(world, 'GET', `${path}/nothing`)).status).toBe(404);
  expect((await call(world, 'DELETE', path)).body).toEqual({ removed: 2 });
  expect(await get()).toEqual({ faults: [], total: 0 });
  expect(controls.faults.add({ effect: { status: 500 } }).id).toBe('fault_4');
});

it('the list of faults has an expired rule that has not fired among those that never did', async () => {
  const { faults, clock } = (await startWorld()).controls;
  faults.add({ when: { expiresIn: '1m' }, effect: { status: 500 } });
  await clock.advance('2m');
  expect(faults.neverFired()).toMatchObject([{ id: 'fault_1', state: 'expired' }]);
});

it('faults.add says which of the last hundred requests the rule would have matched', async () => {
  const world = await startWorld();
  const ids: (string | null)[] = [];
  for (let i = 0; i < 3; i++) {
    ids.unshift((await call(world, 'GET', '/api/v1/containers')).headers.get('x-request-id'));
    await call(world, 'GET', '/api/v1/credits/balance');
  }
  await call(world, 'GET', '/api/v1/nowhere');
  const rule = { match: { operation: 'containers.*' }, when: { nth: 3 }, effect: { status: 503 } };
  const expected = { count: 3, of: 7, requests: ids };
  expect(world.controls.faults.check(rule).wouldHaveMatched).toEqual(expected);
  expect((await call(world, 'POST', path, rule)).body.wouldHaveMatched).toEqual(expected);
  const keyed = { match: { key: world.apiKey, method: 'GET' }, effect: { status: 503 } } as const;
  expect(world.controls.faults.check(keyed).wouldHaveMatched.count).toBe(6);
  const path2 = { match: { path: '/api/v1/credits/*' }, effect: { status: 503 } };
  expect(world.controls.faults.check(path2).wouldHaveMatched.count).toBe(3);
});

it('faults.add matches headers of past requests, too', async () => {
  const world = await startWorld();
  await call(world, 'GET', '/api/v1/containers', undefined, { 'X-Team': 'blue' });
  await call(world, 'GET', '/api/v1/containers', undefined, { 'X-Team': 'red' });
  const match = { headers: { 'x-team': '/^bl/' } };
  expect(world.controls.faults.check({ match, effect: { status: 503 } }).wouldHaveMatched.count).toBe(1);
});

it('faults.add with dryRun only tries a rule', async () => {
  const world = await startWorld();
  const answer = await call(world, 'POST', `${path}?dryRun=true`, { effect: { status: 503 } });
  expect([answer.status, answer.body.id, answer.body.phase]).toEqual([200, null, 'before']);
  expect(world.controls.faults.list()).toEqual([]);
  expect((await call(world, 'GET', '/api/v1/containers')).status).toBe(200);
  expect((await call(world, 'POST', `${path}?dryRun=maybe`, { effect: { status: 503 } })).status).toBe(400);
});

it('faults.add notes what the platform would not do by itself, and writes the rule', async () => {
  const { faults } = (await startWorld()).controls;
  const notes = (operation: string, error: 'CONFLICT' | 'RATE_LIMITED' | 'INTERNAL_ERROR' | 'UNAUTHORIZED'): string[] =>
    faults.add({ match: { operation }, effect: { error } }).notes;
  expect(notes('containers.list', 'CONFLICT')).toEqual([
    'The platform itself never returns CONFLICT for containers.list.',
  ]);
  expect(notes('containers.create', 'CONFLICT')).toEqual([]);
  expect(faults.add({ effect: { status: 418, body: { a: 1 } } }).notes).toEqual([]);
  expect(notes('*', 'RATE_LIMITED')).toEqual([]);
  expect(notes('*', 'INTERNAL_ERROR')).toEqual([]);
  expect(notes('containers.*', 'CONFLICT')[0]).toMatch(/CONFLICT for containers\.\w+, .* and \d+ more\.$/);
  expect(faults.check({ when: { probability: 0 }, effect: { status: 500 } }).notes).toEqual([
    'It never fires: its probability is 0.',
  ]);
});
