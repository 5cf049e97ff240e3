// What messages cost: the same as chats of the same tokens, streamed or not, and through whatever happens to them.

import { expect, it } from 'vitest';
import { creditsOf } from '../../support/chat.js';
import { call, startWorld } from '../../support/emulator.js';

const model = 'claude-sonnet-4-5';
const charged = (before: number, after: number): number => Math.round((before - after) * 1_000_000);

type World = Awaited<ReturnType<typeof startWorld>>;

async function costOf(world: World, path: string, body: object): Promise<number> {
  const before = creditsOf(world);
  expect((await call(world, 'POST', path, body)).status).toBe(200);
  return charged(before, creditsOf(world));
}

const messages = [
  { role: 'user', content: 'How warm is it?' },
  { role: 'assistant', content: 'Where?' },
  { role: 'user', content: 'In Paris' },
];
const short = { max_tokens: 20 };

it.each([false, true])('a message costs what a chat of the same tokens costs (streamed: %s)', async (stream) => {
  const world = await startWorld();
  const chat = await costOf(world, '/api/v1/chat/completions', {
    model: `anthropic/${model}`,
    messages: [{ role: 'system', content: 'Be brief' }, ...messages],
    ...short,
    stream,
  });
  const message = await costOf(world, '/api/v1/messages', { model, system: 'Be brief', messages, ...short, stream });
  expect(chat).toBeGreaterThan(0);
  expect(message).toBe(chat);
  const [last, before] = world.controls
    .ledger()
    .filter(({ type }) => type === 'charge')
    .reverse();
  if (!stream) expect(last?.priceRule).toBe(before?.priceRule);
});

it('a message in the middle of which an error comes costs what was sent of it', async () => {
  const world = await startWorld();
  const texts = { text: 'One two three four', error: { after: 2 } };
  const costs = [];
  for (const [path, named] of [
    ['/api/v1/chat/completions', `anthropic/${model}`],
    ['/api/v1/messages', model],
  ] as const) {
    world.controls.replies.add(texts);
    costs.push(await costOf(world, path, { model: named, messages, ...short, stream: true }));
  }
  expect(costs[1]).toBe(costs[0]);
});

it('a message is paid for with USDC as a chat is', async () => {
  const world = await startWorld({ x402: { challengeAnonymous: true } });
  const nobody = { authorization: '' };
  const ask = (path: string, named: string) => call(world, 'POST', path, { model: named, messages, ...short }, nobody);
  const message = await ask('/api/v1/messages', model);
  const chat = await ask('/api/v1/chat/completions', `anthropic/${model}`);
  expect([message.status, message.body.error.type]).toEqual([402, 'billing_error']);
  expect(message.body.accepts[0].maxAmountRequired).toBe(chat.body.accepts[0].maxAmountRequired);
});
