// Why a request failed: the earlier points that its rule has read, for mistakes that were made on purpose.

import { afterEach, describe, expect, it } from 'vitest';
import type { Emulator } from '../../../src/index.js';
import { itFull, sampleOf } from '../../support/campaign.js';
import { call, closeEmulators, deploy, image, startEmulator, startWorld } from '../../support/emulator.js';
import { eventually } from '../../support/eventually.js';
import { callWith } from '../../support/keys.js';

afterEach(closeEmulators);

const last = ({ controls }: Emulator): string => controls.requests.list({ limit: 1 }).requests[0]?.requestId ?? '';
const project = (name: string) => ({ name, project_name: name, ecr_image_uri: image });
const spend = (emulator: Emulator) => call(emulator, 'POST', '/api/v1/containers', project('web'));

/** Does something, and returns the number of its last point. */
async function pointOf(emulator: Emulator, act: () => unknown): Promise<number> {
  await act();
  return emulator.controls.history.list({ limit: 1 }).last ?? 0;
}

/** What is said about the last request. */
async function why(emulator: Emulator) {
  const { status, certain, chain, reason } = await emulator.controls.why({ requestId: last(emulator) });
  return {
    status,
    certain,
    points: chain.map(({ point }) => point),
    because: chain.map(({ because }) => because),
    reason,
  };
}

const quotas = { quotas: { enabled: false } };

describe('why a request failed', () => {
  it('a charge of another test took the credits', async () => {
    const emulator = await startEmulator(quotas);
    const { controls, organizationId } = emulator;
    await pointOf(emulator, () => controls.organizations.credits(organizationId, { set: 0.9 }));
    const charge = await pointOf(emulator, () => spend(emulator));
    await call(emulator, 'PATCH', '/api/v1/user', { name: 'Other' });
    await call(emulator, 'POST', '/api/v1/containers', project('shop'));
    expect(await why(emulator)).toMatchObject({ status: 402, certain: true, points: [charge] });
    expect((await why(emulator)).because).toEqual(['credits 0.9 → 0.4; before it, the answer is 202']);
    expect(controls.report().text).toMatch(
      new RegExp(`^Why POST /api/v1/containers got 402: \`.*cloudemu why --request ${last(emulator)}\` names`, 'm'),
    );
  });

  it('the balance was set by a control', async () => {
    const emulator = await startEmulator(quotas);
    const { controls, organizationId } = emulator;
    await spend(emulator);
    const set = await pointOf(emulator, () => controls.organizations.credits(organizationId, { set: 0.1 }));
    await call(emulator, 'POST', '/api/v1/containers', project('shop'));
    expect(await why(emulator)).toMatchObject({ status: 402, certain: true, points: [set] });
  });

  it.each(
    sampleOf(
      [
        ['was deleted', 'key ci: removed', 'DELETE', '', undefined],
        ['was given a new value', 'key ci: hash ', 'POST', '/regenerate', undefined],
        ['was switched off', 'key ci: is_active 1 → 0', 'PATCH', '', { is_active: false }],
      ],
      3,
    ),
  )('its key %s by a parallel worker', async (_, words, method, path, body) => {
    const emulator = await startEmulator();
    const key = emulator.controls.keys.create({ name: 'ci' });
    await call(emulator, 'GET', '/api/v1/containers');
    const point = await pointOf(emulator, () => call(emulator, method, `/api/v1/api-keys/${key.id}${path}`, body));
    await call(emulator, 'POST', '/api/v1/api-keys', { name: 'other' });
    await call(emulator, 'GET', '/api/v1/user', undefined, { authorization: `Bearer ${key.apiKey}` });
    const { because, ...rest } = await why(emulator);
    expect(rest).toMatchObject({ status: 401, certain: true, points: [point] });
    expect(because[0]).toContain(words);
    expect(because[0]).toContain('before it, the answer is 200');
  });

  itFull('its key has expired in a jump of the clock', async () => {
    const emulator = await startEmulator();
    const { controls } = emulator;
    let apiKey = '';
    ({ apiKey } = controls.keys.create({ expiresIn: '10m' }));
    await controls.clock.advance('1m');
    const jump = await pointOf(emulator, () => controls.clock.advance('1h'));
    await controls.clock.advance('1h');
    await call(emulator, 'GET', '/api/v1/user', undefined, { authorization: `Bearer ${apiKey}` });
    expect(await why(emulator)).toMatchObject({ status: 401, certain: true, points: [jump] });
  });

  itFull('a key that never was is none of this world', async () => {
    const emulator = await startEmulator();
    await call(emulator, 'GET', '/api/v1/user', undefined, { authorization: 'Bearer ek_test_never' });
    expect(await why(emulator)).toMatchObject({
      status: 401,
      points: [],
      certain: false,
    });
  });

  it('another container used the quota up', async () => {
    const emulator = await startEmulator();
    const { controls, organizationId } = emulator;
    controls.organizations.credits(organizationId, { set: 0.9 });
    const point = await pointOf(emulator, () => spend(emulator));
    await call(emulator, 'GET', '/api/v1/containers');
    await call(emulator, 'POST', '/api/v1/containers', project('shop'));
    expect(await why(emulator)).toMatchObject({ status: 403, certain: true, points: [point] });
  });

  it('the window was used up by requests, under a limit that was set', async () => {
    const emulator = await startEmulator();
    const { controls } = emulator;
    controls.limits.set({ operation: 'containers.list', limit: 2, window: '1m' });
    await call(emulator, 'GET', '/api/v1/containers');
    await call(emulator, 'GET', '/api/v1/user');
    const second = await pointOf(emulator, () => call(emulator, 'GET', '/api/v1/containers'));
    await call(emulator, 'GET', '/api/v1/containers');
    expect(await why(emulator)).toMatchObject({ status: 429, certain: true, points: [second] });
  });

  itFull('the window was used up by a control', async () => {
    const emulator = await startEmulator();
    const point = await pointOf(emulator, () =>
      emulator.controls.limits.exhaust({ operation: 'containers.list' } as never),
    );
    await call(emulator, 'GET', '/api/v1/user');
    await call(emulator, 'GET', '/api/v1/containers');
    expect(await why(emulator)).toMatchObject({ status: 429, points: [point] });
  });

  itFull('a name is taken', async () => {
    const emulator = await startEmulator(quotas);
    const point = await pointOf(emulator, () => spend(emulator));
    await call(emulator, 'POST', '/api/v1/containers', project('api'));
    await call(emulator, 'POST', '/api/v1/containers', { ...project('web'), project_name: 'other' });
    expect(await why(emulator)).toMatchObject({ status: 409, certain: true, points: [point] });
  });

  itFull('a fault was left armed', async () => {
    const emulator = await startEmulator();
    const { controls } = emulator;
    const point = await pointOf(emulator, () =>
      controls.faults.add({ match: { operation: 'containers.list' }, effect: { status: 503 } }),
    );
    controls.faults.add({ match: { operation: 'containers.get' }, effect: { status: 500 } });
    await call(emulator, 'GET', '/api/v1/containers');
    expect(await why(emulator)).toMatchObject({ status: 503, certain: true, points: [point] });
  });

  itFull('what it asks for was deleted', async () => {
    const emulator = await startEmulator();
    const { id } = await deploy(emulator);
    const point = await pointOf(emulator, () => call(emulator, 'DELETE', `/api/v1/containers/${id}`));
    await call(emulator, 'GET', `/api/v1/containers/${id}`);
    expect(await why(emulator)).toMatchObject({ status: 404, certain: true, points: [point] });
  });

  itFull('what it asks for never was', async () => {
    const emulator = await startEmulator();
    await call(emulator, 'GET', '/api/v1/containers/b1b1b1b1-0000-4000-8000-000000000000');
    expect(await why(emulator)).toMatchObject({ status: 404, certain: false, points: [] });
  });

  it('its container was to fail, or was made to', async () => {
    const emulator = await startEmulator(quotas);
    const { controls } = emulator;
    const doomed = { ...project('doomed'), ecr_image_uri: '127.0.0.1:4747/acme/web:fail-oom-start' };
    const planned = await pointOf(emulator, () => call(emulator, 'POST', '/api/v1/containers', doomed));
    const [{ id } = { id: '' }] = controls.containers.list();
    await controls.clock.advance('10m');
    await call(emulator, 'GET', `/api/v1/containers/${id}`);
    expect(await why(emulator)).toMatchObject({ status: 200, certain: true, points: [planned] });
    expect((await why(emulator)).because[0]).toContain('oom-start');
    const begun = await pointOf(emulator, () => spend(emulator));
    await controls.clock.advance('10m');
    const crashed = await pointOf(emulator, () => controls.containers.crash('web'));
    const [{ id: web } = { id: '' }] = controls.containers.list();
    await call(emulator, 'GET', `/api/v1/containers/${web}`);
    expect(await why(emulator)).toMatchObject({ points: [crashed, begun] });
  });

  it('the request itself was wrong', async () => {
    const emulator = await startEmulator();
    await call(emulator, 'POST', '/api/v1/containers', { name: '' });
    expect(await why(emulator)).toMatchObject({ status: 400, certain: false, points: [] });
    await call(emulator, 'GET', '/api/v1/containers');
    expect(await why(emulator)).toMatchObject({ status: 200, points: [], reason: 'it succeeded: nothing refused it' });
  });

  it('is refused for what is no request, and for what is not there', async () => {
    const emulator = await startEmulator();
    await emulator.controls.clock.advance('1m');
    await expect(emulator.controls.why({ requestId: '1' })).rejects.toThrow(/Point 1 is no request/);
    await expect(emulator.controls.why({ requestId: 'req_none' })).rejects.toThrow(/no request "req_none"/);
  });
});

describe('why something is not as expected', () => {
  it('is answered for the last request that it is about and that failed', async () => {
    const emulator = await startEmulator(quotas);
    const { controls } = emulator;
    await controls.scenarios.apply({
      expect: {
        holdings: [{ kind: 'container', name: 'shop' }],
        requests: [{ operation: 'keys.create', status: 201 }],
      },
    });
    controls.organizations.credits(emulator.organizationId, { set: 0.9 });
    await spend(emulator);
    const charge = controls.history.list({ limit: 1 }).last;
    await call(emulator, 'POST', '/api/v1/containers', project('shop'));
    const failed = last(emulator);
    await call(emulator, 'GET', '/api/v1/containers/none');
    const answer = await controls.why({ expectation: 'containers named shop' });
    expect(answer).toMatchObject({ requestId: failed, status: 402, chain: [{ point: charge }] });
    await expect(controls.why({ expectation: 'container named shop' })).rejects.toThrow(
      /names nothing that is expected here/,
    );
    await expect(controls.why({ expectation: 'requests of keys.create with 201' })).rejects.toThrow(
      /No request that it is about has failed/,
    );
    await call(emulator, 'POST', '/api/v1/api-keys', { name: 'ci' });
    await expect(controls.why({ expectation: 'requests of keys.create with 201' })).rejects.toThrow(
      /is as expected: 1/,
    );
    await expect(controls.why({})).rejects.toThrow(/requestId or `expectation` is needed/);
    await expect(controls.why({ requestId: failed, expectation: 'x' })).rejects.toThrow(
      /cannot be given with `expectation`/,
    );
  });
});

it.each(sampleOf(['key', 'session'], 2))(
  'says of a %s that expired as time went on that no point has done it',
  async (noun) => {
    const world = await startWorld();
    const { controls } = world;
    await controls.clock.resume();
    const value =
      noun === 'key'
        ? controls.keys.create({ expiresIn: '1s' }).apiKey
        : controls.sessions.create({ expiresIn: '1s' }).token;
    let requestId = '';
    await eventually(async () => {
      const answer = await callWith(world, value, 'GET', '/api/v1/user');
      requestId = answer.headers.get('x-request-id') ?? '';
      return answer.status === 401;
    });
    const { certain, chain, reason } = await controls.why({ requestId });
    expect([certain, chain]).toEqual([false, []]);
    expect(reason).toMatch(
      /No point has decided it, but the time since then: right after point \d+, the answer is 200$/,
    );
  },
);
