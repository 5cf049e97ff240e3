// Test keys from the control plane.

import { expect, it } from 'vitest';
import { call, startEmulator } from '../../support/emulator.js';
import { callWith, keysPath } from '../../support/keys.js';

it('mints a key of the seeded organization without being told anything', async () => {
  const emulator = await startEmulator();
  const { status, body } = await call(emulator, 'POST', '/_emulator/keys');
  expect(status).toBe(200);
  expect(body).toEqual({
    id: expect.any(String),
    name: 'Test key',
    apiKey: expect.stringMatching(/^ek_test_[0-9a-f]{64}$/),
    organizationId: emulator.organizationId,
    userId: emulator.userId,
    usable: true,
  });
  expect((await callWith(emulator, body.apiKey, 'GET', keysPath)).body.total).toBe(2);
});

it('mints a key with a name, permissions and a limit', async () => {
  const emulator = await startEmulator();
  const { apiKey, id } = emulator.controls.keys.create({ name: 'Reader', permissions: ['apps:read'], rateLimit: 3 });
  const shown = (await call(emulator, 'GET', `${keysPath}/${id}`)).body.apiKey;
  expect(shown).toMatchObject({
    name: 'Reader',
    permissions: ['apps:read'],
    rate_limit: 3,
    key_prefix: apiKey.slice(0, 12),
  });
  expect((await callWith(emulator, apiKey, 'DELETE', '/api/v1/containers/none')).status).toBe(403);
});

it('mints a key that lives for a duration of virtual time', async () => {
  const emulator = await startEmulator();
  const { apiKey } = emulator.controls.keys.create({ expiresIn: '10m' });
  expect((await callWith(emulator, apiKey, 'GET', keysPath)).status).toBe(200);
  await emulator.controls.clock.advance('10m');
  expect((await callWith(emulator, apiKey, 'GET', keysPath)).status).toBe(401);
});

it('mints a key of another organization, owned by its owner', async () => {
  const emulator = await startEmulator();
  const other = emulator.controls.organizations.create();
  const key = emulator.controls.keys.create({ organizationId: other.id });
  expect(key).toMatchObject({ organizationId: other.id, userId: other.userId });
});

it('tells the values of keys that it minted, the seeded one first', async () => {
  const emulator = await startEmulator();
  const minted = emulator.controls.keys.create({ name: 'Second' });
  const { body } = await call(emulator, 'GET', '/_emulator/keys');
  expect(body).toMatchObject({
    total: 2,
    keys: [{ name: 'Seeded test key', apiKey: emulator.apiKey, userId: emulator.userId, usable: true }, minted],
  });
});

it('tells no values of keys that clients made', async () => {
  const emulator = await startEmulator();
  await call(emulator, 'POST', keysPath, { name: 'Private' });
  expect(emulator.controls.keys.list()).toHaveLength(1);
});

it('forgets the value of a key that was regenerated or revoked', async () => {
  const emulator = await startEmulator();
  const [one, two] = [emulator.controls.keys.create(), emulator.controls.keys.create()];
  await call(emulator, 'POST', `${keysPath}/${one.id}/regenerate`);
  await call(emulator, 'DELETE', `${keysPath}/${two.id}`);
  expect(emulator.controls.keys.list()).toHaveLength(1);
});

it('says whether a key is let in now', async () => {
  const emulator = await startEmulator();
  const { id } = emulator.controls.keys.create();
  emulator.controls.keys.create({ expiresIn: '1m' });
  await call(emulator, 'PATCH', `${keysPath}/${id}`, { is_active: false });
  const seeded = (await call(emulator, 'GET', keysPath)).body.keys.at(-1);
  await call(emulator, 'DELETE', `${keysPath}/${seeded.id}`);
  expect(emulator.controls.keys.list().map((key) => key.usable)).toEqual([false, false, true]);
  await emulator.controls.clock.advance('1m');
  expect(emulator.controls.keys.list().map((key) => key.usable)).toEqual([false, false, false]);
});

it.each([
  [{ organizationId: 'none' }, 404, 'Organization not found'],
  [{ permissions: ['aps'] }, 400, 'permissions[0]'],
  [{ expiresIn: 'soon' }, 400, 'expiresIn must be a duration'],
  [{ expiresIn: '0s' }, 400, 'expiresIn must be a duration'],
  [{ rateLimit: 0 }, 400, 'rateLimit must be at least 1'],
  [{ name: '' }, 400, 'name must not be empty'],
])('refuses %j', async (body, status, message) => {
  const emulator = await startEmulator();
  const answer = await call(emulator, 'POST', '/_emulator/keys', body);
  expect([answer.status, answer.body.error.message]).toEqual([status, expect.stringContaining(message)]);
  expect(() => emulator.controls.keys.create(body as never)).toThrow(message);
});

it('refuses a name in process that the door would only warn about', async () => {
  const emulator = await startEmulator();
  expect(() => emulator.controls.keys.create({ expires: '1m' } as never)).toThrow(/expires is unknown/);
});
