// Paying answers of models with USDC: openai's client over @x402/fetch, streamed and not, in both versions.

import { ExactEvmScheme } from '@x402/evm';
import { ExactEvmSchemeV1 } from '@x402/evm/v1';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { privateKeyToAccount } from 'viem/accounts';
import { describe, expect, it } from 'vitest';
import type { EmulatorWorld } from '../../src/index.js';
import { creditsOf } from '../support/chat.js';
import { startWorld } from '../support/emulator.js';
import { openaiOf } from '../support/openai.js';
import { wallet } from '../support/payments.js';

const account = privateKeyToAccount(wallet.privateKey);
const model = 'gpt-4o';
const ask = { model, messages: [{ role: 'user' as const, content: 'ping' }] };

// The client as it comes: it pays no more than a dollar.
function paying(): typeof fetch {
  const client = new x402Client()
    .register('eip155:*', new ExactEvmScheme(account))
    .registerV1('base-sepolia', new ExactEvmSchemeV1(account));
  return wrapFetchWithPayment(fetch, client) as typeof fetch;
}

/** Without a key of the platform's: the openai client always sends one, so that of an organization without credits. */
function payerOf(world: EmulatorWorld) {
  const poor = world.controls.organizations.create({ credits: 0 });
  return { poor, client: openaiOf(world, { apiKey: poor.apiKey, fetch: paying() }) };
}

describe.each([1, 2] as const)('version %i', (version) => {
  it('pays a completion at its upper estimate; what is not used stays as credits', async () => {
    const world = await startWorld({ x402: { versions: [version] } });
    const { client, poor } = payerOf(world);
    const answer = await client.chat.completions.create(ask);
    expect(answer.choices[0]?.message.content).toBe('pong');
    const [payment] = world.controls.payments.list();
    expect(payment).toMatchObject({ version, status: 'settled', operation: 'chat.completions' });
    // 5 tokens and 4,096 more, of which one was used.
    expect(payment?.amount).toBeCloseTo(0.040973, 9);
    expect(creditsOf(world, poor.id)).toBeCloseTo(0.040973 - 0.000023, 9);
  });

  it('pays for a stream, settled before its first byte', async () => {
    const world = await startWorld({ x402: { versions: [version] } });
    const { client, poor } = payerOf(world);
    world.controls.replies.add({ text: 'One two three', delay: '1s' });
    const { data: stream, response } = await client.chat.completions.create({ ...ask, stream: true }).withResponse();
    expect(response.headers.get(version === 1 ? 'x-payment-response' : 'payment-response')).not.toBeNull();
    expect(world.controls.payments.list()).toMatchObject([{ version, status: 'settled' }]);
    expect(creditsOf(world, poor.id)).toBe(0);
    await world.controls.clock.advance('10s');
    const contents = [];
    for await (const chunk of stream) contents.push(chunk.choices[0]?.delta.content ?? '');
    expect(contents.join('')).toBe('One two three');
    expect(creditsOf(world, poor.id)).toBeCloseTo(0.040973 - 0.000043, 9);
  });

  it('pays for responses, also those that continue others', async () => {
    const world = await startWorld({ x402: { versions: [version] } });
    const { client, poor } = payerOf(world);
    const first = await client.responses.create({ model, input: 'ping' });
    world.controls.organizations.credits(poor.id, { set: 0 });
    const second = await client.responses.create({ model, input: 'ping', previous_response_id: first.id });
    expect(second.output_text).toBe('pong');
    const [paid, more] = world.controls.payments.list().map(({ amount }) => amount);
    expect(more).toBeGreaterThan(paid ?? 0);
  });

  it('pays for a request without a key', async () => {
    const world = await startWorld({ x402: { versions: [version], challengeAnonymous: true } });
    const response = await paying()(`${world.url}/api/v1/chat/completions`, {
      method: 'POST',
      body: JSON.stringify(ask),
    });
    expect([response.status, (await response.json()).choices[0].message.content]).toEqual([200, 'pong']);
  });
});

it('a failed response settles no payment', async () => {
  const world = await startWorld();
  const { client } = payerOf(world);
  world.controls.replies.add({ error: 'MODEL_UNAVAILABLE' });
  await expect(client.chat.completions.create(ask)).rejects.toMatchObject({ status: 503 });
  // The unpaid attempt was told the price before anything else: the order has waited for the one that pays.
  expect(world.controls.requests.list().requests.map(({ status }) => status)).toEqual([503, 402]);
  expect(world.controls.payments.list()).toEqual([]);
  expect(world.controls.replies.list()).toEqual([]);
  expect((await client.chat.completions.create(ask)).choices[0]?.message.content).toBe('pong');
});

it('a lower price is quoted for fewer tokens', async () => {
  const world = await startWorld();
  const { client } = payerOf(world);
  await client.chat.completions.create({ ...ask, max_tokens: 100 });
  expect(world.controls.payments.list()[0]?.amount).toBeCloseTo(0.001013, 9);
});
