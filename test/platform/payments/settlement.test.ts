// Settling: once, whatever is sent at the same time, after whatever was lost, and after a restart.

import { describe, expect, it } from 'vitest';
import { createEmulator } from '../../../src/index.js';
import { paymentHeader, signHeaders } from '../../../src/testing.js';
import { itFull, sampleOf } from '../../support/campaign.js';
import { tempDir } from '../../support/command.js';
import { call, image, startEmulator, startWorld } from '../../support/emulator.js';
import {
  nobody,
  otherWallet,
  pay,
  reasonOf,
  requirementOf,
  settlementOf,
  topUp,
  wallet,
} from '../../support/payments.js';

const body = { walletAddress: wallet.address };
const unlimited = { rateLimits: { enabled: false } };

describe.each(sampleOf([2, 1] as const))('version %i', (version) => {
  it('of x402 gives one credit and 49 refusals for one payment that is sent 50 times at once', async () => {
    const emulator = await startWorld(unlimited);
    const paid = await paymentHeader({ wallet, requirement: await requirementOf(emulator, version) });
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => call(emulator, 'POST', topUp, body, { ...nobody, ...paid })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const refused = answers.filter(({ status }) => status === 402);
    expect(refused.map(reasonOf)).toEqual(Array.from({ length: 49 }, () => 'duplicate_settlement'));
    expect(emulator.controls.payments.list()).toHaveLength(1);
    expect(emulator.controls.ledger().filter(({ type }) => type === 'topup')).toMatchObject([{ amount: 10 }]);
  });
});

itFull('what a wallet holds is spent once, whatever is paid at the same time', async () => {
  const emulator = await startWorld({ ...unlimited, x402: { balance: 100 } });
  const requirement = await requirementOf(emulator);
  const answers = await Promise.all(
    Array.from({ length: 30 }, async () => {
      const paid = await paymentHeader({ wallet, requirement });
      return call(emulator, 'POST', topUp, body, { ...nobody, ...paid });
    }),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
  expect(new Set(answers.filter(({ status }) => status === 402).map(reasonOf))).toEqual(
    new Set(['insufficient_funds']),
  );
  expect(emulator.controls.payments.balances()).toContainEqual({ address: wallet.address.toLowerCase(), usdc: 0 });
});

it('one authorization is known by chain, asset, payer and nonce, however it is spelled and signed', async () => {
  const emulator = await startWorld();
  const nonce = `0x${'aB'.repeat(32)}` as const;
  const requirement = await requirementOf(emulator);
  const first = await paymentHeader({ wallet, requirement, nonce });
  expect((await call(emulator, 'POST', topUp, body, { ...nobody, ...first })).status).toBe(200);
  for (const [again, options] of [
    ['the other version', { requirement: await requirementOf(emulator, 2), nonce }],
    ['another spelling', { requirement, nonce: nonce.toLowerCase() as `0x${string}` }],
    ['another amount', { requirement: { ...requirement, maxAmountRequired: '11000000' }, nonce }],
  ] as const) {
    const answer = await call(emulator, 'POST', topUp, body, {
      ...nobody,
      ...(await paymentHeader({ wallet, ...options })),
    });
    expect([again, answer.status, reasonOf(answer)]).toEqual([again, 402, 'duplicate_settlement']);
  }
  // Another wallet may use the same nonce.
  const other = await paymentHeader({ wallet: otherWallet, requirement, nonce });
  expect((await call(emulator, 'POST', topUp, body, { ...nobody, ...other })).status).toBe(200);
});

it('the same payment in a world of the same seed gives the same transfer', async () => {
  const nonce = `0x${'07'.repeat(32)}` as const;
  const hashes = [];
  for (const seed of ['test', 'test', 'other']) {
    const emulator = await startWorld({ seed });
    const paid = await paymentHeader({ wallet, requirement: await requirementOf(emulator), nonce });
    hashes.push(settlementOf(await call(emulator, 'POST', topUp, body, { ...nobody, ...paid })).transaction);
  }
  expect(hashes[0]).toBe(hashes[1]);
  expect(hashes[2]).not.toBe(hashes[0]);
});

it('payments and balances outlive a restart', async () => {
  const dataDir = tempDir();
  const first = await createEmulator({ seed: 'test', dataDir });
  const paid = { ...nobody, ...(await paymentHeader({ wallet, requirement: await requirementOf(first) })) };
  expect((await call(first, 'POST', topUp, body, paid)).status).toBe(200);
  first.controls.payments.failNextSettlement('unexpected_settle_error');
  await first.close();

  const second = await startEmulator({ seed: 'test', dataDir });
  expect(second.controls.payments.list()).toMatchObject([{ amount: 10, status: 'settled' }]);
  expect(second.controls.payments.balances()).toContainEqual({ address: wallet.address.toLowerCase(), usdc: 999_990 });
  expect(reasonOf(await call(second, 'POST', topUp, body, paid))).toBe('duplicate_settlement');
  expect(reasonOf(await pay(second))).toBe('unexpected_settle_error');
  expect((await pay(second)).body.newBalance).toBe(20);
});

describe('what can go wrong on the way', () => {
  it('a payment is verified but not settled: nothing is credited, and it may be used again', async () => {
    const emulator = await startWorld();
    expect(emulator.controls.payments.failNextSettlement()).toEqual({ failNext: 'invalid_transaction_state' });
    const failed = await pay(emulator);
    expect([failed.status, reasonOf(failed)]).toEqual([402, 'invalid_transaction_state']);
    expect(settlementOf(failed)).toEqual({
      success: false,
      errorReason: 'invalid_transaction_state',
      transaction: '',
      network: 'base-sepolia',
      payer: wallet.address,
    });
    expect(emulator.controls.ledger()).toHaveLength(1);
    expect(emulator.controls.organizations.list()).toHaveLength(1);
    expect(emulator.controls.payments.balances()).toEqual([]);
    const again = await call(emulator, 'POST', topUp, body, { ...nobody, ...failed.paid });
    expect(again.status).toBe(200);
    expect(emulator.controls.payments.list()).toMatchObject([
      {
        status: 'failed',
        reason: 'invalid_transaction_state',
        transaction: null,
        requestId: failed.headers.get('x-request-id'),
      },
      { status: 'settled', reason: null, transaction: settlementOf(again).transaction },
    ]);
  });

  it('one settlement of many at once fails, and only one', async () => {
    const emulator = await startWorld(unlimited);
    emulator.controls.payments.failNextSettlement('unexpected_settle_error');
    const requirement = await requirementOf(emulator);
    const answers = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const paid = await paymentHeader({ wallet, requirement });
        return call(emulator, 'POST', topUp, body, { ...nobody, ...paid });
      }),
    );
    expect(answers.filter(({ status }) => status === 402).map(reasonOf)).toEqual(['unexpected_settle_error']);
  });

  it('an ordered failure is called off by null', async () => {
    const emulator = await startWorld();
    emulator.controls.payments.failNextSettlement('unexpected_settle_error');
    emulator.controls.payments.failNextSettlement(null);
    expect((await pay(emulator)).status).toBe(200);
  });

  it('a settlement that fails leaves the wallet’s signature unburned', async () => {
    const emulator = await startWorld();
    emulator.controls.payments.failNextSettlement('unexpected_settle_error');
    const headers = await signHeaders({ wallet, method: 'POST', path: topUp });
    const failed = await pay(emulator, { headers, body: '' });
    expect(failed.status).toBe(402);
    expect((await call(emulator, 'POST', topUp, undefined, { ...nobody, ...headers, ...failed.paid })).status).toBe(
      200,
    );
  });

  it('a payment is settled but the response lost: the credit stands, and the same payment is a duplicate', async () => {
    const emulator = await startWorld();
    await call(emulator, 'POST', '/_emulator/faults', {
      match: { operation: 'topup.create' },
      when: { times: 1 },
      phase: 'after',
      effect: { error: 'SERVICE_UNAVAILABLE' },
    });
    const lost = await pay(emulator);
    expect(lost.status).toBe(503);
    expect(lost.headers.has('x-payment-response')).toBe(false);
    expect(emulator.controls.payments.list()).toMatchObject([{ status: 'settled', amount: 10 }]);
    // Whoever settles twice is told so, and is credited once.
    const again = await call(emulator, 'POST', topUp, body, { ...nobody, ...lost.paid });
    expect([again.status, reasonOf(again)]).toEqual([402, 'duplicate_settlement']);
    expect(emulator.controls.ledger().filter(({ type }) => type === 'topup')).toHaveLength(1);
    expect((await pay(emulator)).body.newBalance).toBe(20);
  });

  it('a connection breaks under the response: the credit stands too', async () => {
    const emulator = await startWorld();
    const paid = { ...nobody, ...(await paymentHeader({ wallet, requirement: await requirementOf(emulator) })) };
    const fault = JSON.stringify({ phase: 'after', effect: { network: 'reset' } });
    await expect(call(emulator, 'POST', topUp, body, { ...paid, 'x-emulator-fault': fault })).rejects.toThrow();
    expect(reasonOf(await call(emulator, 'POST', topUp, body, paid))).toBe('duplicate_settlement');
  });

  it('a fault comes before the request: nothing is settled', async () => {
    const emulator = await startWorld();
    const fault = JSON.stringify({ phase: 'before', effect: { error: 'SERVICE_UNAVAILABLE' } });
    const paid = { ...nobody, ...(await paymentHeader({ wallet, requirement: await requirementOf(emulator) })) };
    expect((await call(emulator, 'POST', topUp, body, { ...paid, 'x-emulator-fault': fault })).status).toBe(503);
    expect((await call(emulator, 'POST', topUp, body, paid)).status).toBe(200);
  });

  it('a forced 402 says what to pay, and a payment then works', async () => {
    const emulator = await startWorld();
    const create = { name: 'web', project_name: 'web', ecr_image_uri: image };
    const fault = JSON.stringify({ effect: { error: 'INSUFFICIENT_CREDITS' } });
    const refused = await call(emulator, 'POST', '/api/v1/containers', create, { 'x-emulator-fault': fault });
    expect([refused.status, refused.body.accepts[0].maxAmountRequired]).toEqual([402, '500000']);
    const paid = await paymentHeader({ wallet, requirement: refused.body.accepts[0] });
    expect((await call(emulator, 'POST', '/api/v1/containers', create, paid)).status).toBe(202);
  });
});

it('a reset or a restore forgets the payments of what it undoes', async () => {
  const emulator = await startWorld();
  const paid = { ...nobody, ...(await paymentHeader({ wallet, requirement: await requirementOf(emulator) })) };
  expect((await call(emulator, 'POST', topUp, body, paid)).status).toBe(200);
  await call(emulator, 'POST', '/_emulator/reset');
  expect(emulator.controls.payments.list()).toEqual([]);
  expect((await call(emulator, 'POST', topUp, body, paid)).status).toBe(200);
});
