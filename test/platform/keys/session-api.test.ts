// API keys of today's server: managed with a session alone, without permissions; and a key that revokes itself.

import { describe, expect, it } from 'vitest';
import { type Answer, call, type Platform, startWorld } from '../../support/emulator.js';
import { callAs, nobody, user } from '../../support/sessions.js';

const path = '/api/v1/api-keys';
const newer = { profile: 'elizacloud' };

async function signedIn() {
  const world = await startWorld(newer);
  const { token } = world.controls.sessions.create();
  const ask = (method: string, at = '', body?: unknown): Promise<Answer> =>
    callAs(world, token, method, `${path}${at}`, body);
  return { world, ask };
}

const self = (world: Platform, key: string, headers: object = { authorization: `Bearer ${key}` }): Promise<Answer> =>
  call(world, 'DELETE', `${path}/current`, undefined, { authorization: '', ...headers });

describe('with a session', () => {
  it('keys are created, listed, changed, given a new value and revoked', async () => {
    const { world, ask } = await signedIn();
    const expires_at = '2027-01-01T00:00:00.000Z';
    const sent = { name: '  Worker ', description: null, rate_limit: '100', expires_at };
    const { status, body } = await ask('POST', '', { ...sent, permissions: ['chat:read'] });
    const shown = {
      name: 'Worker',
      description: null,
      key_prefix: body.plainKey.slice(0, 12),
      rate_limit: 100,
      expires_at,
    };
    expect([status, body]).toEqual([
      201,
      {
        apiKey: { id: expect.any(String), ...shown, created_at: '2026-01-01T00:00:00.000Z' },
        plainKey: expect.stringMatching(/^eliza_[0-9a-f]{64}$/),
      },
    ]);
    const { id } = body.apiKey;
    expect((await callAs(world, body.plainKey, 'GET', user)).status).toBe(200);
    const { keys, ...rest } = (await ask('GET')).body;
    expect([rest, keys.length]).toEqual([{}, 2]);
    expect(keys[0]).toEqual({ ...body.apiKey, is_active: true, usage_count: 1, last_used_at: expect.any(String) });
    const changed = await ask('PATCH', `/${id}`, { name: 'Night', rate_limit: 7 });
    expect(changed.body).toEqual({ apiKey: { ...keys[0], name: 'Night', rate_limit: 7 } });
    const renewed = await ask('POST', `/${id}/regenerate`);
    expect(Object.keys(renewed.body.apiKey)).toEqual(Object.keys(body.apiKey));
    expect((await callAs(world, body.plainKey, 'GET', user)).status).toBe(401);
    expect((await callAs(world, renewed.body.plainKey, 'GET', user)).status).toBe(200);
    expect((await ask('DELETE', `/${id}`)).body.success).toBe(true);
    expect((await ask('DELETE', `/${id}`)).status).toBe(404);
    expect((await callAs(world, renewed.body.plainKey, 'GET', user)).status).toBe(401);
    expect((await ask('POST', '', { name: 'Plain' })).body.apiKey).toMatchObject({
      rate_limit: 1_000,
      expires_at: null,
    });
  });

  it.each<[string, object]>([
    ['name', {}],
    ['name', { name: '  ' }],
    ['name', { name: 'x'.repeat(101) }],
    ['name', { name: 'agent-sandbox:mine' }],
    ['name', { name: '  agent-sandbox:mine' }],
    ['rate_limit', { name: 'x', rate_limit: 0 }],
    ['rate_limit', { name: 'x', rate_limit: 100_001 }],
    ['rate_limit', { name: 'x', rate_limit: '100001' }],
    ['rate_limit', { name: 'x', rate_limit: '1e3' }],
    ['rate_limit', { name: 'x', rate_limit: '' }],
    ['rate_limit', { name: 'x', rate_limit: 1.5 }],
    ['description', { name: 'x', description: 5 }],
    ['expires_at', { name: 'x', expires_at: 'soon' }],
    ['expires_at', { name: 'x', expires_at: '2020-01-01T00:00:00Z' }],
  ])('a key with another %s is refused: %j', async (field, body) => {
    const { world, ask } = await signedIn();
    const { status, body: refused } = await ask('POST', '', body);
    expect([status, refused.details[0].path]).toEqual([400, field]);
    expect(world.controls.keys.list()).toHaveLength(1);
  });

  it('a change must have a field', async () => {
    const { world, ask } = await signedIn();
    const { id } = world.controls.keys.create({ name: 'Mine' });
    for (const body of [{}, { permissions: [] }]) {
      const { status, body: refused } = await ask('PATCH', `/${id}`, body);
      expect([status, refused.error]).toEqual([400, 'At least one field is required']);
    }
    expect((await ask('PATCH', `/${id}`, { name: 'agent-sandbox:x' })).status).toBe(400);
    expect((await ask('PATCH', `/${id}`, { rate_limit: '12', is_active: false })).body.apiKey).toMatchObject({
      rate_limit: 12,
      is_active: false,
    });
    expect((await ask('GET', `/${id}`)).status).toBe(404);
  });
});

it.each<[string, string, object?]>([
  ['GET', ''],
  ['POST', '', { name: 'x' }],
  ['PATCH', '/{id}', { name: 'x' }],
  ['DELETE', '/{id}'],
  ['POST', '/{id}/regenerate'],
])('%s %s needs a session', async (method, at, body) => {
  const world = await startWorld(newer);
  const { id } = world.controls.keys.create({ name: 'Mine' });
  const ask = (headers?: object) => call(world, method, path + at.replace('{id}', id), body, headers as never);
  const byKey = await ask();
  expect([byKey.status, byKey.body.code]).toEqual([403, 'session_auth_required']);
  const anonymous = await ask(nobody);
  expect([anonymous.status, anonymous.body.code]).toEqual([401, 'authentication_required']);
  // The keys of another organization.
  const { id: organizationId } = world.controls.organizations.create({});
  const { token } = world.controls.sessions.create({ organizationId });
  if (at !== '') expect((await callAs(world, token, method, path + at.replace('{id}', id), body)).status).toBe(404);
});

it.each([{}, { profile: 'elizacloud-v1' }, newer])(
  'a key revokes itself, as often as it likes: %j',
  async (settings) => {
    const world = await startWorld(settings);
    const { apiKey, id } = world.controls.keys.create({ name: 'Mine' });
    const inHeader = { 'x-api-key': apiKey };
    for (const headers of [undefined, undefined, inHeader])
      expect(await self(world, apiKey, headers)).toMatchObject({ status: 200, body: { success: true } });
    expect((await callAs(world, apiKey, 'GET', user)).status).toBe(
      settings === newer || 'profile' in settings ? 403 : 401,
    );
    expect(world.controls.keys.list().find((key) => key.id === id)?.usable).toBe(false);
    const { token } = world.controls.sessions.create();
    for (const answer of [
      await self(world, '', {}),
      await self(world, `${apiKey}0`),
      await self(world, token),
      await call(world, 'DELETE', `${path}/current`, undefined, { ...nobody, cookie: `session=${token}` }),
    ])
      expect(answer.status).toBe(401);
    expect((await callAs(world, world.apiKey, 'GET', user)).status).toBe(200);
    const again = world.controls.requests.list({ operation: 'keys.deleteCurrent' }).requests;
    expect(again.flatMap(({ findings }) => findings)).not.toContain('expired-credential');
  },
);

it('a sign-in with a wallet tells of the credits of a new account', async () => {
  const { signSiwe, testWallet } = await import('../../../src/testing.js');
  const world = await startWorld({ ...newer, credits: { initialFree: 300, perDollar: 100 } });
  const signIn = async () => {
    const nonce = (await call(world, 'GET', '/api/auth/siwe/nonce')).body;
    return (await call(world, 'POST', '/api/auth/siwe/verify', await signSiwe({ ...nonce, wallet: testWallet('new') })))
      .body;
  };
  const withheld = {
    welcomeBonusWithheld: false,
    welcomeBonusWithheldReason: null,
    welcomeBonusWithheldMessage: null,
  };
  expect(await signIn()).toMatchObject({
    isNewAccount: true,
    initialCreditsGranted: true,
    initialFreeCreditsUsd: 3,
    ...withheld,
  });
  expect(await signIn()).toMatchObject({ isNewAccount: false, initialCreditsGranted: false, initialFreeCreditsUsd: 0 });
});
