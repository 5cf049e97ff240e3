// Sessions in the OpenAPI document, and where else they leave a trace.

import { expect, it } from 'vitest';
import { call, startEmulator } from '../../support/emulator.js';
import { browse, callAs, nobody, user } from '../../support/sessions.js';

it('the OpenAPI document describes the cookie, the token, and what takes nothing else', async () => {
  const emulator = await startEmulator({ auth: { cookieName: 'acme' } });
  const { paths, components } = (await call(emulator, 'GET', '/openapi.json')).body;
  expect(components.securitySchemes.session).toMatchObject({ type: 'apiKey', in: 'cookie', name: 'acme' });
  expect(components.securitySchemes.sessionToken).toMatchObject({ scheme: 'bearer', bearerFormat: 'JWT' });
  const sessions = [{ session: [] }, { sessionToken: [] }];
  expect(paths['/api/v1/user'].get.security).toEqual(expect.arrayContaining(sessions));
  const complete = paths['/api/auth/cli-session/{sessionId}/complete'].post;
  expect(complete.security).toEqual(sessions);
  expect(Object.keys(complete.responses[200].content)).toEqual(['application/json', 'text/html']);
  expect(paths['/api/auth/cli-session/{sessionId}'].delete.responses[204]).toEqual({
    description: 'The key is revoked',
  });
  const login = paths['/auth/login'].post;
  expect(login.security).toEqual([]);
  expect(Object.keys(login.requestBody.content)).toEqual(['application/json', 'application/x-www-form-urlencoded']);
  expect(login.responses[403].description).toContain('FORBIDDEN');
});

it('the verdicts report a client that goes on with a session’s token that was refused, but not a browser’s cookie', async () => {
  const emulator = await startEmulator();
  const judged = () =>
    emulator.controls.verdicts().verdicts.find(({ rule }) => rule === 'no-expired-credential')?.verdict;
  const { token, cookie } = emulator.controls.sessions.create({ expiresIn: '1m' });
  await emulator.controls.clock.advance('1m');
  for (let i = 0; i < 2; i++) await browse(emulator, 'GET', user, { headers: { cookie } });
  await callAs(emulator, token, 'GET', user);
  expect(judged()).toBe('pass');
  const next = emulator.controls.sessions.create({ expiresIn: '1m' });
  await emulator.controls.clock.advance('1m');
  await callAs(emulator, next.token, 'GET', user);
  expect(judged()).toBe('pass');
  await callAs(emulator, next.token, 'GET', user);
  expect(judged()).toBe('fail');
});

it('a sign-in is lost with its response, and its cookie with it', async () => {
  const emulator = await startEmulator();
  emulator.controls.faults.add({
    match: { operation: 'auth.login', method: 'POST' },
    phase: 'after',
    effect: { status: 502 },
  });
  const post = await call(emulator, 'POST', '/auth/login', { email: 'owner@example.test' }, nobody);
  expect([post.status, post.headers.get('set-cookie')]).toEqual([502, null]);
  expect(emulator.controls.sessions.list().map(({ state }) => state)).toEqual(['active']);
});
