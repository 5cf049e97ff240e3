// Containers of today's server by the clock alone: in one jump and in many steps, through restarts, snapshots and forks,
// and what they cost by the day.

import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { ScenarioInput } from '../../../src/tools/scenarios/schema.js';
import { itFull } from '../../support/campaign.js';
import { tempDir } from '../../support/command.js';
import { call, type Platform, startEmulator, startWorld } from '../../support/emulator.js';

const path = '/api/v1/containers';
const profile = { profile: 'elizacloud', rateLimits: { enabled: false } } as const;
const image = 'ghcr.io/elizaos/app:v1';
const dir = tempDir();
const dayMs = 86_400_000;

const create = async (world: Platform, fields: object = {}) =>
  (await call(world, 'POST', path, { name: 'app', image, ...fields })).body.data;
const get = async (world: Platform, id: string) => (await call(world, 'GET', `${path}/${id}`)).body.data;
const set = (world: Platform, credits: number) =>
  world.controls.organizations.credits(world.organizationId, { set: credits });

type Pass = (world: Platform, ms: number) => Promise<Platform>;

const jump: Pass = async (world, ms) => {
  await world.controls.clock.advance(ms);
  return world;
};

/** A container that runs for some days, is restarted, is short of money, is paid, and stops in the end. */
async function play(world: Platform, pass: Pass): Promise<string> {
  const told: unknown[] = [];
  // A part of a day is a part of its charge.
  let now = await pass(world, 5 * 3_600_000 + 1);
  const { id } = await create(now);
  await create(now, { name: 'broken', image: 'ghcr.io/elizaos/app:fail-oom-start' });
  const steps: [ms: number, act: () => unknown][] = [
    [3_000, () => {}],
    [4 * dayMs, () => call(now, 'PATCH', `${path}/${id}`, { action: 'restart' })],
    [dayMs, () => set(now, 1)],
    [dayMs + 3_600_000, () => now.controls.organizations.credits(now.organizationId, { add: 4 })],
    [6 * dayMs, () => {}],
  ];
  for (const [ms, act] of steps) {
    now = await pass(now, ms);
    told.push((await call(now, 'GET', path)).body, now.controls.containers.get(id).statusHistory);
    await act();
  }
  told.push(now.controls.ledger(), (await call(now, 'GET', '/api/v1/credits/balance')).body);
  return JSON.stringify(told).replaceAll(/http:\/\/[\w.:-]+(\/w\/[\w-]+)?/g, '');
}

itFull('one jump equals many steps, restarts, and restored snapshots', async () => {
  const jumped = await play(await startEmulator(profile), jump);
  expect(jumped).toContain('"warning"');
  expect(jumped).toContain('"suspended"');
  const stepped = await play(await startEmulator(profile), async (world, ms) => {
    for (let left = ms; left > 0; left -= 7_300_000) await world.controls.clock.advance(Math.min(left, 7_300_000));
    return world;
  });
  expect(stepped).toBe(jumped);
  const dataDir = join(dir, 'restarts');
  const restarted = await play(await startEmulator({ ...profile, dataDir }), async (world, ms) => {
    await (world as Awaited<ReturnType<typeof startEmulator>>).close();
    return jump(await startEmulator({ ...profile, dataDir }), ms);
  });
  expect(restarted).toBe(jumped);
  const restored = await play(await startEmulator(profile), async (world, ms) => {
    await world.controls.snapshots.take({ name: 'here' });
    await world.controls.clock.advance('3d');
    await world.controls.snapshots.restore('here');
    return jump(world, ms);
  });
  expect(restored).toBe(jumped);
});

it('a fork has the container of its point, and goes on with it in the same way', async () => {
  const emulator = await startEmulator(profile);
  const { id } = await create(emulator);
  await emulator.controls.clock.advance('2s');
  const fork = await emulator.createWorld({ at: { point: emulator.controls.history.list().last ?? 0 } });
  emulator.controls.containers.fail(id);
  await emulator.controls.clock.advance('10s');
  await fork.controls.clock.advance('10s');
  expect((await get(emulator, id)).status).toBe('failed');
  expect((await get(fork, id)).status).toBe('running');
});

const charges = (world: Platform, id: string) => world.controls.ledger().filter(({ subject }) => subject === id);

it('a container pays at midnight for the time since the last one, at first since its creation', async () => {
  const world = await startWorld(profile);
  await world.controls.clock.advance('16h');
  const { id } = await create(world, { cpu: 1_024 });
  await world.controls.clock.advance('1d');
  expect(charges(world, id)).toMatchObject([
    { amount: -0.223333, priceRule: '0.67 × 1 instance × 8h/1d', at: '2026-01-02T00:00:00.000Z' },
  ]);
  await world.controls.clock.advance('1d');
  expect(charges(world, id)[1]).toMatchObject({ amount: -0.67, priceRule: '0.67 × 1 instance' });
  expect((await get(world, id)).total_billed).toBe('0.89');
});

it('a container that did not run at a midnight pays at the next one for both days', async () => {
  const world = await startWorld(profile);
  const { id } = await create(world, { cpu: 1_024 });
  await world.controls.clock.advance('1d12h');
  world.controls.containers.fail(id);
  await world.controls.clock.advance('1d');
  expect(charges(world, id)).toHaveLength(1);
  await call(world, 'PATCH', `${path}/${id}`, { action: 'restart' });
  await world.controls.clock.advance('1d');
  expect(charges(world, id)[1]).toMatchObject({ amount: -1.34, priceRule: '0.67 × 1 instance × 2d/1d' });
});

it('one that first runs days after its creation pays for a day', async () => {
  const world = await startWorld(profile);
  const { id } = await create(world, { cpu: 1_024, image: 'ghcr.io/elizaos/app:fail-oom-start' });
  await world.controls.clock.advance('4d');
  expect(charges(world, id)).toEqual([]);
  world.controls.containers.recover(id);
  await world.controls.clock.advance('1d');
  expect(charges(world, id)).toMatchObject([{ amount: -0.67 }]);
});

it('what is owed for a part of a day is paid once there are credits', async () => {
  const world = await startWorld(profile);
  await world.controls.clock.advance('12h');
  const { id } = await create(world, { cpu: 1_024 });
  set(world, 0.1);
  await world.controls.clock.advance('1d');
  expect(charges(world, id)).toEqual([]);
  world.controls.organizations.credits(world.organizationId, { add: 1 });
  expect(charges(world, id)).toMatchObject([{ amount: -0.335, at: '2026-01-02T12:00:00.000Z' }]);
  await world.controls.clock.advance('1d');
  expect(charges(world, id)[1]).toMatchObject({ amount: -0.67, at: '2026-01-03T00:00:00.000Z' });
});

it('a fork is charged as its world', async () => {
  const emulator = await startEmulator(profile);
  await emulator.controls.clock.advance('7h');
  const { id } = await create(emulator);
  const point = emulator.controls.history.list().last ?? 0;
  await emulator.controls.clock.advance('3d');
  const fork = await emulator.createWorld({ at: { point } });
  for (let hour = 0; hour < 72; hour++) await fork.controls.clock.advance('1h');
  const told = (world: Platform) => charges(world, id).map(({ amount, at, priceRule }) => [amount, at, priceRule]);
  expect(told(fork)).toHaveLength(3);
  expect(told(fork)).toEqual(told(emulator));
});

it('thirty days are charged at each midnight, larger ones by CPU and memory, and the ledger is the balance', async () => {
  const world = await startWorld(profile);
  const small = await create(world, { cpu: 1_024 });
  const large = await create(world, { name: 'large', cpu: 2_048, memoryMb: 8_192 });
  await world.controls.clock.advance('30d');
  const ledger = world.controls.ledger();
  const chargesOf = (id: string) => ledger.filter(({ subject }) => subject === id).map(({ amount }) => amount);
  expect(chargesOf(small.id)).toEqual(Array(30).fill(-0.67));
  expect(chargesOf(large.id)).toEqual(Array(30).fill(-2.68));
  expect(ledger.at(-1)?.priceRule).toBe('0.67 × 1 instance × 2048/1024 CPU × √(8192/2048 MB)');
  const sum = ledger.reduce((total, { amount }) => total + amount, 0);
  expect((await call(world, 'GET', '/api/v1/credits/balance')).body.balance).toBeCloseTo(sum, 6);
  expect(await get(world, small.id)).toMatchObject({
    total_billed: '20.10',
    last_billed_at: '2026-01-31T00:00:00.000Z',
    next_billing_at: '2026-02-01T00:00:00.000Z',
  });
});

it('a day that the credits do not cover is a warning, and after 48 hours the container stops', async () => {
  const world = await startWorld(profile);
  const { id } = await create(world);
  await world.controls.clock.advance('10s');
  set(world, 0.5);
  await world.controls.clock.advance('1d');
  const warned = {
    status: 'running',
    billing_status: 'warning',
    shutdown_warning_sent_at: '2026-01-02T00:00:00.000Z',
    scheduled_shutdown_at: '2026-01-04T00:00:00.000Z',
  };
  expect(await get(world, id)).toMatchObject(warned);
  world.controls.organizations.credits(world.organizationId, { add: 10 });
  expect(await get(world, id)).toMatchObject({
    billing_status: 'active',
    shutdown_warning_sent_at: null,
    scheduled_shutdown_at: null,
  });
  set(world, 0);
  await world.controls.clock.advance('3d');
  expect(await get(world, id)).toMatchObject({ status: 'stopped', billing_status: 'suspended', next_billing_at: null });
  world.controls.organizations.credits(world.organizationId, { add: 10 });
  // What it ran on is gone: only a new container runs.
  expect((await call(world, 'PATCH', `${path}/${id}`, { action: 'restart' })).status).toBe(409);
  const anew = await create(world);
  await world.controls.clock.advance('10s');
  expect(await get(world, anew.id)).toMatchObject({ status: 'running', billing_status: 'active' });
  expect((await get(world, id)).status).toBe('stopped');
});

it('a saved scenario begins with the same containers', async () => {
  const world = await startWorld({ ...profile, containers: { allowedImages: ['*'] } });
  await create(world, { image: 'nginx', cpu: 8_000, memoryMb: 9_000, projectName: 'x'.repeat(80) });
  await world.controls.clock.advance('1h');
  const { document } = await world.controls.scenarios.save({ name: 'saved' });
  const before = (await call(world, 'GET', path)).body.data[0];
  await world.controls.scenarios.apply(document as ScenarioInput);
  const after = (await call(world, 'GET', path)).body.data[0];
  expect(after).toMatchObject({ project_name: before.project_name, cpu: 8_000, memory: 9_000, status: 'running' });
});

it('a saved scenario begins with all containers of a project, and of a name', async () => {
  const world = await startWorld(profile);
  for (const projectName of ['shop', 'shop', 'other']) {
    const { id } = await create(world, { projectName });
    await world.controls.clock.advance('1h');
    if (projectName === 'shop') await call(world, 'DELETE', `${path}/${id}?mode=stop`);
  }
  const { document } = await world.controls.scenarios.save({ name: 'saved' });
  const shown = async () =>
    (await call(world, 'GET', path)).body.data.map(({ name, project_name: of, status }: any) => [name, of, status]);
  const before = await shown();
  await world.controls.scenarios.apply(document as ScenarioInput);
  expect(await shown()).toEqual(before);
});
