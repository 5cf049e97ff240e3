// The ledger: every movement says what moved it, by which rule, from which balance to which.

import { expect, it } from 'vitest';
import type { LedgerEntry } from '../../../src/platform/credits/control.js';
import { call, deploy, startWorld } from '../../support/emulator.js';
import { callWith } from '../../support/keys.js';
import { pay, wallet } from '../../support/payments.js';
import { signIn } from '../../support/wallets.js';

const path = '/api/v1/containers';
const told = ({ type, amount, reason, priceRule, operation, requestId, subject }: LedgerEntry) => ({
  type,
  amount,
  reason,
  priceRule,
  operation,
  requestId,
  subject,
});

it('the ledger explains a deployment, its refund, adjustments and days', async () => {
  const world = await startWorld({ billing: { daily: true } });
  const { ledger, organizations, clock } = world.controls;
  const answer = await call(world, 'POST', path, {
    name: 'a',
    project_name: 'a',
    ecr_image_uri: 'r/a:fail-timeout',
  });
  await clock.advance('1h');
  const good = await deploy(world, { desired_count: 2 });
  organizations.credits(world.organizationId, { set: 5 });
  organizations.credits(world.organizationId, { add: 2.5 });
  organizations.credits(world.organizationId, { add: -1 });
  await clock.advance('1d');
  const requestId = answer.headers.get('x-request-id');
  const deployment = (await call(world, 'GET', `${path}/${answer.body.data.id}/deployments`)).body.data.deployments[0];
  const control = { type: 'adjustment', operation: 'control.organizations.credits', requestId: null, subject: null };
  const of = { operation: 'containers.create', requestId, subject: deployment.id, priceRule: 'deploy 0.5' };
  expect(ledger().map(told)).toEqual([
    { type: 'seed', amount: 1_000, reason: 'Credits of a new world', ...none },
    { type: 'charge', amount: -0.5, reason: 'Deployment of a', ...of },
    { type: 'refund', amount: 0.5, reason: 'Deployment failed', ...of },
    expect.objectContaining({ amount: -0.55, priceRule: 'deploy 0.5 + 1 further instances x 0.05' }),
    { amount: -994.45, reason: 'Set to 5 by the control plane', priceRule: null, ...control },
    { amount: 2.5, reason: 'Added by the control plane', priceRule: null, ...control },
    { amount: -1, reason: 'Taken by the control plane', priceRule: null, ...control },
    {
      type: 'charge',
      amount: -1.34,
      reason: 'Daily charge for web, 2026-01-02',
      priceRule: '0.67 × 2 instances',
      operation: 'billing.daily',
      requestId: null,
      subject: good.id,
    },
  ]);
});

const none = { priceRule: null, operation: null, requestId: null, subject: null };

it('the ledger explains what a wallet is given, tops up and pays', async () => {
  const world = await startWorld();
  const signedIn = await signIn(world);
  const toppedUp = await pay(world);
  const { apiKey } = signedIn.body;
  const created = await callWith(world, apiKey, 'POST', path, {
    name: 'a',
    project_name: 'a',
    ecr_image_uri: 'r/a:1',
  });
  const organizationId = signedIn.body.organization.id;
  const [payment] = world.controls.payments.list();
  expect(world.controls.ledger({ organizationId }).map(told)).toEqual([
    {
      type: 'grant',
      amount: 5,
      reason: 'Free credits of a new wallet',
      priceRule: 'credits.initialFree',
      operation: 'auth.siweVerify',
      requestId: signedIn.headers.get('x-request-id'),
      subject: wallet.address.toLowerCase(),
    },
    {
      type: 'topup',
      amount: 10,
      reason: 'Top-up of $10',
      priceRule: 'topup 10',
      operation: 'topup.create',
      requestId: toppedUp.headers.get('x-request-id'),
      subject: payment?.transaction,
    },
    expect.objectContaining({ type: 'charge', requestId: created.headers.get('x-request-id') }),
  ]);
});

it('the ledger lists what one operation, request or subject has moved', async () => {
  const world = await startWorld({ billing: { daily: true }, timing: 'instant' });
  const { id } = await deploy(world);
  const other = await call(world, 'POST', path, { name: 'b', project_name: 'b', ecr_image_uri: 'r/b:1' });
  await world.controls.clock.advance('3d');
  const requestId = other.headers.get('x-request-id') ?? '';
  const ask = async (query: string) => (await call(world, 'GET', `/_emulator/ledger?${query}`)).body;
  expect((await ask('')).total).toBe(9);
  expect((await ask('operation=containers.create')).total).toBe(2);
  expect((await ask('operation=billing.daily')).total).toBe(6);
  expect((await ask(`subject=${id}`)).total).toBe(3);
  expect((await ask(`subject=${id}&operation=containers.create`)).ledger).toEqual([]);
  expect((await ask(`requestId=${requestId}`)).ledger).toEqual([
    expect.objectContaining({ reason: 'Deployment of b', requestId }),
  ]);
  expect((await ask(`organizationId=${world.organizationId}`)).total).toBe(9);
  expect((await ask('organizationId=nobody')).error.code).toBe('NOT_FOUND');
});

it('the ledger is listed in pages', async () => {
  const world = await startWorld();
  const { ledger, organizations } = world.controls;
  for (let n = 1; n <= 4; n++) organizations.credits(world.organizationId, { set: n });
  const all = ledger();
  const first = ledger({ limit: 2 });
  expect([...first, ...ledger({ after: first[1]?.id, limit: 3 })]).toEqual(all);
  expect(ledger({ after: all.at(-1)?.id })).toEqual([]);
  expect(() => ledger({ after: 'none' })).toThrow('There is no movement "none"');
  expect(() => ledger({ limit: 10_001 })).toThrow(/limit must be at most 10,?000/);
});

it('credits for ten let ten of fifty charges through that come at once', async () => {
  const world = await startWorld({
    rateLimits: { enabled: false },
    quotas: { enabled: false },
    credits: { seeded: 5 },
  });
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, n) =>
      call(world, 'POST', path, { name: `n${n}`, project_name: `p${n}`, ecr_image_uri: 'r/a:1' }),
    ),
  );
  const passed = answers.filter(({ status }) => status === 202);
  expect(passed).toHaveLength(10);
  expect(
    answers.filter(({ status, body }) => status === 402 && body.error.code === 'INSUFFICIENT_CREDITS'),
  ).toHaveLength(40);
  expect(new Set(passed.map(({ body }) => body.creditsRemaining))).toEqual(
    new Set([4.5, 4, 3.5, 3, 2.5, 2, 1.5, 1, 0.5, 0]),
  );
  const charges = world.controls.ledger({ operation: 'containers.create' });
  expect(new Set(charges.map(({ requestId }) => requestId))).toEqual(
    new Set(passed.map(({ headers }) => headers.get('x-request-id'))),
  );
  expect((await call(world, 'GET', path)).body.data).toHaveLength(10);
  expect((await call(world, 'GET', '/api/v1/credits/balance')).body).toEqual({ balance: 0 });
});
