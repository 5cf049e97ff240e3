// The summary of credits and the ledger as callers see it.

import { expect, it } from 'vitest';
import { call, deploy, startWorld } from '../../support/emulator.js';
import { callWith } from '../../support/keys.js';

const path = '/api/credits/transactions';

it('the ledger stamps a refund with the instant at which it was due', async () => {
  const world = await startWorld();
  await deploy(world, { ecr_image_uri: 'r/a:fail-stack-rollback' });
  await world.controls.clock.advance('1h');
  const [refund] = (await call(world, 'GET', path)).body.transactions;
  expect(refund.type).toBe('refund');
  expect(Date.parse(refund.created_at)).toBeLessThan(Date.parse('2026-01-01T00:02:00Z'));
});

it('the ledger gives as many movements as asked for, and counts all of them', async () => {
  const world = await startWorld();
  for (let i = 0; i < 5; i++) world.controls.organizations.credits(world.organizationId, { add: 1 });
  const { body } = await call(world, 'GET', `${path}?limit=2`);
  expect(body.transactions.map((entry: any) => entry.balance_after)).toEqual([1_005, 1_004]);
  expect(body.total).toBe(6);
});

it('the ledger gives a hundred movements unless asked otherwise', async () => {
  const world = await startWorld();
  for (let i = 0; i < 120; i++) world.controls.organizations.credits(world.organizationId, { add: 1 });
  const { body } = await call(world, 'GET', path);
  expect([body.transactions.length, body.total]).toEqual([100, 121]);
  expect((await call(world, 'GET', `${path}?limit=1000`)).body.transactions).toHaveLength(121);
});

it('the ledger looks back as many hours of virtual time as asked for', async () => {
  const world = await startWorld();
  await world.controls.clock.advance('5h');
  world.controls.organizations.credits(world.organizationId, { add: 1 });
  await world.controls.clock.advance('1h');
  const { body } = await call(world, 'GET', `${path}?hours=2`);
  expect(body.transactions.map((entry: any) => entry.type)).toEqual(['adjustment']);
  expect(body).toMatchObject({
    total: 1,
    period: { start: '2026-01-01T04:00:00.000Z', end: '2026-01-01T06:00:00.000Z' },
  });
});

it.each(['limit=0', 'limit=1001', 'limit=many', 'hours=0', 'hours=-1', 'hours=x'])(
  'the ledger refuses %s',
  async (query) => {
    const world = await startWorld();
    const answer = await call(world, 'GET', `${path}?${query}`);
    expect([answer.status, answer.body.error.code]).toEqual([400, 'VALIDATION_ERROR']);
  },
);

it('the ledger shows no other organization’s movements', async () => {
  const world = await startWorld();
  const other = world.controls.organizations.create({ credits: 3 });
  const { body } = await callWith(world, other.apiKey, 'GET', path);
  expect(body.transactions.map((entry: any) => entry.amount)).toEqual([3]);
});

it('the summary of credits sums up credits, the last ten movements and the terms', async () => {
  const world = await startWorld();
  for (let i = 0; i < 12; i++) world.controls.organizations.credits(world.organizationId, { add: -1 });
  const { body } = await call(world, 'GET', '/api/v1/credits/summary');
  expect(body).toMatchObject({
    success: true,
    organization: {
      id: world.organizationId,
      name: 'Example Organization',
      creditBalance: 988,
      autoTopUpEnabled: false,
      hasPaymentMethod: false,
    },
    agents: [],
    apps: [],
    pricing: { creditsPerDollar: 1, x402Enabled: true },
  });
  expect(body.recentTransactions).toHaveLength(10);
  expect(body.recentTransactions[0]).toEqual({
    id: expect.any(String),
    type: 'adjustment',
    amount: -1,
    description: 'Taken by the control plane',
    createdAt: '2026-01-01T00:00:00.000Z',
  });
});

it('all places that show a balance agree', async () => {
  const world = await startWorld();
  await deploy(world);
  const balances = [
    (await call(world, 'GET', '/api/v1/credits/balance')).body.balance,
    (await call(world, 'GET', '/api/credits/balance')).body.balance,
    (await call(world, 'GET', '/api/v1/credits/summary')).body.organization.creditBalance,
    (await call(world, 'GET', '/api/v1/user')).body.data.organization.credit_balance,
    (await call(world, 'GET', path)).body.transactions[0].balance_after,
  ];
  expect(new Set(balances)).toEqual(new Set([999.5]));
});
