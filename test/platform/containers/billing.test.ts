// Daily billing: what runs at midnight is charged, explained and shown.

import { expect, it } from 'vitest';
import type { EmulatorWorld } from '../../../src/index.js';
import { itFull } from '../../support/campaign.js';
import { call, deploy, getContainer, startWorld } from '../../support/emulator.js';

const start = (options = {}) => startWorld({ timing: 'instant', billing: { daily: true }, ...options });
const daysOf = (world: EmulatorWorld) => world.controls.ledger({ operation: 'billing.daily' });

it('daily billing charges each instance that runs at midnight UTC, and explains it', async () => {
  const world = await start();
  const { id } = await deploy(world, { desired_count: 2 });
  await world.controls.clock.advance('23h59m59s');
  expect(daysOf(world)).toEqual([]);
  await world.controls.clock.advance('1s');
  expect(daysOf(world)).toEqual([
    {
      id: expect.any(String),
      organizationId: world.organizationId,
      type: 'charge',
      amount: -1.34,
      balanceBefore: 999.45,
      balanceAfter: 998.11,
      reason: 'Daily charge for web, 2026-01-02',
      priceRule: '0.67 × 2 instances',
      operation: 'billing.daily',
      requestId: null,
      subject: id,
      at: '2026-01-02T00:00:00.000Z',
    },
  ]);
});

itFull('daily billing charges a year of days in one jump, each at its own midnight', async () => {
  const world = await start();
  await deploy(world);
  await world.controls.clock.advance('366d');
  const days = daysOf(world);
  expect(days).toHaveLength(366);
  expect(days[0]?.at).toBe('2026-01-02T00:00:00.000Z');
  expect(days.at(-1)).toMatchObject({ at: '2027-01-02T00:00:00.000Z', balanceAfter: 754.28 });
});

it('daily billing charges nothing for what is on its way, has failed, was stopped or is gone', async () => {
  const world = await start({ timing: 'realistic' });
  await world.controls.clock.advance('23h59m');
  await deploy(world, { name: 'young', project_name: 'young' });
  await world.controls.clock.advance('1m');
  expect(daysOf(world)).toEqual([]);
  await deploy(world, { name: 'bad', project_name: 'bad', ecr_image_uri: 'r/bad:fail-exec-format' });
  await deploy(world, { name: 'gone', project_name: 'gone' });
  await world.controls.clock.advance('1h');
  world.controls.containers.stop('young');
  await call(world, 'DELETE', `/api/v1/containers/${world.controls.containers.get('gone').id}`);
  await world.controls.clock.advance('3d');
  expect(daysOf(world)).toEqual([]);
});

it('daily billing charges what answers while an update of it is under way', async () => {
  const world = await start({ timing: 'realistic' });
  await deploy(world);
  await world.controls.clock.advance('23h59m');
  await deploy(world, { desired_count: 5 });
  await world.controls.clock.advance('1m');
  expect(daysOf(world).map(({ priceRule }) => priceRule)).toEqual(['0.67 × 1 instance']);
  await world.controls.clock.advance('1d');
  expect(daysOf(world).at(-1)?.priceRule).toBe('0.67 × 5 instances');
});

it('daily billing charges nothing where it is off, and begins and ends with the setting', async () => {
  const world = await startWorld({ timing: 'instant' });
  const { id } = await deploy(world);
  await world.controls.clock.advance('2d');
  expect(await getContainer(world, id)).not.toHaveProperty('billing_status');
  const days = (daily: boolean) =>
    world.controls.scenarios.apply({ settings: { billing: { daily } } }, { merge: true });
  await days(true);
  await world.controls.clock.advance('2d');
  await days(false);
  await world.controls.clock.advance('2d');
  expect(daysOf(world).map(({ at }) => at.slice(0, 10))).toEqual(['2026-01-04', '2026-01-05']);
});

it('daily billing shows in the transactions, the summary, the quota and the container', async () => {
  const world = await start();
  const { id, ...created } = await deploy(world);
  expect(created).toMatchObject({ billing_status: 'active', total_billed: '0.00', last_billed_at: null });
  await world.controls.clock.advance('2d');
  const { transactions } = (await call(world, 'GET', '/api/credits/transactions?hours=1')).body;
  expect(transactions).toEqual([
    expect.objectContaining({
      type: 'charge',
      amount: -0.67,
      operation: 'billing.daily',
      subject: id,
      price_rule: '0.67 × 1 instance',
      description: 'Daily charge for web, 2026-01-03',
      metadata: { operation: 'billing.daily', price_rule: '0.67 × 1 instance', subject: id },
    }),
  ]);
  const { recentTransactions } = (await call(world, 'GET', '/api/v1/credits/summary')).body;
  expect(recentTransactions[0]).toMatchObject({ amount: -0.67, createdAt: '2026-01-03T00:00:00.000Z' });
  const { billing } = (await call(world, 'GET', '/api/v1/containers/quota')).body.data;
  expect(billing).toMatchObject({ currentDailyBurn: 0.67, runningContainers: 1, daysOfRunway: 1489 });
  expect(await getContainer(world, id)).toMatchObject({
    billing_status: 'active',
    total_billed: '1.34',
    last_billed_at: '2026-01-03T00:00:00.000Z',
    next_billing_at: '2026-01-04T00:00:00.000Z',
    shutdown_warning_sent_at: null,
    scheduled_shutdown_at: null,
  });
  await world.controls.clock.advance('1d');
  expect(await getContainer(world, id)).toMatchObject({
    total_billed: '2.01',
    next_billing_at: '2026-01-05T00:00:00.000Z',
  });
});

it('a container under update shows what midnight will charge', async () => {
  const world = await startWorld({ timing: 'realistic', billing: { daily: true } });
  const { id } = await deploy(world, { desired_count: 2 });
  await world.controls.clock.advance('23h59m');
  await call(world, 'PATCH', `/api/v1/containers/${id}`, { desired_count: 5 });
  expect((await getContainer(world, id)).status).not.toBe('running');
  const { billing } = (await call(world, 'GET', '/api/v1/containers/quota')).body.data;
  expect(billing).toMatchObject({ currentDailyBurn: 1.34, runningContainers: 0 });
  await world.controls.clock.advance('1m');
  expect(daysOf(world).map(({ amount }) => amount)).toEqual([-1.34]);
  await world.controls.clock.advance('1h');
  const { billing: after } = (await call(world, 'GET', '/api/v1/containers/quota')).body.data;
  expect(after).toMatchObject({ currentDailyBurn: 3.35, runningContainers: 1 });
});

it('daily billing is on in the profile elizacloud-v1, where more CPU costs more in proportion', async () => {
  const world = await startWorld({ profile: 'elizacloud-v1', timing: 'instant' });
  await deploy(world, { desired_count: 2 });
  await deploy(world, { name: 'small', project_name: 'small', cpu: 1024 });
  await world.controls.clock.advance('1d');
  expect(daysOf(world).map(({ amount, priceRule }) => [amount, priceRule])).toEqual([
    [-2.35, '0.67 × 2 instances × 1792/1024 CPU'],
    [-0.67, '0.67 × 1 instance'],
  ]);
});

it('daily billing bills what comes after the beginning of a scenario, not its past', async () => {
  const world = await startWorld();
  await world.controls.scenarios.apply({
    settings: { billing: { daily: true }, containers: { timing: 'instant' } },
    data: { credits: 1, containers: [{ project_name: 'old', age: '5d' }] },
  });
  expect(daysOf(world)).toEqual([]);
  expect((await call(world, 'GET', '/api/v1/containers')).body.data).toEqual([
    expect.objectContaining({ status: 'running', billing_status: 'active', total_billed: '0.00' }),
  ]);
  await world.controls.clock.advance('1d');
  expect(daysOf(world)).toEqual([expect.objectContaining({ balanceBefore: 1, balanceAfter: 0.33 })]);
});

it.each(['manual', 'reads'] as const)(
  'daily billing stops a container whose deployments go by %s, too',
  async (progression) => {
    const world = await start({ timing: 'fast', containers: { progression }, credits: { seeded: 0.6 } });
    const { id } = await deploy(world);
    world.controls.containers.skip(id, { status: 'running' });
    await world.controls.clock.advance('1d');
    expect((await getContainer(world, id)).billing_status).toBe('shutdown_pending');
    await world.controls.clock.advance('2d');
    expect(await getContainer(world, id)).toMatchObject({ status: 'stopped', billing_status: 'suspended' });
  },
);
