// Calling with keys: which are let in, under which limit, and how their use is counted.

import { expect, it } from 'vitest';
import { call, startWorld } from '../../support/emulator.js';
import { callWith, keysPath, mint } from '../../support/keys.js';

const path = '/api/v1/containers';

it('the emulator lets a key in as a bearer and as X-API-Key', async () => {
  const world = await startWorld();
  const { value } = await mint(world);
  expect((await callWith(world, value, 'GET', path)).status).toBe(200);
  expect((await call(world, 'GET', path, undefined, { authorization: '', 'x-api-key': value })).status).toBe(200);
});

it.each([
  ['', 'no credentials were sent: use Authorization: Bearer <key> or X-API-Key'],
  ['Bearer ', 'the header Authorization holds no key: it must be Bearer <key>'],
  ['ek_test_1', 'the header Authorization holds no key: it must be Bearer <key>'],
  ['Basic ZWs6', 'the header Authorization holds no key: it must be Bearer <key>'],
])('the refusal says how a key is sent where Authorization is "%s"', async (authorization, reason) => {
  const refused = await call(await startWorld(), 'GET', path, undefined, { authorization });
  expect(refused.status).toBe(401);
  expect(refused.body.error.message).toBe(`Invalid or missing authentication: ${reason}`);
});

it('the emulator lets in the live keys that it made, and no others', async () => {
  const world = await startWorld();
  const { id, value } = await mint(world, { environment: 'live' });
  expect((await callWith(world, value, 'GET', path)).status).toBe(200);
  const foreign = await callWith(world, `ek_live_${'a'.repeat(64)}`, 'GET', path);
  expect([foreign.status, foreign.body.error.message]).toEqual([401, expect.stringContaining('live key')]);
  await call(world, 'DELETE', `${keysPath}/${id}`);
  expect((await callWith(world, value, 'GET', path)).body.error.message).toContain('live key');
});

it('the emulator treats foreign live keys as unknown ones when it is set to accept live keys', async () => {
  const world = await startWorld({ keys: { acceptLive: true } });
  const answer = await callWith(world, `ek_live_${'a'.repeat(64)}`, 'GET', path);
  expect([answer.status, answer.body.error.message]).toEqual([401, expect.stringContaining('unknown')]);
});

it('the emulator refuses an inactive key, and lets it in again', async () => {
  const world = await startWorld();
  const { id, value } = await mint(world);
  await call(world, 'PATCH', `${keysPath}/${id}`, { is_active: false });
  const refused = await callWith(world, value, 'GET', path);
  expect([refused.status, refused.body.error.message]).toEqual([401, expect.stringContaining('inactive')]);
  await call(world, 'PATCH', `${keysPath}/${id}`, { is_active: true });
  expect((await callWith(world, value, 'GET', path)).status).toBe(200);
});

it('the emulator refuses a key from the instant of its expiry on, in virtual time', async () => {
  const world = await startWorld();
  const { value } = await mint(world, { expires_at: '2026-01-01T00:10:00Z' });
  await world.controls.clock.advance({ to: '2026-01-01T00:09:59.999Z' });
  expect((await callWith(world, value, 'GET', path)).status).toBe(200);
  await world.controls.clock.advance(1);
  const refused = await callWith(world, value, 'GET', path);
  expect([refused.status, refused.body.error.message]).toEqual([401, expect.stringContaining('expired')]);
});

it('the emulator lets an expired key in again once its expiry is moved', async () => {
  const world = await startWorld();
  const { id, value } = await mint(world, { expires_at: '2026-01-01T00:10:00Z' });
  await world.controls.clock.advance('1h');
  await call(world, 'PATCH', `${keysPath}/${id}`, { expires_at: '2026-01-02T00:00:00Z' });
  expect((await callWith(world, value, 'GET', path)).status).toBe(200);
});

it('uses of a key are counted exactly, with the instant of the last one', async () => {
  const world = await startWorld();
  const { id, value } = await mint(world);
  for (let i = 0; i < 3; i++) await callWith(world, value, 'GET', path);
  await world.controls.clock.advance('90s');
  await callWith(world, value, 'GET', path);
  await world.controls.clock.advance('1h');
  expect((await call(world, 'GET', `${keysPath}/${id}`)).body.apiKey).toMatchObject({
    usage_count: 4,
    last_used_at: '2026-01-01T00:01:30.000Z',
  });
});

it('uses of a key include the request that asks, whichever operation it is', async () => {
  const world = await startWorld();
  const { id, value } = await mint(world);
  const uses: number[] = [];
  uses.push((await callWith(world, value, 'GET', keysPath)).body.keys[0].usage_count);
  uses.push((await callWith(world, value, 'GET', `${keysPath}/${id}`)).body.apiKey.usage_count);
  uses.push((await callWith(world, value, 'PATCH', `${keysPath}/${id}`, { name: 'b' })).body.apiKey.usage_count);
  uses.push((await callWith(world, value, 'POST', `${keysPath}/${id}/regenerate`)).body.apiKey.usage_count);
  expect(uses).toEqual([1, 2, 3, 4]);
});

it('uses of a key are not lost when a change is refused', async () => {
  const world = await startWorld();
  const { id, value } = await mint(world);
  const change = await callWith(world, value, 'PATCH', `${keysPath}/${id}`, { expires_at: '2020-01-01T00:00:00Z' });
  expect(change.status).toBe(400);
  expect((await call(world, 'GET', `${keysPath}/${id}`)).body.apiKey.usage_count).toBe(1);
});

it('uses of a key that was refused are not counted', async () => {
  const world = await startWorld();
  const { id, value } = await mint(world, { permissions: ['chat'] });
  expect((await callWith(world, value, 'GET', path)).status).toBe(403);
  expect((await call(world, 'GET', `${keysPath}/${id}`)).body.apiKey).toMatchObject({
    usage_count: 0,
    last_used_at: null,
  });
});

it('uses of a key are all counted when a hundred come at once', async () => {
  const world = await startWorld();
  const { id, value } = await mint(world);
  await Promise.all(Array.from({ length: 100 }, () => callWith(world, value, 'GET', path)));
  expect((await call(world, 'GET', `${keysPath}/${id}`)).body.apiKey.usage_count).toBe(100);
});
