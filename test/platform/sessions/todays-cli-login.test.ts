// The login of a command line on today's server: the platform chooses the id, and the key is handed out once.

import { describe, expect, it } from 'vitest';
import { type Answer, call, type Platform, startEmulator, startWorld } from '../../support/emulator.js';
import { browse, callAs, cookieOf, form, nobody, user } from '../../support/sessions.js';

const base = '/api/auth/cli-session';
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const unknown = '7b6d1c3e-0f0a-4a55-9a9b-2f6f3c8f5d10';
const newer = { profile: 'elizacloud' };

const start = async (world: Platform, body?: unknown): Promise<string> =>
  (await call(world, 'POST', base, body, nobody)).body.sessionId;
const poll = (world: Platform, id: string): Promise<Answer> => call(world, 'GET', `${base}/${id}`, undefined, nobody);
const token = (world: Platform, id: string): Promise<Answer> =>
  call(world, 'GET', `/api/v1/cli-auth/${id}/token`, undefined, nobody);
const complete = (world: Platform, id: string): Promise<Answer> =>
  callAs(world, world.controls.sessions.create().token, 'POST', `${base}/${id}/complete`);

it('the id is the platform’s own, whatever the client sends, and the key is handed out once', async () => {
  const world = await startWorld(newer);
  const started = await call(world, 'POST', base, { sessionId: 'a'.repeat(64) }, nobody);
  const id = started.body.sessionId;
  expect([started.status, started.body]).toEqual([
    201,
    { sessionId: expect.stringMatching(uuid), status: 'pending', expiresAt: '2026-01-01T00:10:00.000Z' },
  ]);
  const others = [await start(world), await start(world, 'no JSON'), await start(world, { sessionId: id })];
  expect(new Set([id, ...others]).size).toBe(4);
  expect([(await poll(world, id)).body, (await token(world, id)).status]).toEqual([{ status: 'pending' }, 202]);
  const { apiKey, keyPrefix } = (await complete(world, id)).body;
  const first = await poll(world, id);
  expect(first.body).toEqual({ status: 'authenticated', apiKey, keyPrefix, expiresAt: null });
  expect(first.headers.get('cache-control')).toBe('no-store');
  const told = { status: 'authenticated', message: 'API key already retrieved' };
  for (let i = 0; i < 2; i++) expect((await poll(world, id.toUpperCase())).body).toEqual(told);
  expect((await token(world, id)).status).toBe(410);
  expect((await callAs(world, apiKey, 'GET', user)).status).toBe(200);
});

it('an id of another form is 400, an unknown or an old one 404', async () => {
  const world = await startWorld(newer);
  for (const wrong of ['a'.repeat(64), 'mine', `${unknown}0`]) {
    const { status, body } = await poll(world, wrong);
    expect([status, body.error]).toEqual([400, 'Invalid session ID format']);
  }
  const none = await poll(world, unknown);
  expect([none.status, none.body.error]).toEqual([404, 'Session not found or expired']);
  const [pending, fetched] = [await start(world), await start(world)];
  await complete(world, fetched);
  await poll(world, fetched);
  await world.controls.clock.advance('9m59s');
  expect([(await poll(world, pending)).status, (await poll(world, fetched)).status]).toEqual([200, 200]);
  await world.controls.clock.advance('1s');
  expect([(await poll(world, pending)).status, (await poll(world, fetched)).status]).toEqual([404, 404]);
  expect((await token(world, pending)).status).toBe(410);
});

it('a key that was revoked before it was fetched is 410', async () => {
  const world = await startWorld(newer);
  const id = await start(world);
  const { apiKey } = (await complete(world, id)).body;
  const { status } = await callAs(world, apiKey, 'DELETE', '/api/v1/api-keys/current');
  expect(status).toBe(200);
  const lost = await poll(world, id);
  expect([lost.status, lost.body.error]).toEqual([410, expect.stringContaining('API key unavailable: ')]);
  expect((await token(world, id)).status).toBe(410);
});

it('only a session completes it, and only its key ends it', async () => {
  const world = await startWorld(newer);
  const id = await start(world);
  const byKey = await call(world, 'POST', `${base}/${id}/complete`);
  expect([byKey.status, byKey.body.code]).toEqual([403, 'session_auth_required']);
  expect((await call(world, 'POST', `${base}/${id}/complete`, undefined, nobody)).status).toBe(401);
  const { apiKey } = (await complete(world, id)).body;
  expect((await call(world, 'DELETE', `${base}/${id}`, undefined, nobody)).status).toBe(401);
  expect((await call(world, 'DELETE', `${base}/${id}`)).status).toBe(403);
  expect((await callAs(world, apiKey, 'DELETE', `${base}/${id}`)).status).toBe(204);
  expect((await callAs(world, apiKey, 'GET', user)).status).toBe(403);
});

it('an address may begin ten a minute', async () => {
  const world = await startWorld(newer);
  for (let i = 0; i < 10; i++) expect((await call(world, 'POST', base, undefined, nobody)).status).toBe(201);
  expect((await call(world, 'POST', base, undefined, nobody)).status).toBe(429);
});

describe('a browser', () => {
  it('signs in and completes it on its page', async () => {
    const emulator = await startEmulator(newer);
    const id = await start(emulator);
    const page = await browse(emulator, 'GET', `/auth/cli-login?session=${id}`, { headers: form });
    expect(page.text).toContain('Who do you want to be?');
    const back = encodeURIComponent(`${emulator.url}/auth/cli-login?session=${id}`);
    const body = `email=owner%40example.test&return_to=${back}`;
    const signedIn = await browse(emulator, 'POST', '/auth/login', { headers: form, body });
    const cookie = cookieOf(signedIn.headers['set-cookie']);
    expect([cookie.split('=')[0], signedIn.status]).toEqual(['steward-token', 303]);
    const shown = await browse(emulator, 'GET', `/auth/cli-login?session=${id}`, { headers: { ...form, cookie } });
    expect(shown.text).toContain('Give it a key');
    const origin = new URL(emulator.url).origin;
    const done = await browse(emulator, 'POST', `${base}/${id}/complete`, { headers: { ...form, cookie, origin } });
    expect([done.status, done.text]).toEqual([200, expect.stringContaining('The command line has its key')]);
    expect((await poll(emulator, id)).body).toMatchObject({ status: 'authenticated', expiresAt: null });
  });
});

it('the older contract honours an id of the client’s own', async () => {
  const world = await startWorld({ profile: 'elizacloud-v1' });
  expect(await start(world, { sessionId: 'a'.repeat(64) })).toBe('a'.repeat(64));
  expect((await poll(world, 'a'.repeat(64))).body).toEqual({ status: 'pending' });
  expect((await call(world, 'POST', `${base}/${'a'.repeat(64)}/complete`)).status).toBe(401);
});
