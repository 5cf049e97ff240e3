// Clients that people use, as their documentation shows them, with the retries that they come with.
// Before: npm install --no-save ai@6.0.326 @ai-sdk/openai@3.0.141 @ai-sdk/openai-compatible@2.0.87

import assert from 'node:assert/strict';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { ExactEvmScheme } from '@x402/evm';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { embed, generateImage, generateText, streamText } from 'ai';
import { testWallet } from 'cloudemu/testing';
import OpenAI from 'openai';
import { privateKeyToAccount } from 'viem/accounts';
import { suite, test as testWithin } from './world.mjs';

// Their own retries wait some seconds.
const test = (name, body) => testWithin(name, body, 20_000);

const model = 'gpt-4o-mini';
const messages = [{ role: 'user', content: 'ping' }];

const openaiOf = ({ url, key }, options = {}) => new OpenAI({ baseURL: `${url}/v1`, apiKey: key, ...options });
const aiOf = ({ url, key }) => createOpenAI({ baseURL: `${url}/v1`, apiKey: key });
const compatibleOf = ({ url, key }) => createOpenAICompatible({ name: 'cloud', baseURL: `${url}/v1`, apiKey: key });

const account = privateKeyToAccount(testWallet('sdks').privateKey);
function payingFetch() {
  const client = new x402Client().register('eip155:*', new ExactEvmScheme(account));
  client.setSpendControls({ maxAmountPerPayment: '$20' });
  return wrapFetchWithPayment(fetch, client);
}

suite('clients', () => {
  test('openai answers', async (cloud) => {
    const answer = await openaiOf(cloud).chat.completions.create({ model, messages });
    assert.equal(answer.choices[0].message.content, 'pong');
  });

  test('openai streams an answer', async (cloud) => {
    const stream = await openaiOf(cloud).chat.completions.create({ model, messages, stream: true });
    let text = '';
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
    assert.equal(text, 'pong');
  });

  test('openai responds', async (cloud) => {
    assert.equal((await openaiOf(cloud).responses.create({ model, input: 'ping' })).output_text, 'pong');
  });

  test('openai speaks', async (cloud) => {
    const speech = await openaiOf(cloud).audio.speech.create({ model: 'tts-1', voice: 'alloy', input: 'Welcome.' });
    assert.ok((await speech.arrayBuffer()).byteLength > 1_000);
  });

  test('openai draws', async (cloud) => {
    const { data } = await openaiOf(cloud).images.generate({ model: 'dall-e-3', prompt: 'A shop' });
    assert.ok(data[0].url ?? data[0].b64_json);
  });

  test('ai generates a text', async (cloud) => {
    const { text } = await generateText({ model: aiOf(cloud)(model), prompt: 'ping' });
    assert.equal(text, 'pong');
  });

  test('ai streams a text', async (cloud) => {
    const { textStream } = streamText({ model: compatibleOf(cloud)(model), prompt: 'ping', onError: () => {} });
    let text = '';
    for await (const piece of textStream) text += piece;
    assert.equal(text, 'pong');
  });

  test('ai draws', async (cloud) => {
    const { image } = await generateImage({ model: compatibleOf(cloud).imageModel('dall-e-3'), prompt: 'A shop' });
    assert.ok(image.uint8Array.length > 100);
  });

  test('ai embeds', async (cloud) => {
    const { embedding } = await embed({
      model: compatibleOf(cloud).textEmbeddingModel('text-embedding-3-small'),
      value: 'ping',
    });
    assert.ok(embedding.length > 100);
  });

  test('x402 tops up', async ({ url }) => {
    const response = await payingFetch()(`${url}/v1/topup/10`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ walletAddress: account.address }),
    });
    assert.equal(response.status, 200, `the top-up gave ${response.status}`);
    assert.equal((await response.json()).newBalance, 10);
  });

  test('x402 pays an answer of openai', async (cloud) => {
    const poor = await cloud.world.controls.organizations.create({ credits: 0 });
    const client = openaiOf({ ...cloud, key: poor.apiKey }, { fetch: payingFetch() });
    const answer = await client.chat.completions.create({ model, messages });
    assert.equal(answer.choices[0].message.content, 'pong');
  });
});
