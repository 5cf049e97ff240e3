// Test keys from the control plane.

import { expect, it } from 'vitest';
import { call, startWorld } from '../../support/emulator.js';
import { callWith, keysPath } from '../../support/keys.js';

it('control mints a key of the seeded organization without any input', async () => {
  const world = await startWorld();
  const { status, body } = await call(world, 'POST', '/_emulator/keys');
  expect(status).toBe(200);
  expect(body).toEqual({
    id: expect.any(String),
    name: 'Test key',
    apiKey: expect.stringMatching(/^ek_test_[0-9a-f]{64}$/),
    organizationId: world.organizationId,
    userId: world.userId,
    usable: true,
    permissions: [],
    expiresAt: null,
  });
  expect((await callWith(world, body.apiKey, 'GET', keysPath)).body.total).toBe(2);
});

it('control mints a key with a name, permissions and a limit', async () => {
  const world = await startWorld();
  const { apiKey, id } = world.controls.keys.create({ name: 'Reader', permissions: ['apps:read'], rateLimit: 3 });
  const shown = (await call(world, 'GET', `${keysPath}/${id}`)).body.apiKey;
  expect(shown).toMatchObject({
    name: 'Reader',
    permissions: ['apps:read'],
    rate_limit: 3,
    key_prefix: apiKey.slice(0, 12),
  });
  expect((await callWith(world, apiKey, 'DELETE', '/api/v1/containers/none')).status).toBe(403);
});

it('control mints a key that lives for a duration of virtual time', async () => {
  const world = await startWorld();
  const { apiKey } = world.controls.keys.create({ expiresIn: '10m' });
  expect((await callWith(world, apiKey, 'GET', keysPath)).status).toBe(200);
  await world.controls.clock.advance('10m');
  expect((await callWith(world, apiKey, 'GET', keysPath)).status).toBe(401);
});

it('control mints a key of another organization, owned by its owner', async () => {
  const world = await startWorld();
  const other = world.controls.organizations.create();
  const key = world.controls.keys.create({ organizationId: other.id });
  expect(key).toMatchObject({ organizationId: other.id, userId: other.userId });
});

it('the list of test keys reports the values of keys that control minted, the seeded one first', async () => {
  const world = await startWorld();
  const minted = world.controls.keys.create({ name: 'Second' });
  const { body } = await call(world, 'GET', '/_emulator/keys');
  expect(body).toMatchObject({
    total: 2,
    keys: [{ name: 'Seeded test key', apiKey: world.apiKey, userId: world.userId, usable: true }, minted],
  });
});

it('the list of test keys reports no values of keys that clients made', async () => {
  const world = await startWorld();
  await call(world, 'POST', keysPath, { name: 'Private' });
  expect(world.controls.keys.list()).toHaveLength(1);
});

it('the list of test keys forgets the value of a key that was regenerated or revoked', async () => {
  const world = await startWorld();
  const [one, two] = [world.controls.keys.create(), world.controls.keys.create()];
  await call(world, 'POST', `${keysPath}/${one.id}/regenerate`);
  await call(world, 'DELETE', `${keysPath}/${two.id}`);
  expect(world.controls.keys.list()).toHaveLength(1);
});

it('the list of test keys says whether a key is let in now', async () => {
  const world = await startWorld();
  const { id } = world.controls.keys.create();
  world.controls.keys.create({ expiresIn: '1m' });
  await call(world, 'PATCH', `${keysPath}/${id}`, { is_active: false });
  const seeded = (await call(world, 'GET', keysPath)).body.keys.at(-1);
  await call(world, 'DELETE', `${keysPath}/${seeded.id}`);
  expect(world.controls.keys.list().map((key) => key.usable)).toEqual([false, false, true]);
  await world.controls.clock.advance('1m');
  expect(world.controls.keys.list().map((key) => key.usable)).toEqual([false, false, false]);
});

it.each([
  [{ organizationId: 'none' }, 404, 'There is no organization "none"'],
  [{ permissions: ['aps'] }, 400, 'permissions[0]'],
  [{ expiresIn: 'soon' }, 400, 'expiresIn must be a duration'],
  [{ expiresIn: '0s' }, 400, 'expiresIn must be a duration'],
  [{ rateLimit: 0 }, 400, 'rateLimit must be at least 1'],
  [{ name: '' }, 400, 'name must not be empty'],
])('minting a key refuses %j', async (body, status, message) => {
  const world = await startWorld();
  const answer = await call(world, 'POST', '/_emulator/keys', body);
  expect([answer.status, answer.body.error.message]).toEqual([status, expect.stringContaining(message)]);
  expect(() => world.controls.keys.create(body as never)).toThrow(message);
});

it('minting a key refuses a name in process that a request would only be warned about', async () => {
  const world = await startWorld();
  expect(() => world.controls.keys.create({ expires: '1m' } as never)).toThrow(/expires is unknown/);
});

it('control revokes a key, one of a client and the seeded one too', async () => {
  const world = await startWorld();
  const made = await call(world, 'POST', '/api/v1/api-keys', { name: 'of the client' });
  const { id } = world.controls.keys.create({ name: 'Second' });
  const [seeded] = world.controls.keys.list();
  expect(world.controls.keys.revoke(id)).toMatchObject({ id, name: 'Second', usable: false });
  expect(world.controls.keys.revoke(made.body.apiKey.id).name).toBe('of the client');
  world.controls.keys.revoke(seeded?.id ?? '');
  expect((await call(world, 'GET', '/api/v1/user')).status).toBe(401);
  expect(world.controls.keys.list().map(({ usable }) => usable)).toEqual([false, false]);
  expect(() => world.controls.keys.revoke('nothing')).toThrow('There is no key "nothing"');
});
