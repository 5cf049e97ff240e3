// Billing: what runs and what it costs, the ledger with resources, how to stop them, and the settings.

import { expect, it } from 'vitest';
import { call, image, startWorld } from '../../support/emulator.js';

const base = '/api/v1/billing';
const daily = { config: { billing: { daily: true } } };

type World = Awaited<ReturnType<typeof startWorld>>;

const deploy = async (world: World, name: string, more: object = {}): Promise<string> =>
  (await call(world, 'POST', '/api/v1/containers', { name, project_name: name, ecr_image_uri: image, ...more })).body
    .data.id;

it('what runs is listed with its price, as time bills it', async () => {
  const world = await startWorld(daily);
  const id = await deploy(world, 'web', { desired_count: 2 });
  expect((await call(world, 'GET', `${base}/active`)).body).toEqual({
    success: true,
    resources: [],
    totalActive: 0,
    estimatedDailyCost: 0,
  });
  await world.controls.clock.advance('1h');
  await deploy(world, 'two');
  await world.controls.clock.advance('1h');
  const { body } = await call(world, 'GET', `${base}/active`);
  expect([body.totalActive, body.estimatedDailyCost]).toEqual([2, 2.01]);
  expect(body.resources[1]).toEqual({
    resourceType: 'container',
    resourceId: id,
    name: 'web',
    status: 'running',
    billingStatus: 'active',
    unitPrice: 1.34,
    billingInterval: 'day',
    lastBilledAt: null,
    nextBillingAt: '2026-01-02T00:00:00.000Z',
    estimatedNextBillingAt: '2026-01-02T00:00:00.000Z',
    totalBilled: 0,
    cancelEndpoint: `/w/${world.id}${base}/resources/${id}/cancel?resourceType=container`,
    cancelAction: 'stop',
    metadata: { projectName: 'web', cpu: 1_792, memory: 1_792, desiredCount: 2 },
  });
  await world.controls.clock.advance('48h');
  const later = (await call(world, 'GET', `${base}/active`)).body.resources[1];
  expect([later.totalBilled, later.lastBilledAt]).toEqual([2.68, '2026-01-03T00:00:00.000Z']);
});

it('nothing is billed where the settings say so', async () => {
  const world = await startWorld();
  await deploy(world, 'web');
  await world.controls.clock.advance('1h');
  const { body } = await call(world, 'GET', `${base}/active`);
  expect(body).toMatchObject({
    estimatedDailyCost: 0,
    resources: [{ unitPrice: 0, nextBillingAt: null, estimatedNextBillingAt: null, totalBilled: 0 }],
  });
});

it('a container is stopped by its cancelEndpoint, and deleted by mode delete', async () => {
  const world = await startWorld(daily);
  const id = await deploy(world, 'web');
  await world.controls.clock.advance('1h');
  const [{ cancelEndpoint }] = (await call(world, 'GET', `${base}/active`)).body.resources;
  const stopped = { success: true, resourceType: 'container', resourceId: id, action: 'stop', status: 'stopped' };
  for (let i = 0; i < 2; i++) expect((await call(world, 'POST', cancelEndpoint)).body).toMatchObject(stopped);
  expect((await call(world, 'GET', `/api/v1/containers/${id}`)).body.data.status).toBe('stopped');
  expect((await call(world, 'GET', `${base}/active`)).body.totalActive).toBe(0);
  const before = (await call(world, 'GET', '/api/v1/credits/balance')).body.balance;
  await world.controls.clock.advance('48h');
  expect((await call(world, 'GET', '/api/v1/credits/balance')).body.balance).toBe(before);
  const deleted = await call(world, 'POST', `${base}/resources/${id}/cancel`, { mode: 'delete' });
  expect(deleted.body).toMatchObject({ action: 'delete', status: 'deleted' });
  expect((await call(world, 'GET', `/api/v1/containers/${id}`)).status).toBe(404);
});

it('what is not there, of another organization or of another type cannot be cancelled', async () => {
  const world = await startWorld();
  const id = await deploy(world, 'web');
  const cancel = (path: string, body: unknown, headers = {}) =>
    call(world, 'POST', `${base}/resources/${path}`, body, headers);
  const stranger = { authorization: `Bearer ${world.controls.organizations.create({}).apiKey}` };
  for (const answer of [
    await cancel('7b6d1c3e-0f0a-4a55-9a9b-2f6f3c8f5d10/cancel', {}),
    await cancel(`${id}/cancel`, {}, stranger),
    await cancel(`${id}/cancel?resourceType=agent_sandbox`, {}),
    await cancel(`${id}/cancel`, { resourceType: 'agent_sandbox' }),
  ])
    expect([answer.status, answer.body.error.message]).toEqual([404, 'Billable resource not found']);
  const wrong = await cancel(`${id}/cancel?resourceType=voice`, {});
  expect([wrong.status, wrong.body.error.details[0].path]).toEqual([400, 'query.resourceType']);
});

it('hosted agents are listed with the price of an hour, suspended and deleted', async () => {
  const world = await startWorld({ hostedAgents: { timing: 'instant' } });
  const { data } = (await call(world, 'POST', '/api/v1/eliza/agents', { agentName: 'Ada', alwaysOn: true })).body;
  const active = async () => (await call(world, 'GET', `${base}/active`)).body;
  const { resources, estimatedDailyCost } = await active();
  expect(estimatedDailyCost).toBe(3.6);
  const cancelEndpoint = `/w/${world.id}${base}/resources/${data.id}/cancel?resourceType=agent_sandbox`;
  expect(resources).toEqual([
    {
      resourceType: 'agent_sandbox',
      resourceId: data.id,
      name: 'Ada',
      status: 'running',
      billingStatus: 'active',
      unitPrice: 0.15,
      billingInterval: 'hour',
      lastBilledAt: '2026-01-01T00:00:00.000Z',
      nextBillingAt: '2026-01-01T02:00:00.000Z',
      estimatedNextBillingAt: '2026-01-01T02:00:00.000Z',
      totalBilled: 0.3,
      cancelEndpoint,
      cancelAction: 'suspend_billing',
      metadata: { executionTier: 'dedicated-always', rateClass: 'running' },
    },
  ]);
  await world.controls.clock.advance('2h');
  expect((await active()).resources[0]).toMatchObject({ lastBilledAt: '2026-01-01T02:00:00.000Z', totalBilled: 0.45 });
  const [hour] = (await call(world, 'GET', `${base}/ledger`)).body.ledger;
  expect(hour).toMatchObject({ resourceType: 'agent_sandbox', resourceId: data.id, amount: -0.15 });
  const cancelled = {
    resourceType: 'agent_sandbox',
    resourceId: data.id,
    action: 'suspend_billing',
    status: 'stopped',
  };
  for (let i = 0; i < 2; i++) expect((await call(world, 'POST', cancelEndpoint)).body).toMatchObject(cancelled);
  expect((await active()).resources).toMatchObject([{ status: 'stopped', unitPrice: 0.0025 }]);
  expect((await call(world, 'POST', cancelEndpoint, { mode: 'delete' })).body.action).toBe('delete');
  expect((await active()).totalActive).toBe(0);
});

it('the ledger says what each movement was for', async () => {
  const world = await startWorld(daily);
  const id = await deploy(world, 'web');
  await world.controls.clock.advance('25h');
  await call(world, 'POST', '/api/v1/images/generations', { prompt: 'a house' });
  const { sessionId } = (
    await call(world, 'POST', '/api/v1/credits/checkout', {
      ...{ credits: 5, success_url: 'http://localhost/', cancel_url: 'http://localhost/' },
    })
  ).body;
  world.controls.checkouts.paid(sessionId);
  const { body } = await call(world, 'GET', `${base}/ledger`);
  expect(body.total).toBe(body.ledger.length);
  expect(body.ledger.map((one: any) => [one.type, one.resourceType, one.resourceId, one.amount])).toEqual([
    ['topup', 'credits', sessionId, 5],
    ['charge', 'usage', null, -0.04],
    ['charge', 'container', id, -0.67],
    ['charge', 'container', id, -0.5],
    ['seed', 'credits', null, 1_000],
  ]);
  const [, , day] = body.ledger;
  expect(day).toMatchObject({
    description: 'Daily charge for web, 2026-01-02',
    createdAt: '2026-01-02T00:00:00.000Z',
    source: 'credit_transaction',
    metadata: { operation: 'billing.daily', subject: id },
  });
  const { transactions } = (await call(world, 'GET', '/api/credits/transactions')).body;
  expect(body.ledger.map(({ id: one }: any) => one)).toEqual(transactions.map(({ id: one }: any) => one));
  const page = (await call(world, 'GET', `${base}/ledger?limit=2&offset=1`)).body;
  expect([page.total, page.ledger]).toEqual([body.ledger.length, body.ledger.slice(1, 3)]);
  expect((await call(world, 'GET', `${base}/ledger?limit=0`)).status).toBe(400);
});

it('billing settings are kept; top-ups need a payment method and an amount', async () => {
  const world = await startWorld();
  const limits = { minAmount: 1, maxAmount: 1_000, minThreshold: 0, maxThreshold: 1_000 };
  const autoTopUp = { enabled: false, amount: 0, threshold: 0, hasPaymentMethod: false };
  const read = async () => (await call(world, 'GET', `${base}/settings`)).body.settings;
  expect(await read()).toEqual({ autoTopUp, payAsYouGoFromEarnings: true, limits });
  const change = (body: unknown) => call(world, 'PUT', `${base}/settings`, body);
  const changed = await change({ payAsYouGoFromEarnings: false, autoTopUp: { threshold: 2.5 } });
  expect(changed.body).toEqual({
    success: true,
    message: 'Billing settings updated successfully',
    settings: { autoTopUp: { ...autoTopUp, threshold: 2.5 }, payAsYouGoFromEarnings: false, limits },
  });
  const refused = await change({ autoTopUp: { enabled: true, amount: 10 } });
  expect([refused.status, refused.body.error.details[0]]).toMatchObject([
    400,
    {
      path: 'autoTopUp.enabled',
      message: expect.stringContaining('Cannot enable auto-top-up without a payment method'),
    },
  ]);
  const { sessionId } = (
    await call(world, 'POST', '/api/v1/credits/checkout', {
      ...{ credits: 5, success_url: 'http://localhost/', cancel_url: 'http://localhost/' },
    })
  ).body;
  world.controls.checkouts.paid(sessionId);
  expect((await change({ autoTopUp: { enabled: true } })).body.error.details[0].path).toBe('autoTopUp.amount');
  expect((await change({ autoTopUp: { enabled: true, amount: 10 } })).status).toBe(200);
  expect(await read()).toEqual({
    autoTopUp: { enabled: true, amount: 10, threshold: 2.5, hasPaymentMethod: true },
    payAsYouGoFromEarnings: false,
    limits,
  });
  for (const [path, body] of [
    ['autoTopUp.amount', { autoTopUp: { amount: 0.5 } }],
    ['autoTopUp.threshold', { autoTopUp: { threshold: -1 } }],
    ['payAsYouGoFromEarnings', { payAsYouGoFromEarnings: 'yes' }],
  ] as const)
    expect((await change(body)).body.error.details[0].path).toBe(path);
});

it('the balance stands where newer plug-ins read it, too, but not in the documented API', async () => {
  const spec = await call(await startWorld(), 'GET', '/api/v1/credits/balance');
  expect(spec.body).toEqual({ balance: 1_000 });
  const newer = await call(await startWorld({ profile: 'elizacloud-v1' }), 'GET', '/api/v1/credits/balance');
  expect(newer.body).toEqual({ balance: 1_000, data: { balance: 1_000 } });
});
