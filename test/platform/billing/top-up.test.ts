// Automatic top-ups: a charge that leaves less than the threshold adds the amount, once, at its instant.

import { expect, it } from 'vitest';
import { tempDir } from '../../support/command.js';
import { call, type Platform, startEmulator, startWorld, type WorldOptions } from '../../support/emulator.js';

const settings = '/api/v1/billing/settings';
const urls = { success_url: 'http://localhost/', cancel_url: 'http://localhost/' };

const balance = async (world: Platform): Promise<number> =>
  (await call(world, 'GET', '/api/v1/credits/balance')).body.balance;
const set = (world: Platform, credits: number) =>
  world.controls.organizations.credits(world.organizationId, { set: credits });
const draw = (world: Platform) => call(world, 'POST', '/api/v1/images/generations', { prompt: 'a house' });
const topUps = (world: Platform) => world.controls.ledger({ operation: 'billing.autoTopUp' });
const change = (world: Platform, autoTopUp: object) => call(world, 'PUT', settings, { autoTopUp });

/** A world with a payment method and top-ups of 10 dollars below 5. */
async function topped(options: WorldOptions = {}, { amount = 10, threshold = 5 } = {}) {
  const world = await startWorld(options);
  await pay(world);
  expect((await change(world, { enabled: true, amount, threshold })).status).toBe(200);
  return world;
}

async function pay(world: Platform): Promise<void> {
  const { sessionId } = (await call(world, 'POST', '/api/v1/credits/checkout', { credits: 1, ...urls })).body;
  world.controls.checkouts.paid(sessionId);
}

it('a charge that leaves less than the threshold is followed by one top-up', async () => {
  const world = await topped();
  set(world, 5.04);
  await draw(world);
  expect([await balance(world), topUps(world)]).toEqual([5, []]);
  await draw(world);
  expect(await balance(world)).toBe(14.96);
  expect(topUps(world)).toMatchObject([
    {
      ...{ type: 'topup', amount: 10, balanceBefore: 4.96, balanceAfter: 14.96, at: '2026-01-01T00:00:00.000Z' },
      ...{ reason: 'Automatic top-up of $10', priceRule: 'auto top-up 10 below 5', requestId: null, subject: null },
    },
  ]);
  await draw(world);
  await world.controls.clock.advance('30d');
  expect(topUps(world)).toHaveLength(1);
  const [, row] = (await call(world, 'GET', '/api/v1/billing/ledger')).body.ledger;
  expect(row).toMatchObject({ type: 'topup', resourceType: 'credits', resourceId: null, amount: 10 });
});

it('charges of one moment lead to one top-up; one that does not reach the threshold is repeated by the next charge', async () => {
  const world = await topped({}, { amount: 1, threshold: 5 });
  set(world, 3);
  await Promise.all([draw(world), draw(world)]);
  const before = await balance(world);
  const { length } = topUps(world);
  expect(before).toBeCloseTo(3 - 0.08 + length, 6);
  await draw(world);
  expect(await balance(world)).toBeCloseTo(before - 0.04 + 1, 6);
});

it('a change by a control is no charge, and settings that enable top-ups look at the balance', async () => {
  const world = await topped();
  set(world, 1);
  expect([await balance(world), topUps(world)]).toEqual([1, []]);
  await change(world, { enabled: false });
  await draw(world);
  expect(await balance(world)).toBe(0.96);
  await change(world, { enabled: true });
  expect(await balance(world)).toBe(10.96);
  await change(world, { threshold: 20 });
  expect(await balance(world)).toBe(20.96);
});

it('a charge that is refused tops nothing up; a top-up that is due comes before what a control does', async () => {
  const world = await topped();
  set(world, 0.01);
  expect((await draw(world)).status).toBe(402);
  expect(await balance(world)).toBe(0.01);
  set(world, 5);
  await draw(world);
  // What came due before comes first.
  set(world, 500);
  expect(topUps(world)).toHaveLength(1);
  expect(await balance(world)).toBe(500);
});

it('dollars are turned into credits', async () => {
  const world = await topped({ credits: { perDollar: 100 } });
  set(world, 500);
  await draw(world);
  expect(await balance(world)).toBe(1_499.96);
});

it('hours of agents are topped up between them: one jump is what many steps are, across a restore', async () => {
  const options = { hostedAgents: { timing: 'instant' } } as const;
  const ledger = (world: Platform) =>
    world.controls.ledger({}).map(({ operation, amount, balanceAfter, at }) => [operation, amount, balanceAfter, at]);
  const prepared = async () => {
    const world = await topped(options, { amount: 1, threshold: 0.5 });
    await call(world, 'POST', '/api/v1/eliza/agents', { agentName: 'Ada', alwaysOn: true });
    await call(world, 'POST', '/api/v1/eliza/agents', { agentName: 'Bo', alwaysOn: true, forceCreate: true });
    set(world, 0.7);
    return world;
  };
  const [jumped, stepped] = [await prepared(), await prepared()];
  await jumped.controls.clock.advance('40h');
  for (let hour = 0; hour < 40; hour++) {
    await stepped.controls.clock.advance('1h');
    if (hour === 7) {
      stepped.controls.snapshots.take({ name: 'half' });
      await stepped.controls.clock.advance('3h');
      await stepped.controls.snapshots.restore('half');
    }
  }
  expect(ledger(jumped)).toEqual(ledger(stepped));
  const added = topUps(jumped);
  expect(added.length).toBeGreaterThan(8);
  expect(new Set(added.map(({ at }) => at)).size).toBe(added.length);
  for (const { balanceBefore } of added) expect(balanceBefore).toBeLessThan(0.5);
  expect(await balance(jumped)).toBeGreaterThan(0);
});

it('a charge just before a restart is topped up by the next process, once', async () => {
  const dataDir = tempDir();
  const first = await startEmulator({ dataDir });
  await pay(first);
  await change(first, { enabled: true, amount: 10, threshold: 5 });
  set(first, 5);
  await draw(first);
  await first.close();
  for (let i = 0; i < 2; i++) {
    const next = await startEmulator({ dataDir });
    expect([await balance(next), topUps(next).length]).toEqual([14.96, 1]);
    await next.close();
  }
});
