// Pushes and pulls are for credentials of the containers endpoint, and tokens in context for them.

import { beforeEach, describe, expect, it } from 'vitest';
import type { Emulator } from '../../../src/index.js';
import { sampleOf } from '../../support/campaign.js';
import { tempDir } from '../../support/command.js';
import { startEmulator } from '../../support/emulator.js';
import { basic, image, layer, logIn, type Repository } from '../../support/oci.js';

let emulator: Emulator;
let repository: Repository;
beforeEach(async () => {
  emulator = await startEmulator();
  repository = await logIn(emulator);
});

const tokenOf = async (one: Repository): Promise<string> =>
  `Bearer ${(await one.send('GET', '/v2/token?account=AWS&service=x&scope=repository:any:pull,push')).body.token}`;

describe('credentials', () => {
  const pushed = image();
  it('let in for twelve hours of virtual time', async () => {
    await repository.push('v1', pushed);
    await emulator.controls.clock.advance('11h 59m');
    expect((await repository.send('GET', '/tags/list')).body.tags).toEqual(['v1']);
    await emulator.controls.clock.advance('1m');
    const answer = await repository.send('GET', '/tags/list');
    expect([answer.status, answer.body.errors[0].code]).toEqual([401, 'UNAUTHORIZED']);
    expect(answer.body.errors[0].message).toContain('have expired');
  });

  it('that expire in mid-push stop it; new ones go on with the same upload', async () => {
    const blob = layer('0123456789');
    const location = await repository.begin();
    const first = await repository.send('PATCH', location, { body: '01234' });
    expect(first.status).toBe(202);
    await emulator.controls.clock.advance('12h');
    const refused = await repository.send('PATCH', location, { body: '56789' });
    expect([refused.status, refused.headers['www-authenticate']]).toEqual([401, expect.stringMatching(/^Basic /)]);
    const again = await logIn(emulator);
    expect((await again.send('GET', location)).headers.range).toBe('0-4');
    expect((await again.send('PUT', `${location}?digest=${blob.digest}`, { body: '56789' })).status).toBe(201);
  });

  it('survive a restart', async () => {
    const dataDir = tempDir();
    const before = await startEmulator({ dataDir });
    const there = await logIn(before);
    await there.push('v1', pushed);
    await before.close();
    const { send } = await logIn(await startEmulator({ dataDir }));
    const answer = await send('GET', '/manifests/v1', { authorization: there.authorization });
    expect([answer.status, answer.bytes]).toEqual([200, pushed.bytes]);
  });

  it.each(['GET', 'POST', 'PATCH', 'PUT', 'DELETE'])('are for one repository only (%s)', async (method) => {
    const other = await logIn(emulator, 'other');
    const path = method === 'PATCH' ? '/blobs/uploads/x' : method === 'POST' ? '/blobs/uploads/' : '/manifests/v1';
    const answer = await other.send(method, path, { authorization: repository.authorization, body: '{}' });
    expect([answer.status, answer.body.errors[0].code]).toEqual([403, 'DENIED']);
  });

  it('are for one organization only', async () => {
    const { apiKey } = emulator.controls.organizations.create({ name: 'Other' });
    const foreign = await logIn({ url: emulator.url, fetch: emulator.fetch, apiKey });
    const blob = layer();
    await foreign.pushBlob(blob);
    for (const path of [`${foreign.path}/tags/list`, `${foreign.path}/blobs/${blob.digest}`]) {
      const answer = await repository.send('GET', path);
      expect([answer.status, answer.body.errors[0].code]).toEqual([403, 'DENIED']);
    }
    const mount = await repository.send('POST', `/blobs/uploads/?mount=${blob.digest}&from=${foreign.name}`);
    expect(mount.status).toBe(202);
  });

  it('are for one world only, also where worlds have the same seed', async () => {
    const worlds = [
      await emulator.createWorld({ id: 'one', seed: 'same' }),
      await emulator.createWorld({ id: 'two', seed: 'same' }),
    ] as const;
    const [one, two] = [await logIn(worlds[0]), await logIn(worlds[1])];
    expect(one.name).toBe(two.name);
    await one.push('v1', pushed);
    const answer = await two.send('GET', '/manifests/v1', { authorization: one.authorization });
    expect([answer.status, answer.body.errors[0].message]).toEqual([401, expect.stringContaining('the world "one"')]);
    expect((await two.send('GET', '/manifests/v1')).status).toBe(404);
    // Only what names the world is this world's own: /v2/ goes by the credentials.
    expect((await one.send('GET', '/v2/')).headers['x-emulator-world']).toBe('one');
  });

  const wrong: [what: string, authorization: () => string | null, reason: string][] = [
    ['no credentials', () => null, 'log in with'],
    ['another user', () => basic('admin', repository.password), 'the user name is AWS'],
    ['another password', () => basic('AWS', 'secret'), 'the password is unknown'],
    ['a damaged password', () => basic('AWS', `${repository.password.slice(0, -1)}x`), 'the password is unknown'],
    ['an empty password', () => basic('AWS', ''), 'the password is unknown'],
    ['no colon', () => `Basic ${Buffer.from('AWS').toString('base64')}`, 'the user name is AWS'],
    ['what is not base64', () => 'Basic ?', 'the user name is AWS'],
    ['another scheme', () => 'Digest username="AWS"', 'log in with'],
    ['the password as a token', () => `Bearer ${repository.password}`, 'the token is unknown'],
    ['the platform’s key', () => `Bearer ${emulator.apiKey}`, 'the token is unknown'],
  ];
  it.each(sampleOf(wrong, 3))(
    '%s is 401 with the reason and the way to log in',
    async (_what, authorization, reason) => {
      for (const path of ['/v2/', '/tags/list', '/v2/token']) {
        const answer = await repository.send('GET', path, { authorization: authorization() });
        expect([path, answer.status, answer.body.errors[0].code]).toEqual([path, 401, 'UNAUTHORIZED']);
        expect(answer.body.errors[0].message).toContain(reason);
        expect(answer.headers['www-authenticate']).toBe('Basic realm="cloudemu"');
        expect(answer.headers['docker-distribution-api-version']).toBe('registry/2.0');
      }
    },
  );

  it('are asked for before anything is said of names', async () => {
    const answer = await repository.send('GET', '/v2/UPPER/tags/list', { authorization: null });
    expect(answer.status).toBe(401);
  });

  const noNames = [
    'UPPER/app',
    'a..b/app',
    '-a/app',
    'a//b',
    '../etc',
    'a/ü',
    'a%2Fb',
    'a'.repeat(256),
    'a/b.',
    'a/_b',
  ];
  it.each(sampleOf(noNames, 4))('refuse %s as no name of a repository', async (name) => {
    const answer = await repository.send('GET', `/v2/${encodeURI(name)}/tags/list`);
    expect([answer.status, answer.body.errors[0].code]).toEqual([400, 'NAME_INVALID']);
  });

  it('refuse a world that does not exist', async () => {
    const answer = await repository.send('GET', `/v2/w/nowhere/${repository.name}/tags/list`);
    expect([answer.status, answer.body.errors[0].code]).toEqual([404, 'NAME_UNKNOWN']);
  });
});

describe('tokens', () => {
  beforeEach(async () => {
    emulator = await startEmulator({ registry: { challenge: 'bearer' } });
    repository = await logIn(emulator);
  });

  it('are what the challenge asks for, with service and scope', async () => {
    const { host } = new URL(emulator.url);
    const bare = await repository.send('GET', '/v2/', { authorization: null });
    expect(bare.headers['www-authenticate']).toBe(`Bearer realm="http://${host}/v2/token",service="${host}"`);
    const answer = await repository.send('GET', '/tags/list', { authorization: null });
    expect(answer.headers['www-authenticate']).toBe(
      `Bearer realm="http://${host}/v2/token",service="${host}",scope="repository:${repository.name}:pull,push"`,
    );
  });

  it('name the world in the scope', async () => {
    const world = await emulator.createWorld({ id: 'beside' });
    const there = await logIn(world);
    const answer = await there.send('GET', '/tags/list', { authorization: null });
    expect(answer.headers['www-authenticate']).toContain(`scope="repository:w/beside/${there.name}:pull,push"`);
  });

  it('are given for credentials, and let in for five minutes', async () => {
    const { status, body } = await repository.send('GET', '/v2/token?scope=repository:x:pull');
    expect([status, body.access_token, body.expires_in]).toEqual([200, body.token, 300]);
    expect(body.issued_at).toBe('2026-01-01T00:00:00.000Z');
    const authorization = `Bearer ${body.token}`;
    expect((await repository.send('GET', '/v2/', { authorization })).status).toBe(200);
    await emulator.controls.clock.advance('5m');
    const expired = await repository.send('GET', '/v2/', { authorization });
    expect([expired.status, expired.body.errors[0].message]).toEqual([401, expect.stringContaining('has expired')]);
    expect(expired.headers['www-authenticate']).toMatch(/^Bearer /);
  });

  it('last no longer than the credentials', async () => {
    await emulator.controls.clock.advance('11h 58m');
    expect((await repository.send('GET', '/v2/token')).body.expires_in).toBe(120);
  });

  it('push and pull in the one repository', async () => {
    const authorization = await tokenOf(repository);
    const blob = layer();
    const options = { authorization, body: blob.bytes };
    expect((await repository.send('POST', `/blobs/uploads/?digest=${blob.digest}`, options)).status).toBe(201);
    expect((await repository.send('GET', `/blobs/${blob.digest}`, { authorization })).bytes).toEqual(blob.bytes);
    const other = await logIn(emulator, 'other');
    expect((await other.send('GET', '/tags/list', { authorization })).status).toBe(403);
  });

  it('are no credentials for further tokens', async () => {
    const token = (await tokenOf(repository)).slice('Bearer '.length);
    expect((await repository.send('GET', '/v2/token', { authorization: basic('AWS', token) })).status).toBe(401);
  });

  it('are taken beside the credentials themselves, which are taken everywhere', async () => {
    expect((await repository.send('GET', '/v2/')).status).toBe(200);
  });
});
