// The facilitator's endpoints, and the payment control operations.

import { describe, expect, it } from 'vitest';
import { type PaymentMistake, paymentPayload } from '../../../src/testing.js';
import { call, startWorld } from '../../support/emulator.js';
import { nobody, otherWallet, pay, reasonOf, requirementOf, wallet } from '../../support/payments.js';

const verify = '/api/v1/x402/verify';
const settle = '/api/v1/x402/settle';
const evm = 'invalid_exact_evm_payload';

describe.each([1, 2] as const)('version %i', (version) => {
  it('of the facilitator verifies without moving anything, and settles once', async () => {
    const world = await startWorld();
    const payTo = otherWallet.address;
    const paymentRequirements = { ...(await requirementOf(world, version)), payTo };
    const paymentPayload_ = await paymentPayload({ wallet, requirement: paymentRequirements });
    const body = { x402Version: version, paymentPayload: paymentPayload_, paymentRequirements };
    for (let i = 0; i < 2; i++) {
      const answer = await call(world, 'POST', verify, body, nobody);
      expect([answer.status, answer.body]).toEqual([200, { isValid: true, payer: wallet.address }]);
    }
    expect(world.controls.payments.list()).toEqual([]);
    const settled = await call(world, 'POST', settle, body, nobody);
    expect([settled.status, settled.body]).toEqual([
      200,
      {
        success: true,
        transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/),
        network: version === 1 ? 'base-sepolia' : 'eip155:84532',
        payer: wallet.address,
      },
    ]);
    expect(world.controls.payments.list()).toMatchObject([{ operation: 'x402.settle', payTo: payTo.toLowerCase() }]);
    expect(world.controls.payments.balances()).toEqual(
      [
        { address: wallet.address.toLowerCase(), usdc: 999_990 },
        { address: payTo.toLowerCase(), usdc: 1_000_010 },
      ].sort((a, b) => (a.address < b.address ? -1 : 1)),
    );
    // Nobody's credits have moved.
    expect(world.controls.ledger()).toHaveLength(1);
    for (const [path, name] of [
      [verify, 'invalidReason'],
      [settle, 'errorReason'],
    ] as const) {
      const again = await call(world, 'POST', path, body, nobody);
      expect([again.status, again.body[name]]).toEqual([400, 'duplicate_settlement']);
    }
  });

  const refusals: [PaymentMistake, string, string][] = [
    ['wrong-version', 'invalid_payload', 'invalid_payload'],
    ['wrong-scheme', 'scheme_not_supported', 'unsupported_scheme'],
    ['wrong-network', 'network_not_supported', 'invalid_network'],
    ['bad-signature', `${evm}_signature`, `${evm}_signature`],
    ['contract-wallet', `${evm}_undeployed_smart_wallet`, `${evm}_undeployed_smart_wallet`],
    ['wrong-recipient', 'payto_mismatch', `${evm}_recipient_mismatch`],
    ['expired', 'payment_expired', `${evm}_authorization_valid_before`],
    ['not-yet-valid', `${evm}_authorization_valid_after`, `${evm}_authorization_valid_after`],
    ['underpaid', 'insufficient_amount', `${evm}_authorization_value`],
  ];
  it.each(refusals)('of the facilitator refuses %s: %s', async (wrong, word, reason) => {
    const world = await startWorld();
    const requirement = await requirementOf(world, version);
    const body = {
      paymentPayload: await paymentPayload({ wallet, requirement, wrong }),
      paymentRequirements: requirement,
    };
    const verified = await call(world, 'POST', verify, body, nobody);
    expect([verified.status, verified.body.isValid, verified.body.invalidReason]).toEqual([400, false, word]);
    expect(reasonOf(verified)).toBe(reason);
    const settled = await call(world, 'POST', settle, body, nobody);
    expect(settled.body).toMatchObject({ success: false, transaction: '', network: '', errorReason: word });
    if (wrong !== 'wrong-version') expect(settled.body.payer).toBe(wallet.address);
    expect(world.controls.payments.list()).toEqual([]);
  });
});

it.each<[string, unknown, string]>([
  ['no JSON', '{"paymentPayload":', 'invalid_json_body'],
  ['nothing', {}, 'missing_fields: paymentPayload, paymentRequirements'],
  ['one half', { paymentPayload: {} }, 'missing_fields: paymentRequirements'],
  ['an empty payment', { paymentPayload: {}, paymentRequirements: {} }, 'invalid_x402_version'],
  ['half a payment', { paymentPayload: { x402Version: 1 }, paymentRequirements: {} }, 'invalid_payload'],
])('the facilitator refuses %s in its own words', async (_, body, word) => {
  const world = await startWorld();
  const verified = await call(world, 'POST', verify, body, nobody);
  expect([verified.status, verified.body.isValid, verified.body.invalidReason]).toEqual([400, false, word]);
  expect((await call(world, 'POST', settle, body, nobody)).body.errorReason).toBe(word);
});

it.each<[string, object, string]>([
  ['nothing signed', { scheme: 'exact', network: 'base' }, 'paymentPayload: payload is required'],
  ['a list for what is signed', { scheme: 'exact', network: 'base', payload: [] }, 'payload must be an object'],
  ['a number for the scheme', { scheme: 1 }, 'paymentPayload: scheme must be a string'],
])('the facilitator names the field of a payment with %s', async (_, payment, message) => {
  const world = await startWorld();
  const body = { paymentPayload: { x402Version: 1, ...payment }, paymentRequirements: {} };
  const { body: answer } = await call(world, 'POST', verify, body, nobody);
  expect(JSON.stringify(answer)).toContain(message);
});

it.each<[string, object, string]>([
  ['no amount', { maxAmountRequired: undefined }, 'paymentRequirements.maxAmountRequired is required'],
  ['an amount that is a number', { maxAmountRequired: 5 }, 'paymentRequirements.maxAmountRequired must be a string'],
  ['an amount with a point', { maxAmountRequired: '1.5' }, 'must be a whole number'],
  ['another asset', { asset: `0x${'1'.repeat(40)}` }, 'paymentRequirements.asset must be 0x036C'],
  ['nobody to be paid', { payTo: 'me' }, 'paymentRequirements.payTo must be an address'],
])('the facilitator refuses requirements with %s', async (_, spoilt, message) => {
  const world = await startWorld();
  const requirement = await requirementOf(world);
  const body = {
    paymentPayload: await paymentPayload({ wallet, requirement }),
    paymentRequirements: { ...requirement, ...spoilt },
  };
  const answer = await call(world, 'POST', verify, body, nobody);
  expect([answer.status, answer.body.invalidReason]).toEqual([400, 'invalid_payment_requirements']);
  expect(answer.body.error.message).toContain(message);
});

it('the facilitator fails a settlement as ordered, though the payment verifies', async () => {
  const world = await startWorld();
  const requirement = await requirementOf(world);
  const body = { paymentPayload: await paymentPayload({ wallet, requirement }), paymentRequirements: requirement };
  await call(world, 'POST', '/_emulator/payments', { failNext: 'unexpected_settle_error' });
  expect((await call(world, 'POST', verify, body, nobody)).body.isValid).toBe(true);
  const failed = await call(world, 'POST', settle, body, nobody);
  expect([failed.status, failed.body.errorReason]).toEqual([400, 'unexpected_settle_error']);
  expect((await call(world, 'POST', settle, body, nobody)).status).toBe(200);
});

it('one payment is settled once, whoever asks: the platform or the facilitator', async () => {
  const world = await startWorld();
  const answer = await pay(world);
  const payload = JSON.parse(Buffer.from(answer.paid['X-PAYMENT'] ?? '', 'base64').toString());
  const body = { paymentPayload: payload, paymentRequirements: await requirementOf(world) };
  expect((await call(world, 'POST', settle, body, nobody)).body.errorReason).toBe('duplicate_settlement');
});

describe('over HTTP', () => {
  it.each<[string, unknown, string]>([
    ['/_emulator/payments', {}, 'failNext'],
    ['/_emulator/payments', { failNext: '' }, 'failNext'],
    ['/_emulator/payments', { failNext: 5 }, 'failNext'],
    ['/_emulator/payments/balances', { address: 'x', usdc: 1 }, 'address'],
    ['/_emulator/payments/balances', { address: `0x${'1'.repeat(40)}`, usdc: -1 }, 'usdc'],
  ])('a payment control refuses at %s: %j', async (path, body, field) => {
    const world = await startWorld();
    const answer = await call(world, 'POST', path, body);
    expect([answer.status, answer.body.error.details[0].path]).toEqual([400, field]);
  });
});
