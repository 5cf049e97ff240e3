// Top-ups: the challenge, whom they credit, and what the answer and the ledger say.

import { describe, expect, it } from 'vitest';
import { withChecksum } from '../../../src/platform/wallets/curve.js';
import { signHeaders } from '../../../src/testing.js';
import { call, startEmulator } from '../../support/emulator.js';
import {
  decoded,
  nobody,
  otherWallet,
  pay,
  requirementOf,
  settlementOf,
  topUp,
  wallet,
} from '../../support/payments.js';

describe('without a payment', () => {
  it('a top-up is challenged in version 1 by the body and in version 2 by the header', async () => {
    const emulator = await startEmulator();
    const { status, body, headers } = await call(emulator, 'POST', topUp, undefined, nobody);
    expect(status).toBe(402);
    expect(headers.get('cache-control')).toBe('no-store');
    const payTo = body.accepts[0].payTo;
    expect(payTo).toMatch(/^0x[0-9a-fA-F]{40}$/);
    expect(payTo).toBe(withChecksum(payTo));
    const place = { payTo, maxTimeoutSeconds: 300, asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7e' };
    const extra = { name: 'USDC', version: '2' };
    expect(body).toEqual({
      success: false,
      error: {
        code: 'PAYMENT_REQUIRED',
        message: expect.stringContaining('10 USDC'),
        requestId: headers.get('x-request-id'),
      },
      x402Version: 1,
      accepts: [
        {
          scheme: 'exact',
          network: 'base-sepolia',
          maxAmountRequired: '10000000',
          resource: `${emulator.url}/api/v1/topup/10`,
          description: 'Topup $10 credits for Example Cloud',
          mimeType: 'application/json',
          outputSchema: { input: { type: 'http', method: 'POST', discoverable: true } },
          ...place,
          extra,
        },
      ],
    });
    expect(decoded(headers.get('payment-required'))).toEqual({
      x402Version: 2,
      error: 'Payment required',
      resource: {
        url: `${emulator.url}/api/v1/topup/10`,
        description: 'Topup $10 credits for Example Cloud',
        mimeType: 'application/json',
      },
      accepts: [{ scheme: 'exact', network: 'eip155:84532', amount: '10000000', ...place, extra }],
    });
  });

  it.each([
    ['a body that is no JSON', '{"a":', {}],
    ['a bad address', { walletAddress: 'nobody' }, {}],
    ['an unknown key', undefined, { authorization: `Bearer ek_test_${'0'.repeat(64)}` }],
    [
      'wallet headers that are wrong',
      undefined,
      { 'x-wallet-address': '1', 'x-timestamp': '2', 'x-wallet-signature': '3' },
    ],
  ])('a top-up is challenged before anything else is checked: %s', async (_, body, headers) => {
    const emulator = await startEmulator();
    expect((await call(emulator, 'POST', topUp, body, { ...nobody, ...headers })).status).toBe(402);
  });

  it('a top-up creates nothing, charges nothing, and counts in the rate limit', async () => {
    const emulator = await startEmulator({ rateLimits: { perKey: 3 } });
    const organizations = emulator.controls.organizations.list();
    const left = [];
    for (let i = 0; i < 4; i++) {
      const answer = await call(emulator, 'POST', topUp, { walletAddress: wallet.address }, nobody);
      left.push([answer.status, answer.headers.get('x-ratelimit-remaining')]);
    }
    expect(left).toEqual([
      [402, '2'],
      [402, '1'],
      [402, '0'],
      [429, '0'],
    ]);
    expect(emulator.controls.organizations.list()).toEqual(organizations);
    expect(emulator.controls.payments.list()).toEqual([]);
  });
});

describe.each([1, 2] as const)('paid in version %i', (version) => {
  it.each([10, 50, 100])(
    'a top-up credits $%i to the wallet that the body names, and says how it was settled',
    async (amount) => {
      const emulator = await startEmulator();
      const answer = await pay(emulator, { version, path: `/api/v1/topup/${amount}` });
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({
        success: true,
        amount,
        walletAddress: wallet.address,
        organizationId: expect.any(String),
        newBalance: amount,
        message: `Successfully topped up $${amount}`,
      });
      const [mine, others] = ['x-payment-response', 'payment-response'];
      expect(answer.headers.has(version === 1 ? mine! : others!)).toBe(true);
      expect(answer.headers.has(version === 1 ? others! : mine!)).toBe(false);
      expect(settlementOf(answer)).toEqual({
        success: true,
        transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/),
        network: version === 1 ? 'base-sepolia' : 'eip155:84532',
        payer: wallet.address,
      });
    },
  );
});

it('a top-up needs no free credits: a wallet that comes by paying begins with none, and adds up', async () => {
  const emulator = await startEmulator();
  const first = await pay(emulator);
  const second = await pay(emulator, { path: '/api/v1/topup/50', version: 2 });
  expect([first.body.newBalance, second.body.newBalance]).toEqual([10, 60]);
  expect(second.body.organizationId).toBe(first.body.organizationId);
});

it('a top-up credits whom the body names, whoever pays', async () => {
  const emulator = await startEmulator();
  const answer = await pay(emulator, { body: { walletAddress: otherWallet.address.toLowerCase() } });
  expect(answer.body.walletAddress).toBe(otherWallet.address);
  expect(settlementOf(answer).payer).toBe(wallet.address);
});

it('a top-up takes the address from the query too', async () => {
  const emulator = await startEmulator();
  const path = `${topUp}?walletAddress=${wallet.address}`;
  const answer = await pay(emulator, { path, body: '' });
  expect([answer.status, answer.body.walletAddress]).toEqual([200, wallet.address]);
});

it('a top-up is in the ledger with its transfer, rule, operation and request', async () => {
  const emulator = await startEmulator();
  const answer = await pay(emulator);
  const { organizationId } = answer.body;
  expect(emulator.controls.ledger({ organizationId })).toEqual([
    {
      id: expect.any(String),
      organizationId,
      type: 'topup',
      amount: 10,
      balanceBefore: 0,
      balanceAfter: 10,
      reason: 'Top-up of $10',
      priceRule: 'topup 10',
      operation: 'topup.create',
      requestId: answer.headers.get('x-request-id'),
      subject: settlementOf(answer).transaction,
      at: '2026-01-01T00:00:00.000Z',
    },
  ]);
});

describe('with wallet headers', () => {
  it('a top-up credits the wallet that signed, and needs no address in the body', async () => {
    const emulator = await startEmulator();
    const headers = await signHeaders({ wallet: otherWallet, method: 'POST', path: topUp });
    const answer = await pay(emulator, { body: '', headers });
    expect([answer.status, answer.body.walletAddress, answer.body.newBalance]).toEqual([200, otherWallet.address, 10]);
  });

  it('a top-up burns the signature with the payment and not by the unpaid half', async () => {
    const emulator = await startEmulator();
    const headers = await signHeaders({ wallet, method: 'POST', path: topUp });
    for (let i = 0; i < 3; i++)
      expect((await call(emulator, 'POST', topUp, undefined, { ...nobody, ...headers })).status).toBe(402);
    expect((await pay(emulator, { body: '', headers })).status).toBe(200);
    const again = await pay(emulator, { body: '', headers });
    expect([again.status, again.body.error.code]).toEqual([401, 'UNAUTHORIZED']);
    // The payment of the refused request was not settled.
    expect(
      (await call(emulator, 'POST', topUp, { walletAddress: wallet.address }, { ...nobody, ...again.paid })).status,
    ).toBe(200);
  });

  it('a top-up is 401 for a bad signature, which settles nothing', async () => {
    const emulator = await startEmulator();
    const headers = await signHeaders({ wallet, method: 'POST', path: topUp, wrong: 'expired' });
    const refused = await pay(emulator, { headers });
    expect([refused.status, refused.body.error.code]).toEqual([401, 'UNAUTHORIZED']);
    expect(
      (await call(emulator, 'POST', topUp, { walletAddress: wallet.address }, { ...nobody, ...refused.paid })).status,
    ).toBe(200);
  });

  it('a top-up says when the body names another wallet', async () => {
    const emulator = await startEmulator();
    const headers = await signHeaders({ wallet: otherWallet, method: 'POST', path: topUp });
    const answer = await pay(emulator, { headers });
    expect(answer.body.walletAddress).toBe(otherWallet.address);
    expect(answer.headers.get('x-emulator-warning')).toContain('walletAddress was not used');
  });
});

describe('whom to credit', () => {
  it.each([
    ['nobody', undefined, 'is required (body or wallet signature headers)'],
    ['no address', { walletAddress: '0x123' }, 'must be an EVM address: 0x and 40 hex digits'],
    ['a number', { walletAddress: 5 }, 'must be a string'],
    ['null', { walletAddress: null }, 'must be a string'],
  ])('a top-up is 400 for %s, and the payment can be used again', async (_, body, message) => {
    const emulator = await startEmulator();
    const refused = await pay(emulator, { body: body ?? '' });
    expect([refused.status, refused.body.error.code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(refused.body.error.details).toMatchObject([{ path: 'walletAddress', message }]);
    expect(refused.headers.has('x-payment-response')).toBe(false);
    expect(emulator.controls.payments.list()).toEqual([]);
    const again = await call(
      emulator,
      'POST',
      topUp,
      { walletAddress: wallet.address },
      { ...nobody, ...refused.paid },
    );
    expect(again.status).toBe(200);
  });
});

it('a top-up is asked for and paid inside another world, under its own address', async () => {
  const emulator = await startEmulator();
  await call(emulator, 'POST', '/_emulator/worlds', { id: 'shop' });
  const path = `/w/shop${topUp}`;
  expect((await requirementOf(emulator, 1, path)).resource).toBe(`${emulator.url}${path}`);
  const answer = await pay(emulator, { path, version: 2 });
  expect([answer.status, answer.body.newBalance]).toEqual([200, 10]);
  // The world without a prefix has nothing to do with it.
  expect(emulator.controls.payments.list()).toEqual([]);
});

it('a top-up can be paid from a page of another origin', async () => {
  const emulator = await startEmulator();
  const origin = { origin: 'https://app.example' };
  const asked = 'content-type, payment-signature, x-payment, access-control-expose-headers';
  const preflight = await call(emulator, 'OPTIONS', topUp, undefined, {
    ...origin,
    'access-control-request-method': 'POST',
    'access-control-request-headers': asked,
  });
  const allowed = preflight.headers.get('access-control-allow-headers')?.toLowerCase().split(', ');
  expect(allowed).toEqual(expect.arrayContaining(asked.split(', ')));
  const exposed = (await pay(emulator, { headers: origin })).headers.get('access-control-expose-headers');
  for (const name of ['PAYMENT-REQUIRED', 'PAYMENT-RESPONSE', 'X-PAYMENT-RESPONSE']) expect(exposed).toContain(name);
});
