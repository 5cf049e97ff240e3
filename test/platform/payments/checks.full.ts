// Every check of a payment, with the protocol's word for it; whatever is refused settles nothing.

import { describe, expect, it } from 'vitest';
import { withChecksum } from '../../../src/platform/wallets/curve.js';
import type { PaymentMistake } from '../../../src/testing.js';
import { paymentHeader } from '../../../src/testing.js';
import { call, startWorld } from '../../support/emulator.js';
import { decoded, nobody, pay, reasonOf, requirementOf, settlementOf, topUp, wallet } from '../../support/payments.js';

const evm = 'invalid_exact_evm_payload';
const refusals: [wrong: PaymentMistake, reason: string][] = [
  ['not-base64', 'invalid_payload'],
  ['not-json', 'invalid_payload'],
  ['wrong-version', 'invalid_x402_version'],
  ['wrong-scheme', 'unsupported_scheme'],
  ['wrong-network', 'invalid_network'],
  ['bad-signature', `${evm}_signature`],
  ['malformed-signature', `${evm}_signature`],
  ['malleated', `${evm}_signature`],
  ['contract-wallet', `${evm}_undeployed_smart_wallet`],
  ['wrong-recipient', `${evm}_recipient_mismatch`],
  ['expired', `${evm}_authorization_valid_before`],
  ['not-yet-valid', `${evm}_authorization_valid_after`],
  ['underpaid', `${evm}_authorization_value`],
];

describe.each([1, 2] as const)('version %i', (version) => {
  it.each(refusals)('refuses a payment for %s: %s', async (wrong, reason) => {
    const world = await startWorld();
    const answer = await pay(world, { version, wrong });
    expect([answer.status, answer.body.error.code, reasonOf(answer)]).toEqual([402, 'PAYMENT_REQUIRED', reason]);
    expect(answer.body.error.message).toMatch(/^The payment is refused: \S.*[^.]$/);
    // The challenge stands again, in both versions.
    expect(answer.body.accepts[0].maxAmountRequired).toBe('10000000');
    expect(decoded(answer.headers.get('payment-required'))).toMatchObject({
      error: reason,
      accepts: [{ amount: '10000000' }],
    });
    // Nobody tried to settle the payment.
    expect(settlementOf(answer)).toBeNull();
    expect(world.controls.payments.list()).toEqual([]);
    expect(world.controls.organizations.list()).toHaveLength(1);
  });

  it('refuses a payment in another asset', async () => {
    const world = await startWorld();
    const answer = await pay(world, { version, wrong: 'wrong-asset' });
    const reason = version === 1 ? `${evm}_signature` : 'invalid_payment_requirements';
    expect([answer.status, reasonOf(answer)]).toEqual([402, reason]);
  });

  it('refuses a payment that was settled before', async () => {
    const world = await startWorld();
    const first = await pay(world, { version, wrong: 'replayed' });
    expect(first.status).toBe(200);
    const again = await pay(world, { version, wrong: 'replayed' });
    expect([again.status, reasonOf(again)]).toEqual([402, 'duplicate_settlement']);
    expect(again.body.error.message).toContain(first.headers.get('x-request-id'));
    expect(settlementOf(again)).toEqual({
      success: false,
      errorReason: 'duplicate_settlement',
      transaction: '',
      network: version === 1 ? 'base-sepolia' : 'eip155:84532',
      payer: wallet.address,
    });
    expect(world.controls.payments.list()).toHaveLength(1);
  });

  it('refuses a payment of more than the wallet holds, and names what it holds', async () => {
    const world = await startWorld({ x402: { balance: 9.999999 } });
    const answer = await pay(world, { version });
    expect([answer.status, reasonOf(answer)]).toEqual([402, 'insufficient_funds']);
    expect(answer.body.error.message).toContain('9.999999 USDC');
  });

  it('takes a payment of all that the wallet holds, and no more', async () => {
    const world = await startWorld({ x402: { balance: 10 } });
    expect((await pay(world, { version })).status).toBe(200);
    expect(reasonOf(await pay(world, { version }))).toBe('insufficient_funds');
  });

  it.each([
    ['a domain of another name', { name: 'USD Coin', version: '2' }],
    ['a domain of another version', { name: 'USDC', version: '1' }],
  ])('refuses a payment with %s, and reports the right one', async (_, extra) => {
    const world = await startWorld();
    const requirement = { ...(await requirementOf(world, version)), extra };
    const paid = await paymentHeader({ wallet, requirement });
    const answer = await call(world, 'POST', topUp, { walletAddress: wallet.address }, { ...nobody, ...paid });
    expect(reasonOf(answer)).toBe(`${evm}_signature`);
    expect(answer.body.error.message).toContain(
      '{name: "USDC", version: "2", chainId: 84532, verifyingContract: 0x036CbD53842c5426634e7929541eC2318f3dCF7e}',
    );
  });

  it('refuses a payment for another amount', async () => {
    const world = await startWorld();
    const requirement = await requirementOf(world, version);
    const paid = await paymentHeader({ wallet, requirement });
    const answer = await call(
      world,
      'POST',
      '/api/v1/topup/50',
      { walletAddress: wallet.address },
      { ...nobody, ...paid },
    );
    expect(reasonOf(answer)).toBe(`${evm}_authorization_value`);
    const bound = version === 1 ? 'at least' : 'exactly';
    expect(answer.body.error.message).toContain(`must be of ${bound} 50000000 atomic units (50 USDC)`);
  });
});

it('a payment of more than the price is taken in version 1, with a note, and in version 2 only of exactly the price', async () => {
  const world = await startWorld();
  const first = await pay(world, { version: 1, wrong: 'overpaid' });
  expect([first.status, first.body.newBalance]).toEqual([200, 10]);
  expect(first.headers.get('x-emulator-warning')).toContain('paid 10.000001 USDC where 10 USDC were asked for');
  expect(world.controls.payments.list()[0]?.amount).toBe(10.000001);
  expect(reasonOf(await pay(world, { version: 2, wrong: 'overpaid' }))).toBe(`${evm}_authorization_value`);
});

describe('the order of the checks is the reference facilitator’s', () => {
  const order: [PaymentMistake, PaymentMistake][] = [
    ['wrong-scheme', 'wrong-network'],
    ['wrong-network', 'bad-signature'],
    ['malleated', 'wrong-recipient'],
    ['wrong-recipient', 'expired'],
    ['expired', 'underpaid'],
  ];
  // Both mistakes at once: the requirement carries the second one.
  it.each(order)('%s before %s', async (first, second) => {
    const world = await startWorld();
    const requirement = await requirementOf(world);
    const spoilt = {
      'wrong-network': { network: 'base' },
      'bad-signature': { extra: { name: 'x', version: '9' } },
      'wrong-recipient': { payTo: `0x${'1'.repeat(40)}` },
      expired: { maxTimeoutSeconds: -10_000 },
      underpaid: { maxAmountRequired: '1' },
    }[second as string];
    const paid = await paymentHeader({ wallet, requirement: { ...requirement, ...spoilt }, wrong: first });
    const answer = await call(world, 'POST', topUp, { walletAddress: wallet.address }, { ...nobody, ...paid });
    expect(reasonOf(answer)).toBe(refusals.find(([wrong]) => wrong === first)?.[1]);
  });
});

describe('a payment’s times are judged by the client’s clock', () => {
  const pays = async (world: Awaited<ReturnType<typeof startWorld>>, now?: number) => {
    const requirement = await requirementOf(world);
    const paid = await paymentHeader({ wallet, requirement, ...(now !== undefined && { now }) });
    return call(world, 'POST', topUp, { walletAddress: wallet.address }, { ...nobody, ...paid });
  };

  it('and never by virtual time', async () => {
    const world = await startWorld();
    await world.controls.clock.advance('300d');
    expect((await pays(world)).status).toBe(200);
  });

  it('which a skew moves', async () => {
    const world = await startWorld();
    const to = '2030-06-01T00:00:00Z';
    world.controls.clock.skew({ to });
    expect(reasonOf(await pays(world))).toBe(`${evm}_authorization_valid_before`);
    expect((await pays(world, Date.parse(to))).status).toBe(200);
  });

  it('and six seconds must be left', async () => {
    const world = await startWorld();
    const to = '2030-06-01T00:00:00Z';
    world.controls.clock.skew({ to });
    // 300 s are asked for: signed 270 s ago it is good, 299 s ago it is not.
    expect((await pays(world, Date.parse(to) - 270_000)).status).toBe(200);
    expect(reasonOf(await pays(world, Date.parse(to) - 299_000))).toBe(`${evm}_authorization_valid_before`);
  });
});

describe('settings', () => {
  it('choose the network and who is paid', async () => {
    const payTo = `0x${'Ab'.repeat(20)}`;
    const world = await startWorld({ x402: { network: 'base', payTo, maxTimeoutSeconds: 60 } });
    expect(await requirementOf(world)).toMatchObject({
      network: 'base',
      payTo: withChecksum(payTo),
      maxTimeoutSeconds: 60,
      asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
      extra: { name: 'USD Coin', version: '2' },
    });
    for (const version of [1, 2] as const) expect((await pay(world, { version })).status).toBe(200);
    expect(world.controls.payments.list()[0]?.payTo).toBe(payTo.toLowerCase());
  });

  it('choose the versions', async () => {
    const first = await startWorld({ x402: { versions: [1] } });
    const requirement = await requirementOf(first);
    expect((await call(first, 'POST', topUp, undefined, nobody)).headers.has('payment-required')).toBe(false);
    expect((await pay(first)).status).toBe(200);
    const paid = await paymentHeader({
      wallet,
      requirement: { ...requirement, amount: '10000000', network: 'eip155:84532' },
      version: 2,
    });
    const refused = await call(first, 'POST', topUp, { walletAddress: wallet.address }, { ...nobody, ...paid });
    expect(reasonOf(refused)).toBe('invalid_x402_version');

    const second = await startWorld({ x402: { versions: [2] } });
    const { body } = await call(second, 'POST', topUp, undefined, nobody);
    expect([body.accepts, body.x402Version]).toEqual([undefined, undefined]);
    expect((await pay(second, { version: 2 })).status).toBe(200);
  });
});

it('a refusal gives the reason alone where errors are flat, as clients of the public server know it', async () => {
  const world = await startWorld({ profile: 'elizacloud-v1' });
  const unpaid = await call(world, 'POST', topUp, undefined, nobody);
  expect(unpaid.body).toMatchObject({ error: 'X-PAYMENT header is required', x402Version: 1 });
  expect(unpaid.body.accepts[0].description).toBe('Topup $10 credits for Eliza Cloud');
  expect((await pay(world, { wrong: 'underpaid' })).body).toMatchObject({
    error: `${evm}_authorization_value`,
    x402Version: 1,
    accepts: [{ maxAmountRequired: '10000000' }],
  });
  const nowhere = await pay(world, { body: '' });
  expect([nowhere.status, nowhere.body.error]).toEqual([
    400,
    'walletAddress is required (body or wallet signature headers)',
  ]);
});
