// The payment clients that people use: @x402/fetch with @x402/evm, in both versions of the protocol.

import { PaymentRequiredV1Schema, PaymentRequiredV2Schema } from '@x402/core/schemas';
import { HTTPFacilitatorClient } from '@x402/core/server';
import { ExactEvmScheme } from '@x402/evm';
import { ExactEvmSchemeV1 } from '@x402/evm/v1';
import { decodePaymentResponseHeader, wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { privateKeyToAccount } from 'viem/accounts';
import { describe, expect, it } from 'vitest';
import { paymentPayload } from '../../src/testing.js';
import { call, image, startWorld } from '../support/emulator.js';
import { requirementOf, wallet } from '../support/payments.js';

const account = privateKeyToAccount(wallet.privateKey);

/** A fetch that pays up to $100 a request. */
function paying(over: typeof fetch = fetch): typeof fetch {
  const client = new x402Client()
    .register('eip155:*', new ExactEvmScheme(account))
    .registerV1('base-sepolia', new ExactEvmSchemeV1(account));
  client.setSpendControls({ maxAmountPerPayment: '$100' });
  return wrapFetchWithPayment(over, client) as typeof fetch;
}

/** Without the header of version 2 that client reads the body, as clients of version 1 do. */
const deaf: typeof fetch = async (input, init) => {
  const response = await fetch(input, init);
  const headers = new Headers(response.headers);
  headers.delete('payment-required');
  return new Response(response.body, { status: response.status, headers });
};

const ways: [name: string, fetch: typeof fetch, version: 1 | 2, settings: { versions?: (1 | 2)[] }][] = [
  ['version 2', paying(), 2, {}],
  ['version 1, from a server that offers both', paying(deaf), 1, {}],
  ['version 1, from a server that offers no other', paying(), 1, { versions: [1] }],
];

describe.each(ways)('%s', (_, payingFetch, version, settings) => {
  const header = version === 1 ? 'x-payment-response' : 'payment-response';

  it.each([10, 50, 100])('tops up $%i', async (amount) => {
    const world = await startWorld({ x402: settings });
    const response = await payingFetch(`${world.url}/api/v1/topup/${amount}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ walletAddress: account.address }),
    });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ amount, newBalance: amount, walletAddress: account.address });
    expect(decodePaymentResponseHeader(response.headers.get(header) ?? '')).toMatchObject({
      success: true,
      network: version === 1 ? 'base-sepolia' : 'eip155:84532',
      payer: account.address,
    });
    expect(world.controls.payments.list()).toMatchObject([{ amount, version, status: 'settled' }]);
  });

  it.each([
    ['of an organization without credits', false],
    ['of nobody, where the settings challenge him', true],
  ])('pays a container creation %s', async (_name, challengeAnonymous) => {
    const world = await startWorld({ x402: { ...settings, challengeAnonymous } });
    const poor = world.controls.organizations.create({ credits: 0 });
    const response = await payingFetch(`${world.url}/api/v1/containers`, {
      method: 'POST',
      headers: challengeAnonymous ? {} : { authorization: `Bearer ${poor.apiKey}` },
      body: JSON.stringify({ name: 'web', project_name: 'web', ecr_image_uri: image }),
    });
    expect([response.status, (await response.json()).creditsDeducted]).toEqual([202, 0.5]);
    expect(world.controls.payments.list()).toMatchObject([{ amount: 0.5, version, operation: 'containers.create' }]);
  });
});

it('a payment client refuses by default to pay more than a dollar', async () => {
  const world = await startWorld();
  const cautious = wrapFetchWithPayment(fetch, new x402Client().register('eip155:*', new ExactEvmScheme(account)));
  await expect(cautious(`${world.url}/api/v1/topup/10`, { method: 'POST' })).rejects.toThrow(/payment/i);
  expect(world.controls.payments.list()).toEqual([]);
});

it('a payment client gives up with the 402 when its payment is refused', async () => {
  const world = await startWorld({ x402: { balance: 1 } });
  const response = await paying()(`${world.url}/api/v1/topup/10`, {
    method: 'POST',
    body: JSON.stringify({ walletAddress: account.address }),
  });
  expect([response.status, (await response.json()).error.details.reason]).toEqual([402, 'insufficient_funds']);
});

describe('every 402 is what clients of both versions can read', () => {
  const create = { name: 'web', project_name: 'web', ecr_image_uri: image };
  const nothing = { authorization: '' };
  const force = (code: string) => ({ 'x-emulator-fault': JSON.stringify({ effect: { error: code } }) });

  it.each<[string, string, string, unknown, Record<string, string>]>([
    ['unpaid', 'POST', '/api/v1/topup/10', undefined, nothing],
    ['refused', 'POST', '/api/v1/topup/10', undefined, { ...nothing, 'x-payment': 'e30=' }],
    ['anonymous', 'POST', '/api/v1/containers', create, nothing],
    ['without credits', 'POST', '/api/v1/containers', create, {}],
    ['forced', 'POST', '/api/v1/containers', create, force('INSUFFICIENT_CREDITS')],
    ['forced where nothing costs anything', 'GET', '/api/v1/containers', undefined, force('PAYMENT_REQUIRED')],
  ])('%s', async (_, method, path, body, headers) => {
    for (const profile of ['spec', 'elizacloud-v1']) {
      const world = await startWorld({
        profile,
        service: { name: 'Größe' },
        credits: { seeded: 0 },
        x402: { challengeAnonymous: true },
      });
      const answer = await call(world, method, path, body, headers);
      expect([profile, answer.status]).toEqual([profile, 402]);
      // Its error is a string in clients' schema, an object in the platform's envelope; they read neither.
      expect(PaymentRequiredV1Schema.safeParse({ ...answer.body, error: 'text' }).error?.issues ?? []).toEqual([]);
      const header = answer.headers.get('payment-required') ?? '';
      const second = JSON.parse(Buffer.from(header, 'base64').toString('latin1'));
      expect(PaymentRequiredV2Schema.safeParse(second).error?.issues ?? []).toEqual([]);
      expect(second.resource.description).toContain('Größe Cloud');
    }
  });
});

describe('the facilitator, by its client', () => {
  const facilitatorOf = (url: string) => new HTTPFacilitatorClient({ url: `${url}/api/v1/x402` });

  it.each([1, 2] as const)('verifies and settles a payment of version %i', async (version) => {
    const world = await startWorld();
    const requirement: any = await requirementOf(world, version);
    const payload: any = await paymentPayload({ wallet, requirement });
    const facilitator = facilitatorOf(world.url);
    expect(await facilitator.verify(payload, requirement)).toMatchObject({ isValid: true, payer: account.address });
    expect(await facilitator.settle(payload, requirement)).toMatchObject({
      success: true,
      payer: account.address,
      network: version === 1 ? 'base-sepolia' : 'eip155:84532',
    });
    await expect(facilitator.verify(payload, requirement)).rejects.toMatchObject({
      invalidReason: 'duplicate_settlement',
    });
    await expect(facilitator.settle(payload, requirement)).rejects.toMatchObject({
      errorReason: 'duplicate_settlement',
    });
  });

  it('reports refusals', async () => {
    const world = await startWorld();
    const requirement: any = await requirementOf(world, 2);
    const payload: any = await paymentPayload({ wallet, requirement, wrong: 'expired' });
    await expect(facilitatorOf(world.url).verify(payload, requirement)).rejects.toMatchObject({
      invalidReason: 'payment_expired',
      payer: account.address,
    });
    expect((await call(world, 'GET', '/_emulator/payments')).body.payments).toEqual([]);
  });
});
