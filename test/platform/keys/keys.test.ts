// API keys: made, shown without their value, changed, regenerated, revoked.

import { expect, it } from 'vitest';
import { tempDir } from '../../support/command.js';
import { call, startEmulator, startWorld } from '../../support/emulator.js';
import { callWith, keysPath, mint } from '../../support/keys.js';

it('a key keeps everything that was asked for', async () => {
  const emulator = await startWorld();
  const fields = {
    name: '  Ada’s key ',
    description: 'For the night',
    permissions: ['chat', 'agents:read'],
    rateLimit: 7,
    expires_at: '2026-02-01T01:00:00+01:00',
  };
  const { record } = await mint(emulator, fields);
  expect(record).toMatchObject({
    name: 'Ada’s key',
    description: 'For the night',
    permissions: ['chat', 'agents:read'],
    rate_limit: 7,
    rateLimit: 7,
    expires_at: '2026-02-01T00:00:00.000Z',
  });
});

it('the beginning of key values comes from the settings', async () => {
  const emulator = await startWorld({ keys: { prefix: 'eliza_', livePrefix: 'eliza_live_' } });
  expect((await mint(emulator)).value).toMatch(/^eliza_[0-9a-f]{64}$/);
  expect((await mint(emulator, { environment: 'live' })).value).toMatch(/^eliza_live_[0-9a-f]{64}$/);
});

it('every key has a value of its own, the same in the same order in every run', async () => {
  const [one, two] = [await startWorld(), await startWorld()];
  const values = [await mint(one), await mint(one), await mint(one, { environment: 'live' })].map((key) => key.value);
  expect(new Set([...values, one.apiKey]).size).toBe(4);
  expect([await mint(two), await mint(two), await mint(two, { environment: 'live' })].map((key) => key.value)).toEqual(
    values,
  );
});

it('the list of keys is newest first, never with their values', async () => {
  const emulator = await startWorld();
  const keys = [await mint(emulator, { name: 'A' }), await mint(emulator, { name: 'B' })];
  const { body, text } = await call(emulator, 'GET', keysPath);
  expect(body).toMatchObject({ success: true, total: 3 });
  expect(body.keys.map((key: any) => key.name)).toEqual(['B', 'A', 'Seeded test key']);
  for (const value of [emulator.apiKey, ...keys.map((key) => key.value)]) expect(text).not.toContain(value.slice(12));
  expect(text).not.toContain('hash');
});

it('a change of a key changes it and leaves what was not named', async () => {
  const emulator = await startWorld();
  const { id, value, record } = await mint(emulator, { description: 'Old', rateLimit: 5 });
  await emulator.controls.clock.advance('1m');
  const changes = { name: 'New', permissions: ['voice'], is_active: true };
  const { status, body } = await call(emulator, 'PATCH', `${keysPath}/${id}`, changes);
  expect(status).toBe(200);
  expect(body).toEqual({
    success: true,
    apiKey: { ...record, name: 'New', permissions: ['voice'], updated_at: '2026-01-01T00:01:00.000Z' },
  });
  expect(JSON.stringify(body)).not.toContain(value);
  expect((await call(emulator, 'GET', `${keysPath}/${id}`)).body.apiKey).toEqual(body.apiKey);
});

it.each([['rateLimit'], ['rate_limit']])('a change of a key changes the limit under the name %s', async (name) => {
  const emulator = await startWorld();
  const { id } = await mint(emulator);
  const { body } = await call(emulator, 'PATCH', `${keysPath}/${id}`, { [name]: 3 });
  expect(body.apiKey).toMatchObject({ rate_limit: 3, rateLimit: 3 });
});

it('a change of a key clears description and expiry with null, and restrictions with an empty list', async () => {
  const emulator = await startWorld();
  const { id } = await mint(emulator, {
    description: 'Text',
    permissions: ['chat'],
    expires_at: '2026-02-01T00:00:00Z',
  });
  const { body } = await call(emulator, 'PATCH', `${keysPath}/${id}`, {
    description: null,
    permissions: [],
    expires_at: null,
  });
  expect(body.apiKey).toMatchObject({ description: null, permissions: [], expires_at: null });
});

it('regenerating a key keeps its id and gives a new value, the old one dead at once', async () => {
  const emulator = await startWorld();
  const { id, value, record } = await mint(emulator, { permissions: ['apps'], rateLimit: 50 });
  const { status, body } = await call(emulator, 'POST', `${keysPath}/${id}/regenerate`);
  expect(status).toBe(200);
  expect(body.plainKey).toMatch(/^ek_test_[0-9a-f]{64}$/);
  expect(body.plainKey).not.toBe(value);
  expect(body.apiKey).toEqual({ ...record, key_prefix: body.plainKey.slice(0, 12) });
  expect((await callWith(emulator, value, 'GET', '/api/v1/containers')).status).toBe(401);
  expect((await callWith(emulator, body.plainKey, 'GET', '/api/v1/containers')).status).toBe(200);
});

it('regenerating a live key gives a live key', async () => {
  const emulator = await startWorld();
  const { id } = await mint(emulator, { environment: 'live' });
  const { body } = await call(emulator, 'POST', `${keysPath}/${id}/regenerate`);
  expect(body.plainKey).toMatch(/^ek_live_/);
  expect((await callWith(emulator, body.plainKey, 'GET', '/api/v1/containers')).status).toBe(200);
});

it('regenerating an expired key is refused, as its new value would be dead at once', async () => {
  const emulator = await startWorld();
  const { id } = await mint(emulator, { expires_at: '2026-01-01T01:00:00Z' });
  await emulator.controls.clock.advance('2h');
  const path = `${keysPath}/${id}`;
  const refused = await call(emulator, 'POST', `${path}/regenerate`);
  expect([refused.status, refused.body.error.message]).toEqual([409, expect.stringContaining('has expired')]);
  await call(emulator, 'PATCH', path, { expires_at: null });
  const { body } = await call(emulator, 'POST', `${path}/regenerate`);
  expect((await callWith(emulator, body.plainKey, 'GET', '/api/v1/containers')).status).toBe(200);
});

it('a key may regenerate itself', async () => {
  const emulator = await startWorld();
  const { id, value } = await mint(emulator);
  const { status, body } = await callWith(emulator, value, 'POST', `${keysPath}/${id}/regenerate`);
  expect(status).toBe(200);
  expect((await callWith(emulator, value, 'GET', keysPath)).status).toBe(401);
  expect((await callWith(emulator, body.plainKey, 'GET', keysPath)).status).toBe(200);
});

it('a revoked key is refused at once', async () => {
  const emulator = await startWorld();
  const { id, value } = await mint(emulator);
  const answer = await call(emulator, 'DELETE', `${keysPath}/${id}`);
  expect([answer.status, answer.body]).toEqual([200, { success: true, message: expect.any(String) }]);
  expect((await callWith(emulator, value, 'GET', '/api/v1/containers')).status).toBe(401);
  expect((await call(emulator, 'GET', `${keysPath}/${id}`)).status).toBe(404);
  expect((await call(emulator, 'DELETE', `${keysPath}/${id}`)).status).toBe(404);
  expect((await call(emulator, 'GET', keysPath)).body.total).toBe(1);
});

it('a key may revoke itself', async () => {
  const emulator = await startWorld();
  const { id, value } = await mint(emulator);
  expect((await callWith(emulator, value, 'DELETE', `${keysPath}/${id}`)).status).toBe(200);
  expect((await callWith(emulator, value, 'GET', keysPath)).status).toBe(401);
});

it.each([
  ['GET', ''],
  ['PATCH', ''],
  ['DELETE', ''],
  ['POST', '/regenerate'],
])('another organization’s keys are unknown (%s %s)', async (method, verb) => {
  const emulator = await startWorld();
  const { id, value } = await mint(emulator);
  const other = emulator.controls.organizations.create();
  const answer = await callWith(
    emulator,
    other.apiKey,
    method,
    `${keysPath}/${id}${verb}`,
    method === 'PATCH' ? { name: 'Mine' } : undefined,
  );
  expect([answer.status, answer.body.error.code]).toEqual([404, 'NOT_FOUND']);
  expect((await callWith(emulator, value, 'GET', `${keysPath}/${id}`)).body.apiKey.name).toBe('Worker');
});

it('keys outlive a restart', async () => {
  const dataDir = tempDir();
  const first = await startEmulator({ dataDir });
  const { id, value } = await mint(first, { rateLimit: 9 });
  await callWith(first, value, 'GET', '/api/v1/containers');
  await first.close();
  const second = await startEmulator({ dataDir });
  const { body } = await callWith(second, value, 'GET', `${keysPath}/${id}`);
  expect(body.apiKey).toMatchObject({ rate_limit: 9, usage_count: 2 });
  expect((await mint(second)).value).not.toBe(value);
  await second.close();
});
