// Scenarios applied: data, clock, settings, outcomes, faults and limits of one document, all or nothing.

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openSqlite } from '../../../src/db/sqlite.js';
import { tempDir } from '../../support/command.js';
import { call, deploy, getContainer, startEmulator, startWorld } from '../../support/emulator.js';

describe('data', () => {
  it('is there when the scenario begins, in the states it names, at the balance it names', async () => {
    const emulator = await startWorld();
    const { controls } = emulator;
    await controls.scenarios.apply({
      data: {
        credits: 3.25,
        containers: [
          { project_name: 'web' },
          { project_name: 'old', age: '2d', status: 'stopped' },
          { project_name: 'broken', mode: 'exec-format', age: '10m' },
          { project_name: 'coming', status: 'building' },
          { project_name: 'lost', status: 'failed' },
        ],
        agents: [{ name: 'Ada', isPublic: true, age: '1h' }, { name: 'Bob' }],
      },
    });
    const { data } = (await call(emulator, 'GET', '/api/v1/containers')).body;
    expect(data.map(({ project_name, status }: any) => [project_name, status]).sort()).toEqual([
      ['broken', 'failed'],
      ['coming', 'building'],
      ['lost', 'failed'],
      ['old', 'stopped'],
      ['web', 'running'],
    ]);
    const old = data.find(({ project_name }: any) => project_name === 'old');
    expect(old.created_at).toBe('2025-12-30T00:00:00.000Z');
    expect((await call(emulator, 'GET', '/api/v1/credits/balance')).body).toEqual({ balance: 3.25 });
    const agents = (await call(emulator, 'GET', '/api/my-agents/characters')).body.data.characters;
    expect(agents.map(({ name }: any) => name)).toEqual(['Bob', 'Ada']);
    const web = data.find(({ project_name }: any) => project_name === 'web');
    const logs = await call(emulator, 'GET', `/api/v1/containers/${web.id}/logs`);
    expect(logs.body.logs.length).toBeGreaterThan(10);
    await controls.clock.advance('1m');
    const coming = data.find(({ project_name }: any) => project_name === 'coming');
    expect((await getContainer(emulator, coming.id)).status).toBe('running');
  });

  it('keeps the ledger whole, in the order in which things happened', async () => {
    const emulator = await startWorld();
    await emulator.controls.scenarios.apply({
      data: {
        credits: 0.2,
        containers: [
          { project_name: 'a', mode: 'exec-format', age: '1d' },
          { project_name: 'b', age: '2d' },
        ],
        organizations: [{ name: 'Other', plan: 'pro', credits: 7, containers: [{ project_name: 'c' }] }],
      },
    });
    const ledger = emulator.controls.ledger();
    const instants = ledger.map(({ at }) => at);
    expect(instants).toEqual([...instants].sort());
    expect(ledger.map(({ reason }) => reason)).toContain('Deployment failed');
    expect(emulator.controls.organizations.list().map(({ name, credits, plan }) => [name, credits, plan])).toEqual([
      ['Example Organization', 0.2, 'free'],
      ['Other', 7, 'pro'],
    ]);
  });
});

describe('outcomes', () => {
  it('decide how deployments turn out, counted by what matches, below what a request says', async () => {
    const emulator = await startWorld();
    const { controls } = emulator;
    await controls.scenarios.apply({
      containers: [
        { match: { project: 'shop-*', deployment: 1 }, mode: 'crash-loop' },
        { match: { image: '*:slow' }, timing: { pending: '1s', building: '1h', deploying: '1m' } },
      ],
    });
    const first = await deploy(emulator, { name: 'a', project_name: 'shop-a' });
    const second = await deploy(emulator, { name: 'b', project_name: 'shop-b' });
    const other = await deploy(emulator, { name: 'c', project_name: 'c' });
    const slow = await call(emulator, 'POST', '/api/v1/containers', {
      name: 'd',
      project_name: 'd',
      ecr_image_uri: 'r/app:slow',
    });
    expect(slow.body.polling).toMatchObject({ intervalMs: 10_000, expectedDurationMs: 3_661_000 });
    await controls.clock.advance('10m');
    expect((await getContainer(emulator, first.id)).status).toBe('failed');
    expect((await getContainer(emulator, second.id)).status).toBe('running');
    expect((await getContainer(emulator, other.id)).status).toBe('running');
    expect((await getContainer(emulator, slow.body.data.id)).status).toBe('building');
    await controls.clock.advance('2h');
    expect((await getContainer(emulator, slow.body.data.id)).status).toBe('running');
  });

  it('override the setting, but not the tag', async () => {
    const emulator = await startWorld({ containers: { failure: 'pull-denied' } });
    const { controls } = emulator;
    await controls.scenarios.apply({ containers: [{ match: { project: 'good' }, mode: null }] });
    const ids = [
      await deploy(emulator, { name: 'good', project_name: 'good' }),
      await deploy(emulator, { name: 'bad', project_name: 'bad' }),
    ];
    expect(controls.containers.list().map(({ project_name, mode }) => [project_name, mode])).toEqual([
      ['bad', 'pull-denied'],
      ['good', null],
    ]);
    await deploy(emulator, { name: 'good', project_name: 'good', ecr_image_uri: 'r/a:fail-oom-start' });
    expect(controls.containers.get(ids[0].id).mode).toBe('oom-start');
  });
});

describe('clock, settings, faults and limits', () => {
  it('are those of the scenario until another begins', async () => {
    const emulator = await startWorld();
    const { controls } = emulator;
    const before = controls.config();
    const applied = await controls.scenarios.apply({
      clock: { start: '2030-05-01T00:00:00Z' },
      settings: { prices: { deploy: 2 }, containers: { timing: 'instant' } },
      faults: [
        { match: { operation: 'containers.list' }, when: { times: 1 }, effect: { error: 'SERVICE_UNAVAILABLE' } },
      ],
      limits: [{ operation: 'agents.list', limit: 1 }, { exhaust: { operation: 'account.balance', retryAfter: 5 } }],
    });
    expect(applied).toMatchObject({ name: null, merged: false, now: '2030-05-01T00:00:00.000Z', frozen: true });
    expect(applied.apiKey).toBe(emulator.apiKey);
    const { body } = await call(emulator, 'POST', '/api/v1/containers', {
      name: 'a',
      project_name: 'a',
      ecr_image_uri: 'r/a:v1',
    });
    expect(body.creditsDeducted).toBe(2);
    expect((await getContainer(emulator, body.data.id)).status).toBe('running');
    const statuses = async (path: string) => (await call(emulator, 'GET', path)).status;
    expect([await statuses('/api/v1/containers'), await statuses('/api/v1/containers')]).toEqual([503, 200]);
    const agents = '/api/my-agents/characters';
    expect([await statuses(agents), await statuses(agents)]).toEqual([200, 429]);
    expect(await statuses('/api/v1/credits/balance')).toBe(429);
    await controls.reset();
    expect(controls.clock.get().now).toBe('2030-05-01T00:00:00.000Z');
    expect([await statuses('/api/v1/containers'), await statuses(agents), await statuses(agents)]).toEqual([
      503, 200, 429,
    ]);
    await controls.scenarios.apply({});
    expect(controls.clock.get().now).toBe('2026-01-01T00:00:00.000Z');
    expect(controls.config()).toEqual(before);
    expect([await statuses('/api/v1/containers'), await statuses(agents), await statuses(agents)]).toEqual([
      200, 200, 200,
    ]);
  });

  it('are added where the scenario is merged', async () => {
    const emulator = await startWorld();
    const { controls } = emulator;
    const { id } = await deploy(emulator);
    await controls.clock.advance('1m');
    await controls.scenarios.apply(
      {
        data: { agents: [{ name: 'Ada', age: '1h' }], containers: [{ project_name: 'more' }] },
        faults: [{ effect: { retryAfter: 3 }, when: { times: 1 } }],
      },
      { merge: true },
    );
    expect(controls.clock.get()).toMatchObject({ now: '2026-01-01T00:01:00.000Z', frozen: true });
    expect((await call(emulator, 'GET', '/api/v1/containers')).status).toBe(429);
    expect((await getContainer(emulator, id)).status).toBe('running');
    expect((await call(emulator, 'GET', '/api/v1/credits/balance')).body).toEqual({ balance: 999.5 });
    expect(controls.containers.list().map(({ project_name }) => project_name)).toEqual(['more', 'web']);
    await expect(controls.scenarios.apply({ seed: 1 }, { merge: true })).rejects.toThrow(/seed must be left out/);
    await expect(
      controls.scenarios.apply({ clock: { start: '2030-01-01T00:00:00Z' } }, { merge: true }),
    ).rejects.toThrow(/clock.start must be left out/);
  });

  it('run as fast as the scenario says', async () => {
    const emulator = await startWorld();
    expect(await emulator.controls.scenarios.apply({ clock: { speed: 50 } })).toMatchObject({
      speed: 50,
      frozen: false,
    });
    await emulator.controls.clock.freeze();
    expect(await emulator.controls.scenarios.apply({ clock: { frozen: true } })).toMatchObject({ speed: 0 });
  });
});

describe('all or nothing', () => {
  const broken = {
    settings: { prices: { deploy: 9 } },
    data: { containers: [{ project_name: 'a' }, { project_name: 'b', name: 'a' }] },
    faults: [{ effect: { retryAfter: 3 } }],
  };

  it.each([false, true])('a scenario that fails leaves everything as it was (merge: %s)', async (merge) => {
    const emulator = await startWorld();
    const { controls } = emulator;
    const { id } = await deploy(emulator);
    await controls.clock.advance('5s');
    const look = () => [controls.containers.list(), controls.ledger(), controls.config(), controls.clock.get()];
    const before = look();
    await expect(controls.scenarios.apply(broken, { merge })).rejects.toThrow(
      /data\.containers\[1\]\.name is that of containers\[0\] already/,
    );
    expect(look()).toEqual(before);
    expect(controls.faults.list()).toEqual([]);
    await controls.clock.advance('1m');
    expect((await getContainer(emulator, id)).status).toBe('running');
  });
});

it.each([false, true])(
  'a scenario that cannot be stored in the end leaves everything as it was (merge: %s)',
  async (merge) => {
    const dataDir = tempDir();
    const emulator = await startEmulator({ dataDir });
    const { controls } = emulator;
    const { id } = await deploy(emulator);
    await controls.clock.advance('5s');
    const look = () => [
      controls.containers.list(),
      controls.ledger(),
      controls.config(),
      controls.clock.get(),
      controls.keys.list(),
      controls.limits.list(),
      controls.faults.list(),
      controls.requests.list(),
      controls.scenarios.expectations(),
    ];
    const before = look();
    // Faults come after settings, data and outcomes: all that is undone then.
    const disk = openSqlite(join(dataDir, 'world.db'));
    disk.exec("CREATE TRIGGER fault BEFORE INSERT ON faults BEGIN SELECT RAISE(FAIL, 'disk I/O error'); END");
    const scenario = {
      settings: { prices: { deploy: 9 } },
      data: { credits: 7, containers: [{ project_name: 'a' }, { project_name: 'b' }] },
      containers: [{ match: { project: 'shop' }, mode: 'crash-loop' as const }],
      limits: [{ operation: 'agents.list' as const, limit: 3 }],
      faults: [{ effect: { status: 503 } }],
    };
    await expect(controls.scenarios.apply(scenario, { merge })).rejects.toThrow('disk I/O error');
    disk.exec('DROP TRIGGER fault');
    disk.close();
    expect(look()).toEqual(before);
    await controls.clock.advance('1m');
    expect((await getContainer(emulator, id)).status).toBe('running');
    await controls.scenarios.apply(scenario, { merge });
    expect(controls.faults.list()).toHaveLength(1);
  },
);

it('the seed of a scenario lasts as long as the scenario: the next one has the world’s own', async () => {
  const dataDir = tempDir();
  const emulator = await startEmulator({ seed: '42', dataDir });
  const { scenarios, reset } = emulator.controls;
  const { apiKey } = await scenarios.apply({ seed: 'other' });
  expect(apiKey).not.toBe(emulator.apiKey);
  await reset();
  expect((await scenarios.apply({ seed: 'other' })).apiKey).toBe(apiKey);
  await emulator.close();
  const again = await startEmulator({ seed: '42', dataDir });
  expect(again.apiKey).toBe(apiKey);
  expect((await again.controls.scenarios.apply('happy-path')).apiKey).toBe(emulator.apiKey);
  await again.controls.reset();
  const { apiKey: own } = emulator;
  expect((await call({ ...again, apiKey: own }, 'GET', '/api/v1/containers')).status).toBe(200);
});

it('the seed of a scenario changes keys and ids, the same each time', async () => {
  const [one, two] = [await startWorld({ seed: 'one' }), await startWorld({ seed: 'two' })];
  const keys = await Promise.all(
    [one, two].map(async (emulator) => (await emulator.controls.scenarios.apply({ seed: 7 })).apiKey),
  );
  expect(keys[0]).toBe(keys[1]);
  expect(keys[0]).not.toBe(one.apiKey);
});

it('applying no scenario, and a reset without it, go back to the plain world', async () => {
  const emulator = await startWorld();
  const { scenarios, reset, worlds } = emulator.controls;
  const plain = { balance: 1_000 };
  const balance = async () => (await call(emulator, 'GET', '/api/v1/credits/balance')).body;
  const poor = { settings: { credits: { seeded: 3 }, quotas: { enabled: false } }, seed: 'other' };
  for (const back of [() => scenarios.apply('none'), () => reset({ scenario: null })]) {
    await scenarios.apply(poor);
    await reset();
    expect(emulator.controls.config().quotas.enabled).toBe(false);
    await back();
    expect(await balance()).toEqual(plain);
    expect(emulator.controls.config().quotas.enabled).toBe(true);
    await reset();
    expect(await balance()).toEqual(plain);
  }
  await expect(scenarios.apply('none', { merge: true })).rejects.toThrow(/merge must be left out/);
  await expect(reset({ scenario: 'rough-day' } as never)).rejects.toThrow(/scenario must be null/);
  expect(() => scenarios.save({ name: 'none' })).toThrow(/not be "none"/);
  expect((await worlds.create({ scenario: 'none' })).apiKey).toMatch(/^ek_test_/);
});
