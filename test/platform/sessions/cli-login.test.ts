// The login of a command line: started, completed by a person, fetched once; and everything that can go wrong.

import { describe, expect, it } from 'vitest';
import type { Emulator } from '../../../src/index.js';
import { type Answer, call, startEmulator } from '../../support/emulator.js';
import { browse, callAs, form, nobody, user } from '../../support/sessions.js';

const base = '/api/auth/cli-session';
const id = 'a6a0f6f4-35ac-4f0f-8f36-55f3a1b0f0a1';

const start = (emulator: Emulator, sessionId: unknown = id): Promise<Answer> =>
  call(emulator, 'POST', base, { sessionId }, nobody);
const poll = (emulator: Emulator, sessionId = id): Promise<Answer> =>
  call(emulator, 'GET', `${base}/${sessionId}`, undefined, nobody);
const complete = (emulator: Emulator, sessionId = id, token = emulator.controls.sessions.create().token) =>
  callAs(emulator, token, 'POST', `${base}/${sessionId}/complete`);

it('a login of a command line hands the key out once', async () => {
  const emulator = await startEmulator();
  const started = await start(emulator);
  expect([started.status, started.body]).toEqual([
    201,
    { sessionId: id, status: 'pending', expiresAt: '2026-01-01T00:10:00.000Z' },
  ]);
  expect((await poll(emulator)).body).toEqual({ status: 'pending' });
  const completed = await complete(emulator);
  expect([completed.status, completed.body]).toEqual([
    200,
    {
      success: true,
      apiKey: expect.stringMatching(/^ek_test_[0-9a-f]{64}$/),
      keyPrefix: expect.any(String),
      expiresAt: null,
    },
  ]);
  const { apiKey, keyPrefix } = completed.body;
  const fetched = await poll(emulator);
  expect(fetched.body).toEqual({ status: 'authenticated', apiKey, keyPrefix, expiresAt: null });
  expect(fetched.headers.get('cache-control')).toBe('no-store');
  for (let i = 0; i < 2; i++)
    expect((await poll(emulator)).body).toEqual({ status: 'authenticated', message: 'API key already retrieved' });
  const answer = await callAs(emulator, apiKey, 'GET', '/api/v1/api-keys');
  expect(answer.body.keys[0]).toMatchObject({
    name: 'CLI Login - 2026-01-01T00:00:00.000Z',
    key_prefix: keyPrefix,
    permissions: [],
    rate_limit: 1_000,
    expires_at: null,
  });
});

it('a login of a command line gives a key of the person who has completed it', async () => {
  const emulator = await startEmulator();
  const { id: organizationId } = emulator.controls.organizations.create({ name: 'Other' });
  const { token, userId } = emulator.controls.sessions.create({ organizationId });
  await start(emulator);
  await complete(emulator, id, token);
  const { apiKey } = (await poll(emulator)).body;
  const { data } = (await callAs(emulator, apiKey, 'GET', user)).body;
  expect([data.id, data.organization.name]).toEqual([userId, 'Other']);
});

it('a login of a command line waits ten minutes of virtual time', async () => {
  const emulator = await startEmulator();
  await start(emulator);
  await emulator.controls.clock.advance('599s');
  expect((await poll(emulator)).body.status).toBe('pending');
  await emulator.controls.clock.advance('1s');
  expect((await poll(emulator)).body).toEqual({ status: 'expired' });
  const late = await complete(emulator);
  expect([late.status, late.body.error.details[0]]).toEqual([
    400,
    expect.objectContaining({
      path: 'path.sessionId',
      message: expect.stringContaining('expired at 2026-01-01T00:10:00'),
    }),
  ]);
  expect((await call(emulator, 'GET', '/api/v1/api-keys')).body.total).toBe(1);
});

it('a login of a command line keeps no key for who does not fetch it in time', async () => {
  const emulator = await startEmulator();
  await start(emulator);
  await complete(emulator);
  await emulator.controls.clock.advance('10m');
  expect((await poll(emulator)).body).toEqual({ status: 'expired' });
});

it('a login of a command line is completed once', async () => {
  const emulator = await startEmulator();
  await start(emulator);
  const answers = await Promise.all(Array.from({ length: 20 }, () => complete(emulator)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 19 }, () => 400)]);
  const second = answers.find(({ status }) => status === 400);
  expect(second?.body.error.message).toContain('was completed before, at 2026-01-01T00:00:00.000Z');
  expect((await call(emulator, 'GET', '/api/v1/api-keys')).body.total).toBe(2);
});

it('a login of a command line hands the key to one of those who ask at the same time', async () => {
  const emulator = await startEmulator();
  await start(emulator);
  await complete(emulator);
  const answers = await Promise.all(Array.from({ length: 30 }, () => poll(emulator)));
  expect(answers.filter(({ body }) => body.apiKey !== undefined)).toHaveLength(1);
});

describe('an id', () => {
  it.each([[undefined], [''], [7], [null], ['a b'], ['a/b'], ['ä'], ['x'.repeat(201)], [['a']]])(
    'is not %j',
    async (sessionId) => {
      const emulator = await startEmulator();
      const { status, body } = await call(emulator, 'POST', base, { sessionId }, nobody);
      expect([status, body.error.details[0].path]).toEqual([400, 'sessionId']);
    },
  );

  it.each(['x', 'A-Z_a~z.0:9', 'x'.repeat(200), '__proto__', 'complete'])('may be %s', async (sessionId) => {
    const emulator = await startEmulator();
    expect((await start(emulator, sessionId)).status).toBe(201);
    expect((await complete(emulator, sessionId)).status).toBe(200);
    expect((await poll(emulator, sessionId)).body.status).toBe('authenticated');
  });
});

it('a login of a command line is completed by a session and nothing else', async () => {
  const emulator = await startEmulator();
  await start(emulator);
  const answer = await call(emulator, 'POST', `${base}/${id}/complete`);
  expect(answer.status).toBe(401);
  expect(answer.body.error).toMatchObject({ code: 'UNAUTHORIZED', details: { reason: 'session-required' } });
  expect(answer.body.error.message).toContain('requires a session; API keys and wallet signatures are not accepted');
  const { cookie } = emulator.controls.sessions.create();
  const foreign = { cookie, origin: 'https://evil.example' };
  expect((await browse(emulator, 'POST', `${base}/${id}/complete`, { headers: foreign })).status).toBe(403);
  expect((await poll(emulator)).body.status).toBe('pending');
});

it('a login of a command line says in the flat style what clients of the public server read', async () => {
  const emulator = await startEmulator({ profile: 'elizacloud-v1' });
  const { body } = await call(emulator, 'POST', `${base}/${id}/complete`);
  expect(body).toMatchObject({
    error: 'This endpoint requires session authentication. API keys and Bearer tokens are not accepted.',
    code: 'session_auth_required',
  });
});

it('a login of a command line is completed on a page: pick a user, give the key', async () => {
  const emulator = await startEmulator();
  await start(emulator);
  const path = `/auth/cli-login?session=${id}`;
  const unknown = await browse(emulator, 'GET', path);
  expect(unknown.text).toContain(`name="return_to" value="http://127.0.0.1:${emulator.port}${path}"`);
  expect(unknown.text).not.toContain('Give it a key');
  const { cookie } = emulator.controls.sessions.create();
  const page = await browse(emulator, 'GET', path, { headers: { cookie } });
  const [, action = ''] = /action="([^"]+complete)"/.exec(page.text) ?? [];
  expect(action).toBe(`${base}/${id}/complete`);
  const done = await browse(emulator, 'POST', action, { headers: { ...form, cookie } });
  expect([done.status, done.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  expect(done.text).toContain('The command line has its key');
  expect(done.text).not.toContain('ek_test_');
  const again = await browse(emulator, 'POST', action, { headers: { ...form, cookie } });
  expect([again.status, again.headers['content-type']]).toEqual([400, 'text/html; charset=utf-8']);
  expect(again.text).toContain('was completed before');
  const out = await browse(emulator, 'POST', action, { headers: form });
  expect([out.status, out.headers['content-type']]).toEqual([401, 'text/html; charset=utf-8']);
  expect((await poll(emulator)).body.apiKey).toMatch(/^ek_test_/);
});

it('a login of a command line loses the key with a lost response, and says so to the next', async () => {
  const emulator = await startEmulator();
  await start(emulator);
  await complete(emulator);
  emulator.controls.faults.add({
    match: { operation: 'auth.cliSessionPoll' },
    when: { times: 1 },
    phase: 'after',
    effect: { status: 502 },
  });
  expect((await poll(emulator)).status).toBe(502);
  expect((await poll(emulator)).body).toEqual({ status: 'authenticated', message: 'API key already retrieved' });
});

describe('the other ways of newer clients', () => {
  const token = (emulator: Emulator, sessionId = id): Promise<Answer> =>
    call(emulator, 'GET', `/api/v1/cli-auth/${sessionId}/token`, undefined, nobody);
  const end = (emulator: Emulator, key: string | undefined, sessionId = id): Promise<Answer> =>
    call(emulator, 'DELETE', `${base}/${sessionId}`, undefined, {
      authorization: key === undefined ? '' : `Bearer ${key}`,
    });

  it('hand the key out once: 202 before, 410 afterwards', async () => {
    const emulator = await startEmulator();
    expect((await token(emulator)).status).toBe(404);
    await start(emulator);
    const waiting = await token(emulator);
    expect([waiting.status, waiting.body]).toEqual([202, { status: 'pending' }]);
    const { apiKey, keyPrefix } = (await complete(emulator)).body;
    const fetched = await token(emulator);
    expect([fetched.status, fetched.body]).toEqual([200, { apiKey, keyPrefix, expiresAt: null }]);
    expect(fetched.headers.get('cache-control')).toBe('no-store');
    const again = await token(emulator);
    expect([again.status, again.body.error.message]).toEqual([410, 'API key already retrieved']);
    expect((await poll(emulator)).body).toEqual({ status: 'authenticated', message: 'API key already retrieved' });
  });

  it('are over when the login has expired', async () => {
    const emulator = await startEmulator();
    await start(emulator);
    await emulator.controls.clock.advance('10m');
    const { status, body } = await token(emulator);
    expect([status, body.error.message]).toEqual([410, 'Session expired']);
  });

  it('refuse a page of another origin the key', async () => {
    const emulator = await startEmulator();
    await start(emulator);
    const path = `/api/v1/cli-auth/${id}/token`;
    const answer = await call(emulator, 'GET', path, undefined, { ...nobody, origin: 'http://elsewhere.example' });
    expect(answer.status).toBe(403);
  });

  it('revoke the key, by that key alone', async () => {
    const emulator = await startEmulator();
    await start(emulator);
    await complete(emulator);
    const { apiKey } = (await token(emulator)).body;
    expect((await end(emulator, undefined)).status).toBe(401);
    const other = await end(emulator, emulator.apiKey);
    expect([other.status, other.body.error.code]).toEqual([403, 'FORBIDDEN']);
    const { token: session } = emulator.controls.sessions.create();
    expect((await end(emulator, session)).status).toBe(403);
    expect((await end(emulator, apiKey, 'unknown')).status).toBe(404);
    const ended = await end(emulator, apiKey);
    expect([ended.status, ended.text, ended.headers.get('content-length')]).toEqual([204, '', null]);
    expect((await callAs(emulator, apiKey, 'GET', user)).status).toBe(401);
    expect((await end(emulator, apiKey)).status).toBe(401);
  });

  it('are not told in the journal', async () => {
    const emulator = await startEmulator();
    await start(emulator);
    await complete(emulator);
    const { apiKey } = (await token(emulator)).body;
    expect(JSON.stringify(emulator.controls.requests.list())).not.toContain(apiKey.slice(8));
  });
});
