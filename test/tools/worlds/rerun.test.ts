// A request of the journal, sent again where it came: unchanged it comes to the same, and otherwise it shows what would have been.

import { afterEach, describe, expect, it } from 'vitest';
import type { Emulator } from '../../../src/index.js';
import { call, closeEmulators, deploy, image, startEmulator } from '../../support/emulator.js';

afterEach(closeEmulators);

const last = ({ controls }: Emulator): string => controls.requests.list({ limit: 1 }).requests[0]?.requestId ?? '';

describe('a request that is sent again', () => {
  it('comes to the same, with those that followed, and changes nothing here', async () => {
    const emulator = await startEmulator();
    const { controls } = emulator;
    await call(emulator, 'GET', '/api/v1/credits/balance');
    const { id } = await deploy(emulator);
    const requestId = last(emulator);
    await controls.clock.advance('5s');
    await call(emulator, 'GET', `/api/v1/containers/${id}`);
    await call(emulator, 'POST', '/api/v1/api-keys', { name: 'ci' });
    await call(emulator, 'GET', '/api/v1/nowhere');
    const before = controls.history.list().last;
    const { world, original, rerun, changes, followed, partsAt } = await controls.requests.rerun(requestId, {
      through: 9,
    });
    expect({ followed, partsAt }).toEqual({ followed: 3, partsAt: null });
    expect(rerun).toMatchObject({ requestId, status: 202 });
    expect(rerun.body).toContain(id);
    expect(original.status).toBe(202);
    expect(changes.rerun).toEqual(changes.original);
    expect(controls.history.list().last).toBe(before);
    expect(controls.worlds.list().map((one) => one.id)).toContain(world);
  });

  it('shows what would have been, and where the histories part', async () => {
    const emulator = await startEmulator();
    const { controls, organizationId } = emulator;
    controls.organizations.credits(organizationId, { set: 0.2 });
    await call(emulator, 'POST', '/api/v1/containers', { name: 'web', project_name: 'web', ecr_image_uri: image });
    const refused = last(emulator);
    await call(emulator, 'GET', '/api/v1/containers');
    const list = last(emulator);
    const rich = controls.organizations.create({ credits: 100 });
    const same = await controls.requests.rerun(refused, { through: 1, keep: false });
    expect(same).toMatchObject({ world: null, partsAt: null, rerun: { status: 402 } });
    await expect(controls.requests.rerun(refused, { as: rich.apiKey })).resolves.toMatchObject({
      original: { status: 402 },
      rerun: { status: 401 },
      partsAt: refused,
    });
    const { requestId } = controls.requests.list({ operation: 'containers.create' }).requests[0] ?? { requestId: '' };
    expect(requestId).toBe(refused);
    const renamed = await controls.requests.rerun(list, { headers: { 'x-other': 'yes' } });
    expect(renamed.partsAt).toBeNull();
  });

  it('refuses a key or a header with which no request can be sent', async () => {
    const emulator = await startEmulator();
    await call(emulator, 'GET', '/api/v1/containers');
    for (const [changes, path] of [
      [{ as: 'two\nlines' }, 'as'],
      [{ headers: { 'x-one': 'two\nlines' } }, 'headers.x-one'],
      [{ headers: { 'no name': 'x' } }, 'headers.no name'],
    ] as const)
      await expect(emulator.controls.requests.rerun(last(emulator), changes)).rejects.toThrow(path);
  });

  it('proves that a place is exact, or says where it is not', async () => {
    const emulator = await startEmulator();
    const { controls, organizationId } = emulator;
    const { id } = await deploy(emulator);
    const begun = last(emulator);
    await call(emulator, 'GET', `/api/v1/containers/${id}`);
    const proof = { verify: true, through: 1 };
    expect(await controls.requests.rerun(begun, proof)).toMatchObject({ world: null, partsAt: null, followed: 1 });
    expect(controls.worlds.list()).toHaveLength(1);
    // What happens between requests is not repeated.
    controls.organizations.credits(organizationId, { set: 5 });
    await call(emulator, 'GET', '/api/v1/credits/balance');
    await expect(controls.requests.rerun(begun, { ...proof, through: 2 })).rejects.toThrow(
      `${last(emulator)} has another answer or changes other rows when it is sent again`,
    );
    await expect(controls.requests.rerun(begun, { ...proof, set: { name: 'other' } })).rejects.toThrow(
      'set cannot be given with `verify`',
    );
  });

  it('comes to the same where time runs on between its arrival and its effect', async () => {
    const emulator = await startEmulator();
    emulator.controls.clock.resume({ speed: 10_000 });
    // A turn of the wall's clock lies between both instants of some of them.
    for (let number = 0; number < 40; number++)
      await call(emulator, 'POST', '/api/v1/api-keys', { name: `key ${number}` });
    emulator.controls.clock.freeze();
    const { requests } = emulator.controls.requests.list({ operation: 'keys.create' });
    const late = requests.filter((one) => Date.parse(one.responseHeaders['x-emulator-now'] ?? '') > one.at);
    expect(late).not.toEqual([]);
    for (const { requestId } of late.slice(0, 3))
      expect(await emulator.controls.requests.rerun(requestId, { verify: true })).toMatchObject({ partsAt: null });
  });

  it('comes to the same but for the address of the world and the port of a container', async () => {
    const emulator = await startEmulator({ hostedAgents: { timing: 'instant', warmPool: 1 } });
    const { id } = await deploy(emulator);
    await call(emulator, 'POST', '/api/v1/eliza/agents', { agentName: 'Ada', alwaysOn: true });
    await emulator.controls.clock.advance('1h');
    const { body } = await call(emulator, 'GET', `/api/v1/containers/${id}`);
    expect(body.data.url).toMatch(/:\d+$/);
    const { requests } = emulator.controls.requests.list();
    expect(requests).toHaveLength(3);
    for (const { requestId, operation } of requests)
      expect((await emulator.controls.requests.rerun(requestId, { verify: true })).partsAt, String(operation)).toBe(
        null,
      );
  });

  it.each(['spec', 'elizacloud-v1'] as const)(
    'comes to the same where it deletes a container: profile %s',
    async (profile) => {
      const emulator = await startEmulator({ profile });
      await call(emulator, 'GET', '/api/v1/credits/balance');
      const { id } = await deploy(emulator);
      await emulator.controls.clock.advance('5m');
      await call(emulator, 'DELETE', `/api/v1/containers/${id}`);
      const verified = await emulator.controls.requests.rerun(last(emulator), { verify: true });
      expect(verified).toMatchObject({ partsAt: null, rerun: { status: 200 } });
    },
  );

  it('is followed up to one whose body was not kept whole, and says so', async () => {
    const emulator = await startEmulator();
    const { controls } = emulator;
    await call(emulator, 'POST', '/api/v1/api-keys', { name: 'ci' });
    const begun = last(emulator);
    await call(emulator, 'GET', '/api/v1/credits/balance');
    await call(emulator, 'POST', '/api/v1/knowledge', { content: 'long '.repeat(2_000) });
    const long = last(emulator);
    await call(emulator, 'GET', '/api/v1/credits/balance');
    const reason = `The request ${long} cannot be sent again as it was: its body was not kept whole: give it with --body`;
    const endedBefore = { requestId: long, reason };
    expect(await controls.requests.rerun(begun, { through: 9 })).toMatchObject({
      followed: 1,
      partsAt: null,
      endedBefore,
    });
    expect(await controls.requests.rerun(begun, { through: 1 })).toMatchObject({ followed: 1, endedBefore: null });
    await expect(controls.requests.rerun(begun, { through: 9, verify: true })).rejects.toThrow(
      `Not all can be verified: ${reason}`,
    );
    await expect(controls.requests.rerun(long)).rejects.toThrow(reason);
  });

  it('takes another body, fields of it, and the key that a client created', async () => {
    const emulator = await startEmulator();
    const { controls } = emulator;
    const { body } = await call(emulator, 'POST', '/api/v1/api-keys', { name: 'ci' });
    const apiKey = body.apiKey?.key ?? body.plainKey ?? body.data?.plainKey;
    const fields = { name: 'web', project_name: 'web', ecr_image_uri: image, environment_vars: { MODE: 'test' } };
    await call({ ...emulator, apiKey, fetch: emulator.fetch }, 'POST', '/api/v1/containers', fields);
    const requestId = last(emulator);
    const set = { name: 'shop', 'environment_vars.MODE': 'other' };
    const again = await controls.requests.rerun(requestId, { set });
    expect(again).toMatchObject({ original: { status: 202 }, rerun: { status: 202 }, partsAt: requestId });
    expect(again.rerun.body).toContain('"name":"shop"');
    await expect(controls.requests.rerun(requestId, { body: { name: 'x' } })).resolves.toMatchObject({
      rerun: { status: 400 },
    });
    await expect(controls.requests.rerun(requestId, { set: { 'nothing.there': 1 } })).rejects.toThrow(
      /there is no nothing/,
    );
  });

  it('is refused where a part of it was not kept, and says what to give', async () => {
    const emulator = await startEmulator();
    const { controls } = emulator;
    await deploy(emulator, { environment_vars: { API_TOKEN: 'planted-secret' } });
    const secret = last(emulator);
    await call(emulator, 'POST', '/api/v1/app/agents', { name: 'Ada', bio: 'much '.repeat(4_000) });
    const long = last(emulator);
    await call({ ...emulator, apiKey: 'ek_test_wrong', fetch: emulator.fetch }, 'GET', '/api/v1/user');
    const stranger = last(emulator);
    await call(emulator, 'GET', `/api/v1/containers/${'a'.repeat(900)}`);
    const far = last(emulator);
    await call(emulator, 'GET', '/api/v1/user', undefined, { 'x-note': 'b'.repeat(3_000) });
    const noted = last(emulator);
    const { requests } = controls;
    await expect(requests.rerun(far)).rejects.toThrow('its URL was not kept whole');
    await expect(requests.rerun(noted)).rejects.toThrow('its header x-note was not kept whole: give it with --header');
    await expect(requests.rerun(noted, { headers: { 'x-note': 'b' }, keep: false })).resolves.toMatchObject({
      rerun: { status: 200 },
    });
    const name = /field (environment_vars\.API_TOKEN) holds a secret: give it with --set/;
    await expect(requests.rerun(secret)).rejects.toThrow(name);
    await expect(requests.rerun(secret, { set: { 'environment_vars.API_TOKEN': 'x' } })).resolves.toMatchObject({
      rerun: { status: 202 },
    });
    await expect(requests.rerun(long)).rejects.toThrow(/body was not kept whole: give it with --body/);
    await expect(requests.rerun(stranger)).rejects.toThrow(/without a key of this world: give one with --as/);
    await expect(requests.rerun('req_none')).rejects.toThrow(/holds no request "req_none"/);
    expect(controls.worlds.list()).toHaveLength(2);
  });
});
