// The history of a world as the control plane shows it, and the worlds that are forked from it.

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Emulator, EmulatorWorld } from '../../../src/index.js';
import { sampleOf } from '../../support/campaign.js';
import { tempDir } from '../../support/command.js';
import { call, closeEmulators, deploy, image, startEmulator } from '../../support/emulator.js';

afterEach(closeEmulators);

const summaries = ({ controls }: Awaited<ReturnType<typeof startEmulator>>, query = {}): string[] =>
  controls.history.list(query).points.map(({ kind, summary }) => `${kind} ${summary}`);

describe('the history', () => {
  it('says what each point was, and what it changed', async () => {
    const emulator = await startEmulator();
    const { controls, organizationId } = emulator;
    await deploy(emulator, { name: 'shop', project_name: 'shop' });
    controls.organizations.credits(organizationId, { set: 0.2 });
    await call(emulator, 'POST', '/api/v1/api-keys', { name: 'ci' });
    await controls.clock.advance('10m');
    controls.containers.crash('shop');
    controls.faults.add({ match: { operation: 'containers.list' }, when: { times: 1 }, effect: { status: 503 } });
    await call(emulator, 'GET', '/api/v1/containers');
    controls.snapshots.take({ name: 'now' });
    await controls.snapshots.restore('now');
    expect(summaries(emulator)).toEqual([
      'request POST /api/v1/containers 202: credits 1000 → 999.5; container shop: created; deployment of shop: begun',
      'control organizations.credits: credits 999.5 → 0.2',
      'request POST /api/v1/api-keys 201: key ci: created',
      'clock clock now 2026-01-01T00:00:00.000Z → 2026-01-01T00:10:00.000Z',
      'control containers.crash: container shop: crash',
      'control faults.add: fault fault_1: created',
      'fault a fault rule was counted: counts of fault 1: seen 0 → 1, hits 0 → 1',
      'request GET /api/v1/containers 503',
      'restore snapshot restored: now',
    ]);
    expect(summaries(emulator, { after: 3, limit: 2 })).toHaveLength(2);
    expect(controls.history.list({ kind: 'clock' })).toMatchObject({ points: [{ point: 4 }], first: 1, last: 9 });
    expect(controls.history.list({ before: 3 }).points.map(({ point }) => point)).toEqual([1, 2]);
    expect(controls.history.list({ limit: 2 })).toMatchObject({ points: [{ point: 8 }, { point: 9 }], first: 1 });
    expect(controls.history.list({ kind: 'control', limit: 2 }).points.map(({ point }) => point)).toEqual([5, 6]);
    expect(controls.history.show(3).changes).toEqual(controls.history.show('3').changes);
  });

  it('has the world as it was', async () => {
    const emulator = await startEmulator();
    const { controls } = emulator;
    await deploy(emulator);
    await controls.clock.advance('10m');
    await call(emulator, 'GET', '/api/v1/credits/balance');
    const { state } = controls.history.show('1', { state: true });
    expect(state).toMatchObject({
      now: '2026-01-01T00:00:00.000Z',
      containers: [{ name: 'web', status: 'pending' }],
      organizations: [{ credits: 999.5 }],
      limits: [{ used: 1 }],
    });
  });

  it('is empty after a reset, and its numbers go on', async () => {
    const emulator = await startEmulator();
    await deploy(emulator);
    emulator.controls.reset();
    expect(emulator.controls.history.list()).toEqual({ points: [], first: null, last: null });
    await deploy(emulator);
    expect(emulator.controls.history.list()).toMatchObject({ first: 2, last: 2 });
  });

  it('is refused where it is off', async () => {
    const emulator = await startEmulator({ data: { history: 'off' } });
    expect(() => emulator.controls.history.list()).toThrow(/data\.history off/);
  });
});

describe('a fork', () => {
  it('goes on with keys, ids, limits and faults, and leaves its source as it is', async () => {
    const emulator = await startEmulator();
    const { controls } = emulator;
    controls.faults.add({ match: { operation: 'containers.get' }, when: { times: 2 }, effect: { status: 503 } });
    const { body } = await call(emulator, 'POST', '/api/v1/api-keys', { name: 'ci' });
    const key = body.apiKey?.key ?? body.plainKey;
    await call(emulator, 'GET', '/api/v1/containers/none');
    const { last } = controls.history.list();
    const first = await deploy(emulator);
    const fork = await emulator.createWorld({ at: { point: last ?? 0 } });
    const again = await deploy(fork);
    expect(again.id).toBe(first.id);
    expect((await call(fork, 'GET', '/api/v1/user', undefined, { authorization: `Bearer ${key}` })).status).toBe(200);
    expect((await call(fork, 'GET', '/api/v1/containers/none')).status).toBe(503);
    expect((await call(fork, 'GET', '/api/v1/containers/none')).status).toBe(404);
    expect((await call(emulator, 'GET', '/api/v1/containers/none')).status).toBe(503);
    expect(controls.containers.list()).toHaveLength(1);
    const before = await emulator.createWorld({
      at: { requestId: requestOf(emulator, 'containers.create'), side: 'before' },
    });
    expect((await call(before, 'GET', '/api/v1/credits/balance')).body.balance ?? 1_000).toBe(1_000);
  });

  it('has the layers of an image that was removed later', async () => {
    const dataDir = tempDir();
    const emulator = await startEmulator({ dataDir });
    const { controls } = emulator;
    controls.snapshots.take({ name: 'empty' });
    controls.images.make({ repository: 'web', tag: 'v1', platforms: ['linux/arm64'] });
    const { last } = controls.history.list();
    const fork = async () => (await emulator.createWorld({ at: { point: last ?? 0 } })).controls.images.list();
    /** Lets the layers be collected that nothing needs: those of a world that has ended. */
    const collected = async (): Promise<void> => {
      const other = await emulator.createWorld();
      const { digest } = other.controls.images.make({
        repository: 'other',
        labels: { of: other.id },
        platforms: ['linux/arm64'],
      });
      const file = join(dataDir, 'registry', 'sha256', digest.slice('sha256:'.length));
      expect(existsSync(file)).toBe(true);
      controls.worlds.drop(other.id);
      await expect.poll(() => existsSync(file)).toBe(false);
    };
    controls.images.remove('web:v1');
    await collected();
    expect(await fork()).toMatchObject([{ complete: true }]);
    await controls.snapshots.restore('empty');
    await collected();
    expect(await fork()).toMatchObject([{ complete: true }]);
    // Nobody can go back behind a reset.
    controls.worlds.list().forEach(({ id }) => void (id !== 'default' && controls.worlds.drop(id)));
    controls.reset();
    await expect.poll(() => readdirSync(join(dataDir, 'registry', 'sha256'))).toEqual([]);
  });

  it('is as it was after a charge that was ordered to fail', async () => {
    const emulator = await startEmulator();
    const { controls, organizationId } = emulator;
    controls.organizations.credits(organizationId, { failNth: 1 });
    const body = { name: 'web', project_name: 'web', ecr_image_uri: image };
    expect((await call(emulator, 'POST', '/api/v1/containers', body)).status).toBe(402);
    const refused = requestOf(emulator, 'containers.create');
    await call(emulator, 'GET', '/api/v1/credits/balance');
    const next = requestOf(emulator, 'account.balance');
    expect(summaries(emulator).map((line) => line.split(':')[0])).toEqual([
      'control organizations.credits',
      'request POST /api/v1/containers 402',
      'request GET /api/v1/credits/balance 200',
    ]);
    for (const at of [{ requestId: refused }, { requestId: next, side: 'before' as const }])
      expect((await call(await emulator.createWorld({ at }), 'POST', '/api/v1/containers', body)).status).toBe(202);
    const before = await emulator.createWorld({ at: { requestId: refused, side: 'before' } });
    expect((await call(before, 'POST', '/api/v1/containers', body)).status).toBe(402);
  });

  it('refuses a key that is gone after a restore with the same words, whatever other forks have', async () => {
    const emulator = await startEmulator();
    const { controls } = emulator;
    controls.snapshots.take({ name: 'before' });
    const { apiKey } = controls.keys.create({ name: 'gone' });
    await controls.snapshots.restore('before');
    const headers = { authorization: `Bearer ${apiKey}` };
    const ask = async (world: Emulator | EmulatorWorld): Promise<string> =>
      (await call(world, 'GET', '/api/v1/credits/balance', undefined, headers)).body.error?.message;
    const words = await ask(emulator);
    expect(words).toMatch(/the API key is unknown$/);
    const { last } = controls.history.list();
    expect(await ask(await emulator.createWorld({ at: { point: 1 } }))).toBeUndefined();
    expect(await ask(emulator)).toBe(words);
    expect(await ask(await emulator.createWorld({ at: { point: last ?? 0 } }))).toBe(words);
  });

  it('cannot be the default world, nor is that made anew', async () => {
    const emulator = await startEmulator();
    await deploy(emulator);
    const put = (body: object) => call(emulator, 'PUT', '/w/default/_emulator/world', body);
    for (const [field, value] of Object.entries({ at: { point: 1 }, seed: '7', scenario: 'quota-reached' })) {
      const { status, body } = await put({ [field]: value });
      expect([status, body.error.details?.[0]?.path], field).toEqual([409, field]);
    }
    expect((await put({})).body).toMatchObject({ id: 'default', created: false });
  });

  it('is refused where the point, or what is asked with it, is wrong', async () => {
    const emulator = await startEmulator();
    await deploy(emulator);
    const { worlds } = emulator.controls;
    const asked = (at: object, more = {}): Promise<unknown> => worlds.create({ at, ...more } as never);
    await expect(asked({ point: 9 })).rejects.toThrow('The history has no point 9: it has points 1 to 1');
    await expect(asked({ requestId: 'req_1' })).rejects.toThrow(/no request "req_1"/);
    await expect(asked({})).rejects.toThrow(/point .*is missing/);
    await expect(asked({ point: 1, requestId: 'x' })).rejects.toThrow(/cannot be given with/);
    await expect(asked({ point: 1 }, { seed: 4 })).rejects.toThrow(/seed cannot be given with `at`/);
    await expect(asked({ point: 1, world: 'nobody' })).rejects.toThrow(/nobody/);
    await expect(asked({ point: 0 })).rejects.toThrow(/point/);
  });

  it('begins with a clock that stands still, or runs, whatever that of the source does', async () => {
    const emulator = await startEmulator({ frozen: false });
    await deploy(emulator);
    const begin = (clock?: object) => emulator.controls.worlds.create({ at: { point: 1 }, clock } as never);
    expect((await begin()).frozen).toBe(false);
    const still = await begin({ frozen: true });
    expect(still).toMatchObject({ frozen: true, now: emulator.controls.history.list().points[0]?.at });
    emulator.controls.clock.freeze();
    expect((await begin({ frozen: false })).frozen).toBe(false);
    await expect(begin({ start: '2030-01-01T00:00:00Z' })).rejects.toThrow(/clock\.start cannot be given with `at`/);
  });

  it('cannot go beyond what the history keeps, and says so', async () => {
    const emulator = await startEmulator({ data: { journal: 10 } });
    await deploy(emulator);
    for (let count = 0; count < 40; count++) await call(emulator, 'GET', '/api/v1/credits/balance');
    const { first } = emulator.controls.history.list({ limit: 1 });
    expect(first).toBeGreaterThan(1);
    await expect(emulator.controls.worlds.create({ at: { point: 1 } })).rejects.toThrow(/older ones are gone/);
    await expect(emulator.controls.worlds.create({ at: { point: first ?? 0 } })).resolves.toMatchObject({
      frozen: true,
    });
  });
});

describe('the history is there again', () => {
  const start = { seed: 'kept', clock: { start: '2026-01-01T00:00:00Z', frozen: true } };
  const isExact = async (world: EmulatorWorld, emulator: Emulator, point: number): Promise<void> => {
    const fork = await emulator.createWorld({ at: { world: world.id, point } });
    expect(fork.controls.containers.list().map(({ name }) => name)).toEqual(['shop']);
    fork.close();
  };

  it('when a world in memory was closed for others, and opened again', async () => {
    const emulator = await startEmulator({ worlds: { open: 1 } });
    const world = await emulator.createWorld(start);
    await deploy(world, { name: 'shop', project_name: 'shop' });
    const { last } = world.controls.history.list();
    await call(world, 'GET', '/api/v1/containers');
    const before = world.controls.history.list();
    for (let count = 0; count < 3; count++) await call(await emulator.createWorld(start), 'GET', '/api/v1/containers');
    await call(emulator, 'GET', '/api/v1/containers');
    expect(world.controls.history.list()).toEqual(before);
    await call(world, 'DELETE', `/api/v1/containers/${world.controls.containers.list()[0]?.id}`);
    await isExact(world, emulator, last ?? 0);
  });

  it('when an emulator with a data directory was stopped, and started again', async () => {
    const dataDir = tempDir();
    const first = await startEmulator({ dataDir });
    await deploy(first, { name: 'shop', project_name: 'shop' });
    await call(first, 'GET', '/api/v1/containers');
    const before = first.controls.history.list();
    await first.close();
    const second = await startEmulator({ dataDir });
    expect(second.controls.history.list()).toEqual(before);
    await call(second, 'POST', '/api/v1/api-keys', { name: 'ci' });
    await second.controls.clock.advance('1h');
    const fork = await second.createWorld({ at: { point: 1 } });
    expect(fork.controls.clock.get().now).toBe('2026-01-01T00:00:00.000Z');
    expect(fork.controls.containers.list()).toMatchObject([{ name: 'shop', status: 'pending' }]);
    expect(second.controls.history.list()).toMatchObject({ first: 1 });
  });

  it('behind a restored snapshot', async () => {
    const emulator = await startEmulator();
    const { controls } = emulator;
    controls.snapshots.take({ name: 'empty' });
    await deploy(emulator);
    const { last } = controls.history.list();
    await controls.snapshots.restore('empty');
    await call(emulator, 'POST', '/api/v1/app/agents', { name: 'Ada' });
    const fork = await emulator.createWorld({ at: { point: last ?? 0 } });
    expect(fork.controls.containers.list()).toMatchObject([{ name: 'web' }]);
    expect(controls.containers.list()).toEqual([]);
  });

  it.each(sampleOf([true, false], 2))(
    'not behind one whose world it has no room for (in memory: %s)',
    async (ephemeral) => {
      const data = { historyBytes: 100_000, ...(ephemeral ? { ephemeral } : { dir: tempDir() }) };
      const emulator = await startEmulator({ data });
      const { controls } = emulator;
      for (let i = 0; i < 12; i++)
        await call(emulator, 'POST', '/api/v1/app/agents', { name: `Large ${i}`, bio: 'x'.repeat(9_000) });
      controls.snapshots.take({ name: 'large' });
      await deploy(emulator);
      const { last } = controls.history.list();
      await controls.snapshots.restore('large');
      await call(emulator, 'POST', '/api/v1/app/agents', { name: 'Ada' });
      expect(summaries(emulator)).toEqual([expect.stringContaining('request POST /api/v1/app/agents')]);
      await expect(emulator.createWorld({ at: { point: last ?? 0 } })).rejects.toThrow('history');
    },
  );
});

function requestOf({ controls }: Awaited<ReturnType<typeof startEmulator>>, operation: string): string {
  return controls.requests.list({ operation }).requests[0]?.requestId ?? '';
}
