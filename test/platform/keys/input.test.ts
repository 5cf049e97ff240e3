// The fields of a key's request, and what a wrong one is told.

import { expect, it } from 'vitest';
import { call, startWorld } from '../../support/emulator.js';
import { callWith, keysPath, mint } from '../../support/keys.js';

it.each([
  ['no name', {}, 'name', 'is required'],
  ['an empty name', { name: '   ' }, 'name', 'must not be empty'],
  ['a long name', { name: 'n'.repeat(101) }, 'name', 'must have at most 100 characters'],
  ['a name that is no text', { name: 5 }, 'name', 'must be a string'],
  ['no request at all a minute', { name: 'a', rateLimit: 0 }, 'rateLimit', 'must be at least 1'],
  ['too many requests a minute', { name: 'a', rate_limit: 100_001 }, 'rate_limit', 'must be at most 100000'],
  ['part of a request', { name: 'a', rateLimit: 1.5 }, 'rateLimit', 'must be a whole number'],
  [
    'two different limits',
    { name: 'a', rateLimit: 5, rate_limit: 6 },
    'rate_limit',
    'must be the same as rateLimit: both name one limit',
  ],
  [
    'an expiry that is no time',
    { name: 'a', expires_at: 'tomorrow' },
    'expires_at',
    expect.stringContaining('ISO 8601'),
  ],
  [
    'an expiry in the past',
    { name: 'a', expires_at: '2025-12-31T23:59:59Z' },
    'expires_at',
    'must be in the future: it is 2026-01-01T00:00:00.000Z',
  ],
  [
    'an expiry now',
    { name: 'a', expires_at: '2026-01-01T00:00:00Z' },
    'expires_at',
    expect.stringContaining('must be in the future'),
  ],
  ['permissions that are no list', { name: 'a', permissions: 'chat' }, 'permissions', 'must be a list'],
  ['a third environment', { name: 'a', environment: 'prod' }, 'environment', 'must be one of test, live'],
])('a request for a key refuses %s', async (_, body, path, message) => {
  const world = await startWorld();
  const answer = await call(world, 'POST', keysPath, body);
  expect(answer.status).toBe(400);
  expect(answer.body.error).toMatchObject({ code: 'VALIDATION_ERROR', details: [{ path, message }] });
});

it('a request for a key names the nearest permission to one that is none', async () => {
  const world = await startWorld();
  const answer = await call(world, 'POST', keysPath, {
    name: 'a',
    permissions: ['chat', 'chat:wrte', 'containers'],
  });
  expect(answer.status).toBe(400);
  expect(answer.body.error.details).toMatchObject([
    { path: 'permissions[1]', received: '"chat:wrte"', suggestion: 'chat:write' },
    { path: 'permissions[2]', received: '"containers"' },
  ]);
});

const areas = ['chat', 'embeddings', 'images', 'video', 'voice', 'knowledge', 'agents', 'apps'];

it('a request for a key takes every area, bare and at each level', async () => {
  const world = await startWorld();
  const permissions = areas.flatMap((area) => [area, `${area}:read`, `${area}:write`]);
  expect((await mint(world, { permissions })).record.permissions).toEqual(permissions);
});

it('a request for a key keeps a permission that was named twice once', async () => {
  const world = await startWorld();
  expect((await mint(world, { permissions: ['chat', 'apps', 'chat'] })).record.permissions).toEqual(['chat', 'apps']);
});

it('a request for a key takes both names of the limit when they agree', async () => {
  const world = await startWorld();
  expect((await mint(world, { rateLimit: 5, rate_limit: 5 })).record).toMatchObject({ rateLimit: 5, rate_limit: 5 });
});

it('a request for a key counts names in code points', async () => {
  const world = await startWorld();
  expect((await mint(world, { name: '🔑'.repeat(100) })).record.name).toBe('🔑'.repeat(100));
});

it('a request for a key takes null for what may be left out', async () => {
  const world = await startWorld();
  expect((await mint(world, { description: null, expires_at: null })).record).toMatchObject({
    description: null,
    expires_at: null,
  });
});

it('a request for a key reports a field that it does not know, with the nearest one', async () => {
  const world = await startWorld();
  const answer = await call(world, 'POST', keysPath, { name: 'a', expiresAt: '2026-02-01T00:00:00Z' });
  expect(answer.status).toBe(201);
  expect(answer.headers.get('x-emulator-warning')).toContain('expires_at');
});

it('a change of a key that changes nothing is refused', async () => {
  const world = await startWorld();
  const { id } = await mint(world);
  const answer = await call(world, 'PATCH', `${keysPath}/${id}`, {});
  expect(answer.status).toBe(400);
  expect(answer.body.error.message).toContain('at least one of');
});

it('a change of a key refuses to move an expiry into the past', async () => {
  const world = await startWorld();
  const { id } = await mint(world);
  expect((await call(world, 'PATCH', `${keysPath}/${id}`, { expires_at: '2025-01-01T00:00:00Z' })).status).toBe(400);
});

it('a change of a key takes a whole record back, an expiry that has passed included', async () => {
  const world = await startWorld();
  const { id, record } = await mint(world, { expires_at: '2026-01-01T00:01:00Z' });
  await world.controls.clock.advance('5m');
  const { name, description, permissions, rate_limit, rateLimit, is_active, expires_at } = record;
  const body = { name, description, permissions, rate_limit, rateLimit, is_active, expires_at };
  expect((await call(world, 'PATCH', `${keysPath}/${id}`, { ...body, name: 'Renamed' })).body.apiKey).toMatchObject({
    name: 'Renamed',
    expires_at,
  });
});

it('a change of a key moves an expiry by less than a second', async () => {
  const world = await startWorld();
  const { id, value } = await mint(world, { expires_at: '2026-01-01T00:00:01.000Z' });
  const { body } = await call(world, 'PATCH', `${keysPath}/${id}`, { expires_at: '2026-01-01T00:00:00.200Z' });
  expect(body.apiKey.expires_at).toBe('2026-01-01T00:00:00.200Z');
  await world.controls.clock.advance(200);
  expect((await callWith(world, value, 'GET', '/api/v1/user')).status).toBe(401);
});
