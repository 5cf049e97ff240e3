// Sessions: who is let in with which token, and what each refusal says.

import { describe, expect, it } from 'vitest';
import { tempDir } from '../../support/command.js';
import { startEmulator } from '../../support/emulator.js';
import { browse, callAs, decode, forge, refusalOf, user } from '../../support/sessions.js';

it('a session’s token lets a person in as bearer and as cookie', async () => {
  const emulator = await startEmulator();
  const { token, cookie, userId, email, expiresAt, state } = emulator.controls.sessions.create();
  expect([userId, email, state]).toEqual([emulator.userId, 'owner@example.test', 'active']);
  expect(expiresAt).toBe('2026-01-02T00:00:00.000Z');
  const answer = await callAs(emulator, token, 'GET', user);
  expect([answer.status, answer.body.data.id]).toEqual([200, userId]);
  expect(cookie).toBe(`session=${token}`);
  const browsed = await browse(emulator, 'GET', user, { headers: { cookie: `theme=dark; ${cookie}; other=1` } });
  expect([browsed.status, JSON.parse(browsed.text).data.id]).toEqual([200, userId]);
});

it('a blank bearer token is refused, also beside a cookie', async () => {
  const emulator = await startEmulator();
  const { cookie } = emulator.controls.sessions.create();
  const asked = (authorization: string) =>
    browse(emulator, 'GET', user, { headers: { authorization, cookie } }).then(({ status }) => status);
  expect([await asked('Bearer'), await asked('bearer '), await asked('')]).toEqual([401, 401, 200]);
});

it('a session’s token has claims that clients can read', async () => {
  const emulator = await startEmulator();
  const { token, id } = emulator.controls.sessions.create({ expiresIn: '10m' });
  const iat = Date.parse('2026-01-01T00:00:00Z') / 1_000;
  expect(decode(token)).toEqual([
    { alg: 'HS256', typ: 'JWT' },
    {
      iss: 'cloudemu',
      aud: 'default',
      sub: emulator.userId,
      sid: id,
      org: emulator.organizationId,
      iat,
      exp: iat + 600,
    },
  ]);
});

it('a session’s token shows clients the wall’s time of expiry while the clock runs', async () => {
  const emulator = await startEmulator({ clock: '2020-01-01T00:00:00Z', frozen: false });
  const { token } = emulator.controls.sessions.create({ expiresIn: '10m' });
  expect(Math.abs(decode(token)[1].exp - (Date.now() / 1_000 + 600))).toBeLessThan(60);
  expect((await callAs(emulator, token, 'GET', user)).status).toBe(200);
});

it('a session’s token expires by virtual time', async () => {
  const emulator = await startEmulator();
  const { token } = emulator.controls.sessions.create({ expiresIn: '10m' });
  await emulator.controls.clock.advance('599s');
  expect((await callAs(emulator, token, 'GET', user)).status).toBe(200);
  await emulator.controls.clock.advance('1s');
  const answer = await callAs(emulator, token, 'GET', user);
  expect(answer.body.error).toMatchObject({
    code: 'UNAUTHORIZED',
    message: expect.stringContaining('expired at 2026-01-01T00:10:00.000Z'),
    details: { reason: 'expired', expiredAt: '2026-01-01T00:10:00.000Z' },
  });
});

it('a session is ended by control, at once', async () => {
  const emulator = await startEmulator();
  const { token, id } = emulator.controls.sessions.create();
  expect((await callAs(emulator, token, 'GET', user)).status).toBe(200);
  expect(emulator.controls.sessions.revoke(id).state).toBe('revoked');
  const answer = await callAs(emulator, token, 'GET', user);
  expect(refusalOf(answer)).toEqual([401, 'revoked']);
  expect(answer.body.error.details.revokedAt).toBe('2026-01-01T00:00:00.000Z');
  await emulator.controls.clock.advance('1h');
  expect(emulator.controls.sessions.revoke(id).state).toBe('revoked');
  expect((await callAs(emulator, token, 'GET', user)).body.error.details.revokedAt).toBe('2026-01-01T00:00:00.000Z');
});

describe('a token that was tampered with', () => {
  const parts = (token: string): [string, string, string] => token.split('.') as [string, string, string];

  it.each<[string, (token: string) => string, string]>([
    ['has another signature', (token) => `${token.slice(0, -6)}AAAAAA`, 'wrong-signature'],
    ['has a signature of another length', (token) => `${token}AA`, 'wrong-signature'],
    [
      // The last character of 43 has four bits that mean nothing.
      'writes the same signature otherwise',
      (token) => token.slice(0, -1) + String.fromCharCode(token.charCodeAt(token.length - 1) + 1),
      'wrong-signature',
    ],
    [
      'has other claims',
      (token) => {
        const [header, , signature] = parts(token);
        const claims = { ...decode(token)[1], exp: 4_000_000_000 };
        return `${header}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.${signature}`;
      },
      'wrong-signature',
    ],
    [
      'is signed with another secret',
      (token) => forge(decode(token)[0], decode(token)[1], 'guessed'),
      'wrong-signature',
    ],
    ['is signed with no secret', (token) => forge(decode(token)[0], decode(token)[1], ''), 'wrong-signature'],
    ['wants no signature', (token) => `${forge({ alg: 'none' }, decode(token)[1], undefined)}x`, 'wrong-algorithm'],
    ['has no signature', (token) => forge({ alg: 'none' }, decode(token)[1], undefined), 'malformed'],
    [
      'spells the algorithm in its own way',
      (token) => forge({ alg: 'hs256' }, decode(token)[1], 'x'),
      'wrong-algorithm',
    ],
    ['is another provider’s', (token) => forge({ alg: 'RS256', kid: '1' }, decode(token)[1], 'x'), 'wrong-algorithm'],
    ['names a list of algorithms', (token) => forge({ alg: ['HS256'] }, decode(token)[1], 'x'), 'wrong-algorithm'],
    ['is no JSON', () => 'bm90.anNvbg.c2ln', 'malformed'],
    ['is empty', () => '..', 'malformed'],
    ['is a number', () => 'MQ.MQ.MQ', 'malformed'],
    ['is endless', (token) => `${token.split('.', 2).join('.')}.${'A'.repeat(5_000)}`, 'malformed'],
  ])('in this way is refused: %s', async (_, tamper, reason) => {
    const emulator = await startEmulator();
    const token = tamper(emulator.controls.sessions.create().token);
    expect(token.split('.')).toHaveLength(3);
    const bearer = await callAs(emulator, token, 'GET', user);
    expect(refusalOf(bearer)).toEqual([401, reason]);
    expect(bearer.text).not.toContain(token.split('.')[2] || 'nothing');
    const cookie = await browse(emulator, 'GET', user, { headers: { cookie: `session=${token}` } });
    expect([cookie.status, JSON.parse(cookie.text).error.details.reason]).toEqual([401, reason]);
  });
});

it('a token of somebody else is refused with what is wrong with it in so many words', async () => {
  const emulator = await startEmulator();
  const answer = await callAs(emulator, forge({ alg: 'RS256' }, { sub: '1' }, 'x'), 'GET', user);
  expect(answer.body.error.message).toBe(
    'Invalid or missing authentication: the session token must be signed with HS256: its alg is "RS256"',
  );
});

it('a token that is sent as a key is refused with the reason', async () => {
  const emulator = await startEmulator();
  const { token } = emulator.controls.sessions.create();
  const answer = await callAs(emulator, '', 'GET', user, undefined, { authorization: '', 'x-api-key': token });
  expect(answer.status).toBe(401);
  expect(answer.body.error.message).toContain('X-API-Key holds a session token: send it as Authorization: Bearer');
});

it.each([
  ['the same seed', 'test'],
  ['another seed', 'other'],
])('a session’s token names the world that it belongs to: %s', async (_, seed) => {
  const emulator = await startEmulator();
  const world = await emulator.createWorld({ id: 'blue', seed });
  const there = world.controls.sessions.create();
  const here = emulator.controls.sessions.create();
  const wrong = await callAs(emulator, there.token, 'GET', user);
  expect(refusalOf(wrong)).toEqual([401, 'other-world']);
  expect(wrong.body.error.message).toContain(
    `belongs to the world "blue", at http://127.0.0.1:${emulator.port}/w/blue; this is the world "default"`,
  );
  const back = await callAs(emulator, here.token, 'GET', `/w/blue${user}`);
  expect(refusalOf(back)).toEqual([401, 'other-world']);
  expect(back.body.error.message).toContain(`belongs to the world "default", at http://127.0.0.1:${emulator.port};`);
  expect((await callAs(emulator, there.token, 'GET', `/w/blue${user}`)).status).toBe(200);
});

it('a session’s cookie comes after every other credential', async () => {
  const emulator = await startEmulator();
  const { cookie, token } = emulator.controls.sessions.create();
  const other = emulator.controls.organizations.create({ name: 'Other' });
  const status = async (headers: Record<string, string>) => {
    const { status, text } = await browse(emulator, 'GET', user, { headers: { cookie, ...headers } });
    return [status, JSON.parse(text).data?.organization.name];
  };
  expect(await status({})).toEqual([200, 'Example Organization']);
  expect(await status({ authorization: `Bearer ${other.apiKey}` })).toEqual([200, 'Other']);
  expect(await status({ 'x-api-key': other.apiKey, authorization: `Bearer ${token}` })).toEqual([200, 'Other']);
  expect(await status({ authorization: 'Bearer ek_test_unknown' })).toEqual([401, undefined]);
  expect(await status({ 'x-wallet-address': '1', 'x-timestamp': '2', 'x-wallet-signature': '3' })).toEqual([
    401,
    undefined,
  ]);
});

it('requests with sessions count in the limits by user, whatever the session', async () => {
  const emulator = await startEmulator({ rateLimits: { perKey: 3 } });
  const [one, two] = [emulator.controls.sessions.create(), emulator.controls.sessions.create()];
  await callAs(emulator, one.token, 'GET', user);
  const answer = await callAs(emulator, two.token, 'GET', user);
  expect(answer.headers.get('x-ratelimit-remaining')).toBe('1');
  expect(emulator.controls.requests.list().requests[0]?.caller).toBe(`user:${emulator.userId}`);
});

it('a session survives a world’s end and beginning on disk', async () => {
  const dataDir = tempDir();
  const first = await startEmulator({ dataDir });
  const { token } = first.controls.sessions.create();
  await first.close();
  const second = await startEmulator({ dataDir });
  expect((await callAs(second, token, 'GET', user)).status).toBe(200);
  await second.close();
});
