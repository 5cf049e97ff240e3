// Pairing: the owner of an agent gets a token, and a page of the right origin gets a key for it, once.

import { describe, expect, it } from 'vitest';
import { type Answer, call, type Platform, startWorld } from '../../support/emulator.js';
import { callWith, mint } from '../../support/keys.js';

const page = 'http://localhost:3000';
const nobody = { authorization: '' };

const pair = (world: Platform, body: unknown, origin: string | null = page): Promise<Answer> =>
  call(world, 'POST', '/api/auth/pair', body, { ...nobody, ...(origin !== null && { origin }) });
const dedicated = (world: Platform): string => world.controls.hostedAgents.create({ tier: 'dedicated-always' }).id;
const tokenOf = (world: Platform, agentId: string): Promise<Answer> =>
  call(world, 'POST', `/api/v1/eliza/agents/${agentId}/pairing-token`);

describe('a token of the control plane', () => {
  it('gives a key once, to a page of its origin', async () => {
    const world = await startWorld();
    const { token, origin, agentId, expiresAt } = world.controls.pairings.create({ origin: page });
    expect(token).toMatch(/^[\w-]{43}$/);
    expect([origin, expiresAt]).toEqual([page, '2026-01-01T00:01:00.000Z']);
    const paired = await pair(world, { token });
    expect([paired.status, paired.body]).toEqual([
      200,
      { message: 'Paired successfully', apiKey: expect.stringMatching(/^ek_test_/), agentName: 'Agent', agentId },
    ]);
    expect(paired.headers.get('cache-control')).toBe('no-store');
    expect((await callWith(world, paired.body.apiKey, 'GET', '/api/v1/user')).status).toBe(200);
    const again = await pair(world, { token });
    expect([again.status, again.body.error.message]).toEqual([401, 'Invalid or expired pairing code']);
  });

  it('is refused to other origins and agents, which does not use it up', async () => {
    const world = await startWorld();
    const { token, agentId } = world.controls.pairings.create({ origin: page });
    expect((await pair(world, { token }, 'http://localhost:3001')).status).toBe(401);
    expect((await pair(world, { token, agentId: 'another' })).status).toBe(401);
    expect((await pair(world, { token: `${token.slice(1)}x` })).status).toBe(401);
    const without = await pair(world, { token }, null);
    expect([without.status, without.body.error.message]).toEqual([400, 'Origin header required']);
    expect((await pair(world, { token, agentId })).status).toBe(200);
  });

  it('lives for 60 seconds of virtual time', async () => {
    const world = await startWorld();
    const early = world.controls.pairings.create({ origin: page });
    await world.controls.clock.advance('59s');
    expect((await pair(world, early)).status).toBe(200);
    const late = world.controls.pairings.create({ origin: page });
    await world.controls.clock.advance('60s');
    expect((await pair(world, late)).status).toBe(401);
  });

  it('is for the emulator’s own origin, and for a named agent', async () => {
    const emulator = await startWorld();
    const { id } = emulator.controls.hostedAgents.create({ name: 'Support' });
    const { token, origin, agentId } = emulator.controls.pairings.create({ agentId: 'Support' });
    expect([origin, agentId]).toEqual([new URL(emulator.url).origin, id]);
    expect((await pair(emulator, { token }, origin)).body.agentName).toBe('Support');
  });

  it.each<[object, string, string]>([
    [{ agentId: 'Suport' }, 'NOT_FOUND', 'Suport'],
    [{ origin: 'http://localhost:3000/' }, 'VALIDATION_ERROR', '"suggestion":"http://localhost:3000"'],
    [{ origin: 'localhost' }, 'VALIDATION_ERROR', 'must be an origin as browsers send it'],
  ])('is refused for %j', async (request, code, words) => {
    const world = await startWorld();
    const { body } = await call(world, 'POST', '/_emulator/pairings', request);
    expect(body.error).toMatchObject({ code });
    expect(JSON.stringify(body.error)).toContain(words);
  });
});

describe('a token of an agent', () => {
  it('is in the address of its page, to whose origin it is bound', async () => {
    const emulator = await startWorld();
    const agentId = dedicated(emulator);
    const { status, body, headers } = await tokenOf(emulator, agentId);
    expect([status, body.data.expiresIn, headers.get('cache-control')]).toEqual([200, 60, 'no-store']);
    const { token, redirectUrl } = body.data;
    expect(redirectUrl).toBe(`${emulator.url}/api/v1/eliza/agents/${agentId}/pair?token=${token}`);
    const { origin } = new URL(redirectUrl);
    expect((await pair(emulator, { token, agentId }, origin)).body).toMatchObject({ agentId });
  });

  it('gives a key with the permissions of whoever asked for it', async () => {
    const emulator = await startWorld();
    const agentId = dedicated(emulator);
    const { value } = await mint(emulator, { permissions: ['agents', 'chat:read'] });
    const { data } = (await callWith(emulator, value, 'POST', `/api/v1/eliza/agents/${agentId}/pairing-token`)).body;
    const { apiKey } = (await pair(emulator, { token: data.token }, new URL(emulator.url).origin)).body;
    expect((await call(emulator, 'GET', '/api/v1/api-keys')).body.keys[0]).toMatchObject({
      name: `agent-sandbox:${agentId}`,
      permissions: ['agents', 'chat:read'],
    });
    expect((await callWith(emulator, apiKey, 'GET', '/api/v1/containers')).status).toBe(403);
  });

  it('is not there for a shared agent, nor for one in error', async () => {
    const world = await startWorld();
    const shared = world.controls.hostedAgents.create();
    const none = await tokenOf(world, shared.id);
    expect([none.status, none.body.retryable]).toEqual([503, true]);
    const broken = dedicated(world);
    world.controls.hostedAgents.set(broken, { status: 'error', error: 'Out of memory' });
    const failed = await tokenOf(world, broken);
    expect([failed.status, failed.body.error.message]).toEqual([500, 'The agent is in an error: Out of memory']);
  });

  it('starts an agent that is stopped, and is there once it runs', async () => {
    const world = await startWorld();
    const agentId = dedicated(world);
    world.controls.hostedAgents.set(agentId, { status: 'stopped' });
    const starting = await tokenOf(world, agentId);
    expect([starting.status, starting.body.data]).toEqual([
      202,
      {
        agentId,
        status: 'starting',
        jobId: expect.any(String),
        alreadyInProgress: false,
        retryAfterMs: 5_000,
        message: expect.any(String),
      },
    ]);
    expect(starting.headers.get('retry-after')).toBe('5');
    expect((await tokenOf(world, agentId)).body.data).toMatchObject({ alreadyInProgress: true });
    await world.controls.clock.advance('10m');
    expect((await tokenOf(world, agentId)).status).toBe(200);
  });

  it('is 404 for another organization', async () => {
    const world = await startWorld();
    const agentId = dedicated(world);
    const { apiKey } = world.controls.organizations.create();
    const path = `/api/v1/eliza/agents/${agentId}/pairing-token`;
    expect((await callWith(world, apiKey, 'POST', path)).status).toBe(404);
  });
});

describe('the native form', () => {
  const native = (world: Platform, body: unknown, apiKey = world.apiKey): Promise<Answer> =>
    callWith(world, apiKey, 'POST', '/api/auth/pair/native', body);

  it('names the origin itself, and needs a caller of the organization', async () => {
    const world = await startWorld();
    const { token, agentId } = world.controls.pairings.create({ origin: page });
    const body = { token, agentId, expectedOrigin: page };
    expect((await call(world, 'POST', '/api/auth/pair/native', body, nobody)).status).toBe(401);
    const { apiKey } = world.controls.organizations.create();
    expect((await native(world, body, apiKey)).status).toBe(410);
    expect((await native(world, { ...body, expectedOrigin: 'http://elsewhere.example' })).status).toBe(410);
    expect((await native(world, { token, agentId })).body.error.message).toContain('expectedOrigin');
    expect((await native(world, body)).body).toMatchObject({ message: 'Paired successfully', agentId });
    expect((await native(world, body)).status).toBe(410);
  });

  it('has the platform’s own code in the flat style', async () => {
    const world = await startWorld({ errors: { style: 'flat' } });
    const { agentId } = world.controls.pairings.create({ origin: page });
    const { body } = await native(world, { token: 'none', agentId, expectedOrigin: page });
    expect(body.code).toBe('pairing_token_invalid');
    const path = '/api/auth/pair/native';
    for (const [sent, headers, status, code] of [
      [{}, nobody, 401, 'cloud_auth_required'],
      [{ token: 'none' }, {}, 400, 'invalid_native_pairing_request'],
      ['{', {}, 400, 'invalid_native_pairing_request'],
    ] as const) {
      const refused = await call(world, 'POST', path, sent, headers);
      expect([refused.status, refused.body.code]).toEqual([status, code]);
    }
    // Elsewhere they are what they were.
    expect((await call(world, 'GET', '/api/v1/user', undefined, nobody)).body.code).toBe('authentication_required');
  });
});

describe('the page behind redirectUrl', () => {
  const open = (url: string, init: RequestInit = {}) =>
    fetch(url, { ...init, headers: { accept: 'text/html', ...init.headers } });
  const submit = (url: string, more: object = {}) =>
    open(url, {
      method: 'POST',
      body: new URLSearchParams(),
      headers: { origin: new URL(url).origin, 'sec-fetch-site': 'same-origin', ...more },
    });

  it('pairs by its button, once, and shows the key', async () => {
    const emulator = await startWorld();
    const { token, redirectUrl } = (await tokenOf(emulator, dedicated(emulator))).body.data;
    for (let i = 0; i < 2; i++) {
      const shown = await open(redirectUrl);
      expect([shown.status, shown.headers.get('cache-control')]).toEqual([200, 'no-store']);
      // It goes to the address of the page.
      expect(await shown.text()).toContain('<form method="post"><button>Pair</button></form>');
    }
    expect((await submit(redirectUrl, { origin: 'https://evil.example' })).status).toBe(403);
    const paired = await submit(redirectUrl);
    const apiKey = /ek_test_[0-9a-f]{64}/.exec(await paired.text())?.[0] ?? '';
    expect((await callWith(emulator, apiKey, 'GET', '/api/v1/user')).status).toBe(200);
    const again = await submit(redirectUrl);
    expect([again.status, again.headers.get('content-type')]).toEqual([410, 'text/html; charset=utf-8']);
    const used = await (await open(redirectUrl)).text();
    expect(used).toContain('was used, or has expired');
    expect(used).toContain('/pairing-token');
    const kept = JSON.stringify([emulator.controls.requests.list(), emulator.controls.history.list()]);
    for (const secret of [token, apiKey.slice(8)]) expect(kept.includes(secret)).toBe(false);
    const { verdicts } = await emulator.controls.verdicts();
    expect(verdicts.find(({ rule }) => rule === 'no-secret-in-url')?.verdict).toBe('pass');
  });

  it('is there in a world of its own path, and answers programs in JSON', async () => {
    const world = await startWorld();
    const agentId = dedicated(world);
    const { token, redirectUrl } = (await tokenOf(world, agentId)).body.data;
    expect(await (await fetch(redirectUrl)).text()).toContain('<form method="post">');
    const path = `/api/v1/eliza/agents/${agentId}/pair`;
    expect((await call(world, 'POST', path, { token: 'none' }, nobody)).status).toBe(410);
    expect((await call(world, 'POST', path, {}, nobody)).body.error.details[0].path).toBe('token');
    expect((await fetch(`${world.url}/api/v1/eliza/agents/none/pair?token=${token}`)).status).toBe(404);
    const { status, body } = await call(world, 'POST', path, { token }, nobody);
    expect([status, body]).toMatchObject([200, { message: 'Paired successfully', agentId }]);
    expect(await (await fetch(`${world.url}${path}?token=%3Cb%3E`)).text()).not.toContain('<b>');
  });
});

it('an agent that does not run has no credential, which does not use the token up', async () => {
  const world = await startWorld({ errors: { style: 'flat' } });
  const agentId = dedicated(world);
  const { token } = world.controls.pairings.create({ agentId, origin: page });
  world.controls.hostedAgents.set(agentId, { status: 'stopped' });
  const body = { token, agentId, expectedOrigin: page };
  for (const answer of [await pair(world, { token }), await call(world, 'POST', '/api/auth/pair/native', body)])
    expect([answer.status, answer.body.code]).toEqual([503, 'sandbox_credential_unavailable']);
  world.controls.hostedAgents.set(agentId, { status: 'running' });
  expect((await pair(world, { token })).status).toBe(200);
});

it('neither a token nor a key of a pairing is in the journal, or in an export', async () => {
  const emulator = await startWorld();
  const { body } = await tokenOf(emulator, dedicated(emulator));
  const { token } = body.data;
  const { apiKey } = (await pair(emulator, { token }, new URL(emulator.url).origin)).body;
  await pair(emulator, { token: 'another-token-of-somebody' });
  const kept = JSON.stringify([emulator.controls.requests.list(), emulator.controls.history.list()]);
  for (const secret of [token, apiKey.slice(8), 'another-token-of-somebody']) expect(kept).not.toContain(secret);
});
