// Paying an operation with USDC instead of credits: containers, for keys, wallets and those who say nothing.

import { describe, expect, it } from 'vitest';
import type { EmulatorWorld } from '../../../src/index.js';
import { paymentHeader, signHeaders } from '../../../src/testing.js';
import { type Answer, call, image, startWorld } from '../../support/emulator.js';
import { decoded, nobody, otherWallet, reasonOf, settlementOf, wallet } from '../../support/payments.js';

const path = '/api/v1/containers';
const container = { name: 'web', project_name: 'web', ecr_image_uri: image };

/** The requirement of a creation, asked for by an organization without credits. */
async function quoted(world: EmulatorWorld, version: 1 | 2 = 1, body: object = container) {
  const poor = world.controls.organizations.create({ credits: 0 });
  const answer = await call(world, 'POST', path, body, { authorization: `Bearer ${poor.apiKey}` });
  expect([answer.status, answer.body.error.code]).toEqual([402, 'INSUFFICIENT_CREDITS']);
  return version === 1 ? answer.body.accepts[0] : decoded(answer.headers.get('payment-required')).accepts[0];
}

async function create(
  world: EmulatorWorld,
  headers: Record<string, string> = nobody,
  { version = 1 as 1 | 2, body = container as object, from = wallet } = {},
): Promise<Answer & { paid: Record<string, string> }> {
  const paid = await paymentHeader({ wallet: from, requirement: await quoted(world, version, body) });
  return { ...(await call(world, 'POST', path, body, { ...headers, ...paid })), paid };
}

const balanceOf = (world: EmulatorWorld, id: string) =>
  world.controls.organizations.list().find((organization) => organization.id === id)?.credits;

it('a request without credits for it reports what it costs, in both versions of x402', async () => {
  const world = await startWorld();
  const body = { ...container, desired_count: 3 };
  expect(await quoted(world, 1, body)).toMatchObject({
    maxAmountRequired: '600000',
    resource: `${world.url}${path}`,
    outputSchema: { input: { method: 'POST' } },
  });
  expect(await quoted(world, 2, body)).toMatchObject({ amount: '600000', network: 'eip155:84532' });
});

describe.each([1, 2] as const)('version %i', (version) => {
  it('of x402 pays for somebody without credentials, who acts as his wallet’s organization', async () => {
    const world = await startWorld();
    const answer = await create(world, nobody, { version });
    expect(answer.status).toBe(202);
    expect(answer.body).toMatchObject({ creditsDeducted: 0.5, creditsRemaining: 0 });
    expect(settlementOf(answer)).toMatchObject({ success: true, payer: wallet.address });

    const headers = await signHeaders({ wallet, path });
    const listed = await call(world, 'GET', path, undefined, { ...nobody, ...headers });
    expect(listed.body.data.map((one: any) => one.id)).toEqual([answer.body.data.id]);
  });

  it('of x402 pays for a key whose organization has no credits', async () => {
    const world = await startWorld();
    const poor = world.controls.organizations.create({ credits: 0 });
    const answer = await create(world, { authorization: `Bearer ${poor.apiKey}` }, { version });
    expect([answer.status, answer.body.creditsRemaining]).toEqual([202, 0]);
    expect(world.controls.containers.list()[0]?.organizationId).toBe(poor.id);
  });
});

it('a payment leaves the organization’s credits alone, and the ledger explains why', async () => {
  const world = await startWorld();
  const answer = await create(world, { authorization: `Bearer ${world.apiKey}` });
  expect(answer.body).toMatchObject({ creditsDeducted: 0.5, creditsRemaining: 1_000 });
  const shared = { operation: 'containers.create', requestId: answer.headers.get('x-request-id') };
  expect(world.controls.ledger({ organizationId: world.organizationId }).slice(1)).toEqual([
    expect.objectContaining({
      ...shared,
      type: 'payment',
      amount: 0.5,
      reason: 'x402 payment',
      priceRule: 'x402 exact, 0.5 USDC',
      subject: settlementOf(answer).transaction,
      balanceAfter: 1_000.5,
    }),
    expect.objectContaining({ ...shared, type: 'charge', amount: -0.5, balanceAfter: 1_000 }),
  ]);
});

it('a payment pays for a wallet that signs, which has its free credits and keeps them', async () => {
  const world = await startWorld();
  const headers = await signHeaders({ wallet: otherWallet, method: 'POST', path });
  const answer = await create(world, { ...nobody, ...headers });
  expect([answer.status, answer.body.creditsRemaining]).toEqual([202, 5]);
});

it('a payment raises no quota by what it brings', async () => {
  const world = await startWorld();
  const { id, apiKey } = world.controls.organizations.create({ credits: 0.6 });
  const key = { authorization: `Bearer ${apiKey}` };
  expect((await create(world, key)).body.creditsRemaining).toBe(0.6);
  const second = await create(world, key, { body: { ...container, name: 'b', project_name: 'b' } });
  expect([second.status, second.body.error.details]).toEqual([403, { current: 1, max: 1 }]);
  expect(balanceOf(world, id)).toBe(0.6);
});

it('a payment pays an update of a project too', async () => {
  const world = await startWorld();
  const first = await create(world);
  const second = await create(world, nobody, { body: { ...container, desired_count: 2 } });
  expect([second.status, second.body.data.id, second.body.creditsDeducted]).toEqual([202, first.body.data.id, 0.55]);
  expect(world.controls.payments.list().map(({ amount }) => amount)).toEqual([0.5, 0.55]);
});

it('the charge of a failed deployment that was paid with USDC returns in credits', async () => {
  const world = await startWorld();
  const answer = await create(world, nobody, { body: { ...container, ecr_image_uri: 'r/web:fail-exec-format' } });
  await world.controls.clock.advance('1h');
  const { organizationId } = world.controls.containers.list()[0] ?? {};
  expect(answer.status).toBe(202);
  expect(balanceOf(world, organizationId ?? '')).toBe(0.5);
});

describe('nothing is settled when the operation fails', () => {
  it.each([
    ['400', 400, { ...container, port: 0 }, {}],
    ['404', 404, container, { registry: { require: 'always' as const } }],
  ])('with %s, and the payment can be used again', async (_, status, body, settings) => {
    const world = await startWorld(settings);
    const paid = await paymentHeader({
      wallet,
      requirement: {
        ...(await (async () => (await call(world, 'POST', '/api/v1/topup/10', undefined, nobody)).body.accepts[0])()),
        maxAmountRequired: '500000',
      },
    });
    const answer = await call(world, 'POST', path, body, { ...nobody, ...paid });
    expect(answer.status).toBe(status);
    expect(settlementOf(answer)).toBeNull();
    expect(world.controls.payments.list()).toEqual([]);
    expect(world.controls.payments.balances()).toEqual([]);
    // Nor is there an account now.
    expect(world.controls.organizations.list()).toHaveLength(1);
  });

  it('with 409 or 403, and the same payment then pays for something that works', async () => {
    const world = await startWorld({ quotas: { containers: [1, 1, 1, 1] } });
    await create(world);
    const requirement = await quoted(world);
    const paid = { ...nobody, ...(await paymentHeader({ wallet, requirement })) };
    const taken = await call(world, 'POST', path, { ...container, project_name: 'other' }, paid);
    expect([taken.status, taken.body.error.code]).toEqual([409, 'CONFLICT']);
    const full = await call(world, 'POST', path, { ...container, name: 'b', project_name: 'b' }, paid);
    expect([full.status, full.body.error.code]).toEqual([403, 'QUOTA_EXCEEDED']);
    const updated = await call(world, 'POST', path, container, paid);
    expect(updated.status).toBe(202);
    expect(reasonOf(await call(world, 'POST', path, container, paid))).toBe('duplicate_settlement');
    expect(world.controls.payments.list()).toHaveLength(2);
  });
});

describe('who says nothing', () => {
  it('and pays nothing is 401', async () => {
    const world = await startWorld();
    const answer = await call(world, 'POST', path, container, nobody);
    expect([answer.status, answer.body.error.code]).toEqual([401, 'UNAUTHORIZED']);
  });

  it('is challenged where the settings say so, after validation, and pays what is asked', async () => {
    const world = await startWorld({ x402: { challengeAnonymous: true } });
    const invalid = await call(world, 'POST', path, { ...container, port: 0 }, nobody);
    expect(invalid.status).toBe(400);
    const challenged = await call(world, 'POST', path, { ...container, desired_count: 2 }, nobody);
    expect([challenged.status, challenged.body.error.code]).toEqual([402, 'PAYMENT_REQUIRED']);
    expect(world.controls.organizations.list()).toHaveLength(1);
    const paid = await paymentHeader({ wallet, requirement: challenged.body.accepts[0] });
    const answer = await call(world, 'POST', path, { ...container, desired_count: 2 }, { ...nobody, ...paid });
    expect([answer.status, answer.body.creditsDeducted]).toEqual([202, 0.55]);
    // Operations that cost nothing are still for those who are known.
    expect((await call(world, 'GET', path, undefined, nobody)).status).toBe(401);
  });

  it('and pays wrongly is 402 with the reason', async () => {
    const world = await startWorld();
    const paid = await paymentHeader({ wallet, requirement: await quoted(world), wrong: 'underpaid' });
    const answer = await call(world, 'POST', path, container, { ...nobody, ...paid });
    expect([answer.status, reasonOf(answer)]).toEqual([402, 'invalid_exact_evm_payload_authorization_value']);
  });
});

describe('who says something wrong', () => {
  it.each([
    ['an unknown key', { authorization: `Bearer ek_test_${'0'.repeat(64)}` }],
    ['a bad session token', { authorization: 'Bearer a.b.c' }],
    ['wallet headers that are wrong', { 'x-wallet-address': '1', 'x-timestamp': '2', 'x-wallet-signature': '3' }],
  ])('is 401 for %s, whatever he pays', async (_, headers) => {
    const world = await startWorld();
    const answer = await create(world, { ...nobody, ...headers });
    expect([answer.status, answer.body.error.code]).toEqual([401, 'UNAUTHORIZED']);
    expect(world.controls.payments.list()).toEqual([]);
  });

  it('is 403 for a key without the permission', async () => {
    const world = await startWorld();
    const { apiKey } = world.controls.keys.create({ permissions: ['chat'] });
    expect((await create(world, { authorization: `Bearer ${apiKey}` })).status).toBe(403);
  });
});

it('a response says that a payment was not used where nothing costs anything', async () => {
  const world = await startWorld();
  const answer = await call(world, 'GET', path, undefined, { 'x-payment': 'e30=' });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('x-emulator-warning')).toContain('the payment was not used');
});
