// The login page and its form: signing in and out as a browser and as a program does.

import { expect, it } from 'vitest';
import { call, startEmulator } from '../../support/emulator.js';
import { browse, callAs, cookieOf, form, nobody, user } from '../../support/sessions.js';

it('the login page offers the users, and signs in whoever is picked', async () => {
  const emulator = await startEmulator();
  emulator.controls.users.create({ role: 'viewer', email: 'vera@example.test', name: 'Vera' });
  const page = await browse(emulator, 'GET', '/auth/login', { headers: { accept: form.accept } });
  expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  expect(page.text).toContain('Example Owner (owner@example.test)');
  expect(page.text).toContain('Vera (vera@example.test)<br><small>viewer of Example Organization');
  const [, userId = ''] = /name="userId" value="([^"]+)">Example Owner/.exec(page.text) ?? [];

  const answer = await browse(emulator, 'POST', '/auth/login', { headers: form, body: `userId=${userId}` });
  expect([answer.status, answer.headers.location]).toEqual([303, '/auth/login']);
  const [setCookie = ''] = answer.headers['set-cookie'] ?? [];
  expect(setCookie).toMatch(/^session=[\w-]+\.[\w-]+\.[\w-]+; Path=\/; HttpOnly; SameSite=Lax$/);
  const cookie = cookieOf(setCookie);
  const known = await browse(emulator, 'GET', user, { headers: { cookie } });
  expect(JSON.parse(known.text).data.id).toBe(emulator.userId);
  const again = await browse(emulator, 'GET', '/auth/login', { headers: { cookie } });
  expect(again.text).toContain('You are signed in as Example Owner');
});

it('the login page has no scripts, and nobody can frame or keep it', async () => {
  const emulator = await startEmulator();
  for (const path of ['/auth/login', '/auth/logout', '/auth/cli-login', '/auth/cli-login?session=x']) {
    const { headers, text } = await browse(emulator, 'GET', path);
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    );
    expect(headers['x-frame-options']).toBe('DENY');
    expect(headers['cache-control']).toBe('no-store');
    expect(text).not.toMatch(/<script|javascript:|\son\w+=/i);
  }
});

it('the login page shows what people have written as text', async () => {
  const emulator = await startEmulator();
  const evil = '<img src=x onerror="alert(1)">&\'';
  emulator.controls.organizations.create({ name: evil });
  emulator.controls.users.create({ name: evil });
  const { text } = await browse(emulator, 'GET', '/auth/login');
  expect(text).not.toContain('<img');
  expect(text.match(/&#60;img src=x onerror=&#34;alert\(1\)&#34;&#62;&#38;&#39;/g)).toHaveLength(2);
  const search = new URLSearchParams({ session: '"><script>alert(1)</script>' });
  const { cookie } = emulator.controls.sessions.create();
  const cli = await browse(emulator, 'GET', `/auth/cli-login?${search}`, { headers: { cookie } });
  expect(cli.text).toContain('&#34;&#62;&#60;script&#62;');
  expect(cli.text).not.toContain('<script');
  const refused = await browse(emulator, 'GET', `/auth/login?return_to=${encodeURIComponent('"><script>')}%20`, {
    headers: { accept: form.accept },
  });
  expect(refused.text).not.toContain('<script');
});

it('signing in gives a program the token and the cookie', async () => {
  const emulator = await startEmulator();
  const answer = await call(emulator, 'POST', '/auth/login', { email: 'OWNER@example.test' }, nobody);
  expect(answer.body).toEqual({
    success: true,
    token: cookieOf(answer.headers.get('set-cookie')).replace('session=', ''),
    tokenType: 'Bearer',
    expiresAt: '2026-01-02T00:00:00.000Z',
    user: expect.objectContaining({ id: emulator.userId, role: 'owner' }),
  });
  expect((await callAs(emulator, answer.body.token, 'GET', user)).status).toBe(200);
});

it.each([
  [{}, 'body', undefined],
  [{ userId: 'x', email: 'y' }, 'body', undefined],
  [{ email: 'ownr@example.test' }, 'email', 'owner@example.test'],
  [{ userId: 'nobody' }, 'userId', undefined],
])('signing in as %j is refused', async (body, path, suggestion) => {
  const emulator = await startEmulator();
  const { status, body: said } = await call(emulator, 'POST', '/auth/login', body, nobody);
  expect([status, said.error.details[0].path, said.error.details[0].suggestion]).toEqual([400, path, suggestion]);
});

it('a session lasts as long as the settings say', async () => {
  const emulator = await startEmulator({ auth: { sessionLifetime: '90s' } });
  const { body } = await call(emulator, 'POST', '/auth/login', { email: 'owner@example.test' }, nobody);
  expect(body.expiresAt).toBe('2026-01-01T00:01:30.000Z');
  await emulator.controls.clock.advance('90s');
  expect((await callAs(emulator, body.token, 'GET', user)).status).toBe(401);
});

it('signing out ends the session and takes the cookie away', async () => {
  const emulator = await startEmulator();
  const { cookie, token } = emulator.controls.sessions.create();
  const page = await browse(emulator, 'GET', '/auth/logout', { headers: { cookie } });
  expect(page.text).toContain('You are signed in as Example Owner');
  expect((await browse(emulator, 'GET', user, { headers: { cookie } })).status).toBe(200);
  const out = await browse(emulator, 'POST', '/auth/logout', { headers: { ...form, cookie } });
  expect([out.status, out.headers.location]).toEqual([303, '/auth/logout']);
  expect(out.headers['set-cookie']).toEqual(['session=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0']);
  expect((await callAs(emulator, token, 'GET', user)).body.error.details.reason).toBe('revoked');
  const again = await call(emulator, 'POST', '/auth/logout', undefined, nobody);
  expect(again.body).toEqual({ success: true, message: 'Nobody was signed in' });
  const other = emulator.controls.sessions.create();
  expect((await callAs(emulator, other.token, 'POST', '/auth/logout')).body.message).toBe('Signed out');
  expect(emulator.controls.sessions.list().map(({ state }) => state)).toEqual(['revoked', 'revoked']);
});

it('the cookie of a world is kept to its paths', async () => {
  const emulator = await startEmulator({ auth: { cookieName: 'acme-token' } });
  await emulator.createWorld({ id: 'blue' });
  const answer = await browse(emulator, 'POST', '/w/blue/auth/login', {
    headers: form,
    body: 'email=owner@example.test',
  });
  expect(answer.headers.location).toBe('/w/blue/auth/login');
  const [setCookie = ''] = answer.headers['set-cookie'] ?? [];
  expect(setCookie).toMatch(/^acme-token=\S+; Path=\/w\/blue; HttpOnly; SameSite=Lax$/);
  const cookie = cookieOf(setCookie);
  expect((await browse(emulator, 'GET', `/w/blue${user}`, { headers: { cookie } })).status).toBe(200);
  expect((await browse(emulator, 'GET', user, { headers: { cookie } })).status).toBe(401);
});

it('the cookie of a world with a port of its own is for all paths there', async () => {
  const emulator = await startEmulator();
  const { port } = await emulator.controls.worlds.create({ id: 'blue', port: 0 });
  const own = { port: port ?? 0 };
  const page = await browse(own, 'GET', '/auth/login');
  const [, action = ''] = /action="([^"]+)"/.exec(page.text) ?? [];
  const answer = await browse(own, 'POST', action, { headers: form, body: 'email=owner@example.test' });
  expect(answer.headers['set-cookie']?.[0]).toContain('; Path=/; ');
  const cookie = cookieOf(answer.headers['set-cookie']);
  expect((await browse(own, 'GET', user, { headers: { cookie } })).status).toBe(200);
  expect((await browse(own, 'GET', answer.headers.location as string, { headers: { cookie } })).text).toContain(
    'You are signed in',
  );
});

it('the cookie is marked as secure where the public URL is', async () => {
  const emulator = await startEmulator({ publicUrl: 'https://cloud.example.test/base' });
  const { headers } = await call(emulator, 'POST', '/auth/login', { email: 'owner@example.test' }, nobody);
  expect(headers.get('set-cookie')).toMatch(/; Path=\/base; HttpOnly; SameSite=Lax; Secure$/);
});

it('the login answers a browser’s mistakes with a page, and a program’s with JSON', async () => {
  const emulator = await startEmulator({ rateLimits: { perKey: 3 } });
  const path = '/auth/login?return_to=https://evil.example';
  const page = await browse(emulator, 'GET', path, { headers: { accept: form.accept } });
  expect([page.status, page.headers['content-type']]).toEqual([400, 'text/html; charset=utf-8']);
  expect(page.text).toContain('server.corsOrigins');
  expect(page.headers['content-security-policy']).toContain("default-src 'none'");
  const json = await browse(emulator, 'GET', path);
  expect([json.status, JSON.parse(json.text).error.code]).toEqual([400, 'VALIDATION_ERROR']);
  await browse(emulator, 'GET', path);
  const limited = await browse(emulator, 'GET', path, { headers: { accept: form.accept } });
  expect([limited.status, limited.headers['content-type']]).toEqual([429, 'text/html; charset=utf-8']);
  expect(limited.headers['retry-after']).toBe('60');
});
