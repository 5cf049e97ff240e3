// The costs of models' answers, whom their limits stop, and who may ask.

import { describe, expect, it } from 'vitest';
import { itFull } from '../../support/campaign.js';
import { ask, creditsOf, model, question } from '../../support/chat.js';
import { call, startWorld } from '../../support/emulator.js';

const charged = (before: number, after: number): number => Math.round((before - after) * 1_000_000);

describe('a thousand tokens cost', () => {
  // 5 tokens of question, 1 of answer.
  it.each<[string, object, string, number]>([
    ['what the catalogue says', {}, 'gpt-4o', 5 * 2.5 + 10],
    ['the same by the owner’s name', {}, 'openai/gpt-4o', 5 * 2.5 + 10],
    ['what the settings say', { models: { catalogue: { 'gpt-4o': { input: 1, output: 2 } } } }, 'gpt-4o', 7_000],
    ['what the settings say of a new model', { models: { catalogue: { mine: { input: 1 } } } }, 'mine', 5_001.5],
    ['the usual, where nobody knows the model', {}, 'nobody-knows', 5 * 0.5 + 1.5],
    ['more with a markup', { prices: { tokenMarkup: 1.2 } }, 'gpt-4o', (5 * 2.5 + 10) * 1.2],
    ['nothing where they are free', { models: { catalogue: { free: { input: 0, output: 0 } } } }, 'free', 0],
  ])('%s', async (_, settings, named, micros) => {
    const world = await startWorld(settings);
    const before = creditsOf(world);
    expect((await ask(world, 'ping', { model: named })).status).toBe(200);
    expect(charged(before, creditsOf(world))).toBe(Math.ceil(micros));
  });
});

it('a chat costs the same streamed or not, and as a response', async () => {
  const world = await startWorld();
  const costs = [];
  for (const stream of [false, true]) {
    const before = creditsOf(world);
    await ask(world, 'ping', { stream });
    const between = creditsOf(world);
    await call(world, 'POST', '/api/v1/responses', { model, input: 'ping', stream });
    costs.push(charged(before, between), charged(between, creditsOf(world)));
  }
  expect(new Set(costs).size).toBe(1);
});

it('a model is listed with its prices, those of the settings too', async () => {
  const catalogue = { mine: { owner: 'me', input: 0.5, output: 0.75, contextWindow: 1_000, maxOutput: 100 } };
  const world = await startWorld({ models: { catalogue } });
  const listed = await call(world, 'GET', '/api/v1/models', undefined, { authorization: '' });
  expect(listed.status).toBe(200);
  expect(listed.body.data.at(-1)).toEqual({
    id: 'mine',
    object: 'model',
    created: 0,
    owned_by: 'me',
    type: 'chat',
    context_window: 1_000,
    max_output_tokens: 100,
    pricing: { input: 0.5, output: 0.75, unit: '1K tokens' },
  });
});

it('a chat is bounded by what the model can, with a warning', async () => {
  const world = await startWorld({ models: { catalogue: { mine: { maxOutput: 3 } } } });
  const answer = await ask(world, 'Hello', { model: 'mine', max_tokens: 50 });
  expect(answer.body.usage.completion_tokens).toBe(3);
  expect(answer.headers.get('x-emulator-warning')).toContain('at most 3 tokens');
});

itFull('the limits let exactly 200 chats and 200 responses a minute pass, and reports them', async () => {
  const world = await startWorld();
  const send = (path: string, body: object) => call(world, 'POST', path, body);
  for (const [path, body] of [
    ['/api/v1/chat/completions', question('ping')],
    ['/api/v1/responses', { model, input: 'ping' }],
  ] as const) {
    const answers = await Promise.all(Array.from({ length: 201 }, () => send(path, body)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(200);
    const [refused] = answers.filter(({ status }) => status === 429);
    expect(refused?.body.error).toMatchObject({ code: 'RATE_LIMITED', type: 'rate_limit_error', retryAfter: 60 });
  }
  const { usage } = (await call(world, 'GET', '/api/quotas/usage')).body;
  expect([usage.chat, usage.responses]).toMatchObject([
    { used: 200, limit: 200 },
    { used: 200, limit: 200 },
  ]);
});

describe('a fault rule', () => {
  it.each(['reset', 'truncate', 'drip', 'malformed'] as const)(
    'damages a stream (%s), charged once',
    async (network) => {
      const world = await startWorld();
      world.controls.faults.add({ phase: 'partial', effect: { network, delay: 20 }, when: { times: 1 } });
      const before = creditsOf(world);
      await ask(world, 'ping', { stream: true }).catch(() => {});
      expect(charged(before, creditsOf(world))).toBe(2);
      expect(world.controls.ledger().filter(({ type }) => type === 'refund')).toHaveLength(1);
    },
  );

  it('loses a response after it was charged', async () => {
    const world = await startWorld();
    world.controls.faults.add({ phase: 'after', effect: { status: 502 }, when: { times: 2 } });
    for (const stream of [true, false]) expect((await ask(world, 'ping', { stream })).status).toBe(502);
    expect(world.controls.ledger().filter(({ type }) => type === 'charge')).toHaveLength(2);
    expect(world.controls.ledger().filter(({ type }) => type === 'refund')).toHaveLength(1);
  });
});
