// A browser's session is not another page's to use: cookies and pages against foreign origins and rebound names.

import { describe, expect, it } from 'vitest';
import type { Emulator } from '../../../src/index.js';
import { paymentHeader } from '../../../src/testing.js';
import { image, startEmulator } from '../../support/emulator.js';
import { requirementOf, wallet } from '../../support/payments.js';
import { browse, form, user } from '../../support/sessions.js';

const listed = 'https://app.example.test';
const keys = '/api/v1/api-keys';

async function prepare(): Promise<{ emulator: Emulator; cookie: string; token: string }> {
  const emulator = await startEmulator({ server: { corsOrigins: [listed] } });
  return { emulator, ...emulator.controls.sessions.create() };
}

describe.each(['https://evil.example', 'null', 'http://localhost.evil.example', 'http://app.example.test', 'file://'])(
  'a page of %s',
  (origin) => {
    it('changes nothing with the cookie', async () => {
      const { emulator, cookie } = await prepare();
      const post = await browse(emulator, 'POST', keys, { headers: { cookie, origin }, body: '{"name":"stolen"}' });
      expect([post.status, JSON.parse(post.text).error]).toMatchObject([
        403,
        { code: 'FORBIDDEN', details: { reason: 'foreign-origin' }, message: expect.stringContaining('corsOrigins') },
      ]);
      const patch = await browse(emulator, 'PATCH', user, { headers: { cookie, origin }, body: '{"name":"Eve"}' });
      const remove = await browse(emulator, 'DELETE', `${keys}/x`, { headers: { cookie, origin } });
      expect([patch.status, remove.status]).toEqual([403, 403]);
      expect(emulator.controls.users.list()[0]?.name).toBe('Example Owner');
    });

    it('signs nobody in or out', async () => {
      const { emulator, cookie } = await prepare();
      const headers = { ...form, cookie, origin };
      const body = 'email=owner@example.test';
      const answers = [
        await browse(emulator, 'POST', '/auth/login', { headers, body }),
        await browse(emulator, 'POST', '/auth/login', { headers: { origin }, body: '{"email":"owner@example.test"}' }),
        await browse(emulator, 'POST', '/auth/logout', { headers }),
      ];
      expect(answers.map(({ status }) => status)).toEqual([403, 403, 403]);
      expect(emulator.controls.sessions.list().map(({ state }) => state)).toEqual(['active']);
    });

    it('reads no page', async () => {
      const { emulator } = await prepare();
      for (const path of ['/auth/login', '/auth/cli-login']) {
        const { headers } = await browse(emulator, 'GET', path, { headers: { origin } });
        expect(headers['access-control-allow-origin']).toBeUndefined();
      }
    });

    it('may do with a key or a token what everybody may', async () => {
      const { emulator, token } = await prepare();
      for (const value of [emulator.apiKey, token]) {
        const headers = { origin, authorization: `Bearer ${value}` };
        expect((await browse(emulator, 'POST', keys, { headers, body: '{"name":"own"}' })).status).toBe(201);
      }
    });
  },
);

it.each(['http://127.0.0.1:PORT', 'http://localhost:3000', 'http://[::1]:80', listed])(
  'a page of %s uses the cookie',
  async (text) => {
    const { emulator, cookie } = await prepare();
    const origin = text.replace('PORT', String(emulator.port));
    const post = await browse(emulator, 'POST', keys, { headers: { cookie, origin }, body: '{"name":"own"}' });
    expect([post.status, post.headers['access-control-allow-credentials']]).toEqual([201, 'true']);
    expect(post.headers['access-control-allow-origin']).toBe(origin);
  },
);

describe('answers with a token or a key', () => {
  const session = '/api/auth/cli-session/7b6d1c3e-0f0a-4a55-9a9b-2f6f3c8f5d10';

  /** The outcome of a login, and of that of a command line, when pages of an origin (or a browser's hint) ask. */
  async function ask(headers: Record<string, string>) {
    const { emulator, cookie } = await prepare();
    const own = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, value.replace('PORT', String(emulator.port))]),
    );
    const body = '{"email":"owner@example.test"}';
    const login = await browse(emulator, 'POST', '/auth/login', { headers: own, body });
    await browse(emulator, 'POST', '/api/auth/cli-session', { body: `{"sessionId":"${session.slice(-36)}"}` });
    const complete = await browse(emulator, 'POST', `${session}/complete`, { headers: { ...own, cookie } });
    await browse(emulator, 'POST', `${session}/complete`, { headers: { cookie } });
    const poll = await browse(emulator, 'GET', session, { headers: own });
    const after = await browse(emulator, 'GET', session);
    const answers = [login, complete, poll];
    const readers = answers.map((answer) => answer.headers['access-control-allow-origin']);
    return { statuses: answers.map(({ status }) => status), readers, keyIsLeft: after.text.includes('"apiKey"') };
  }

  it.each(['http://localhost:3000', 'http://[::1]:80', 'http://web.localhost:3000', 'https://evil.example', 'null'])(
    'are nothing to a page of %s',
    async (origin) => {
      const { statuses, readers, keyIsLeft } = await ask({ origin });
      expect(statuses).toEqual([403, 403, 403]);
      expect(readers).toEqual([undefined, undefined, undefined]);
      expect(keyIsLeft).toBe(true);
    },
  );

  it.each(['cross-site', 'same-site'])('are not used up by a %s request that names no origin', async (site) => {
    expect((await ask({ 'sec-fetch-site': site })).keyIsLeft).toBe(true);
  });

  it.each(['http://127.0.0.1:PORT', listed])('are read by a page of %s', async (origin) => {
    const { statuses, readers } = await ask({ origin });
    expect(statuses).toEqual([200, 200, 200]);
    expect(new Set(readers).size).toBe(1);
    expect(readers[0]).toMatch(/^http/);
  });
});

it('requests without an Origin, which no page can make, are taken', async () => {
  const { emulator, cookie } = await prepare();
  expect((await browse(emulator, 'POST', keys, { headers: { cookie }, body: '{"name":"own"}' })).status).toBe(201);
});

it.each([
  ['rebound.example', 403],
  ['rebound.example:4747', 403],
  ['127.0.0.1.rebound.example', 403],
  ['localhost', 200],
  ['emulator:4747', 200],
  ['192.168.1.5:4747', 200],
  ['[fd00::1]:4747', 200],
])('a browser that calls the emulator %s gets pages: %i', async (host, status) => {
  const { emulator } = await prepare();
  const headers = { host, origin: `http://${host}` };
  const page = await browse(emulator, 'GET', '/auth/login', { headers });
  const post = await browse(emulator, 'POST', '/auth/login', { headers, body: '{"email":"owner@example.test"}' });
  expect([page.status, post.status]).toEqual([status, status]);
});

it('the emulator knows its public name', async () => {
  const emulator = await startEmulator({ publicUrl: 'https://cloud.example.test' });
  const headers = { host: 'cloud.example.test', origin: 'https://cloud.example.test' };
  const post = await browse(emulator, 'POST', '/auth/login', { headers, body: '{"email":"owner@example.test"}' });
  expect(post.status).toBe(200);
});

it('whoever pays may pay, though his browser sends another program’s cookie', async () => {
  const { emulator } = await prepare();
  // One web framework has it so: three parts, but no token.
  const strangers = { cookie: 'session=eyJfcGVybWFuZW50Ijp0cnVlfQ.ZbX.sig' };
  const body = JSON.stringify({ name: 'web', project_name: 'web', ecr_image_uri: image });
  const unpaid = await browse(emulator, 'POST', '/api/v1/containers', { headers: strangers, body });
  expect(unpaid.status).toBe(401);
  expect(JSON.parse(unpaid.text).error.message).toContain('the session token in the cookie session must be signed');
  const challenge = { ...(await requirementOf(emulator)), maxAmountRequired: '500000' };
  const payment = await paymentHeader({ wallet, requirement: challenge });
  const paid = await browse(emulator, 'POST', '/api/v1/containers', { headers: { ...strangers, ...payment }, body });
  expect(paid.status).toBe(202);
});
