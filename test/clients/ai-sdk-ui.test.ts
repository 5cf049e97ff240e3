// Chats of the AI SDK's UI, through the transport that useChat has.

import { DefaultChatTransport, readUIMessageStream, type UIMessage } from 'ai';
import { expect, it } from 'vitest';
import type { EmulatorWorld } from '../../src/index.js';
import { creditsOf } from '../support/chat.js';
import { call, startWorld } from '../support/emulator.js';

const said = (text: string, role: 'user' | 'assistant' = 'user'): UIMessage => ({
  id: text,
  role,
  parts: [{ type: 'text', text }],
});

function open(world: EmulatorWorld, messages: UIMessage[], body: object = {}) {
  const headers = { authorization: `Bearer ${world.apiKey}` };
  const transport = new DefaultChatTransport({ api: `${world.url}/api/v1/chat`, headers, body });
  const abort = new AbortController();
  const sent = { trigger: 'submit-message', chatId: 'k3J9xQ', messageId: undefined, messages } as const;
  return transport.sendMessages({ ...sent, abortSignal: abort.signal });
}

/** The message that the client puts together. */
async function answerTo(world: EmulatorWorld, messages: UIMessage[], body: object = {}): Promise<UIMessage> {
  let last: UIMessage | undefined;
  const errors: unknown[] = [];
  const stream = await open(world, messages, body);
  const read = readUIMessageStream({ stream, onError: (error) => void errors.push(error) });
  for await (const message of read) last = message;
  if (errors.length > 0) throw errors[0];
  if (last === undefined) throw new Error('no message came');
  return last;
}

async function chunksOf(world: EmulatorWorld, messages: UIMessage[]): Promise<unknown[]> {
  const chunks: unknown[] = [];
  for await (const chunk of (await open(world, messages)) as unknown as AsyncIterable<unknown>) chunks.push(chunk);
  return chunks;
}

it('the AI SDK’s UI gets a reply, part by part', async () => {
  const world = await startWorld();
  world.controls.replies.add({ text: 'One two' });
  const messageId = expect.stringMatching(/^msg_/);
  expect(await chunksOf(world, [said('Count')])).toEqual([
    { type: 'start', messageId },
    { type: 'start-step' },
    { type: 'text-start', id: 'text-0' },
    { type: 'text-delta', id: 'text-0', delta: 'One' },
    { type: 'text-delta', id: 'text-0', delta: ' two' },
    { type: 'text-end', id: 'text-0' },
    { type: 'finish-step' },
    { type: 'finish', finishReason: 'stop' },
  ]);
  const [request] = world.controls.requests.list({ operation: 'chat.ui' }).requests;
  expect(request).toMatchObject({
    status: 200,
    warnings: [],
    responseHeaders: { 'x-vercel-ai-ui-message-stream': 'v1' },
  });
});

it('the AI SDK’s UI puts a message together, and goes on with the results of its tools', async () => {
  const steps = [{ text: 'Let me look.', toolCalls: [{ name: 'weather', arguments: { city: 'Paris' } }] }, 'Sunny.'];
  const world = await startWorld({ replies: { fixtures: [{ match: { text: 'How is it?' }, steps }] } });
  const first = await answerTo(world, [said('How is it?')]);
  expect(first.parts).toMatchObject([
    { type: 'step-start' },
    { type: 'text', text: 'Let me look.', state: 'done' },
    { type: 'tool-weather', state: 'input-available', input: { city: 'Paris' } },
  ]);
  const parts = first.parts.map((part) =>
    part.type === 'tool-weather' ? { ...part, state: 'output-available', output: { degrees: 20 } } : part,
  ) as UIMessage['parts'];
  const second = await answerTo(world, [said('How is it?'), { ...first, parts }]);
  expect(second.parts.at(-1)).toMatchObject({ type: 'text', text: 'Sunny.' });
});

it.each([
  [{ model: 'gpt-4o' }, 'gpt-4o'],
  [{ tier: 'claude-haiku-4-5' }, 'claude-haiku-4-5'],
  [{ tier: 'pro' }, 'gpt-4o-mini'],
  [{}, 'gpt-4o-mini'],
])('a chat with %j is answered by %s', async (body, model) => {
  const world = await startWorld();
  const answer = await answerTo(world, [said('Who are you?')], body);
  expect(answer.parts.at(-1)).toMatchObject({ text: expect.stringContaining(`to ${model}`) });
});

it('a chat costs what a completion of the same tokens costs', async () => {
  const world = await startWorld();
  const start = creditsOf(world);
  await answerTo(world, [said('ping')]);
  const between = creditsOf(world);
  const messages = [{ role: 'user', content: 'ping' }];
  await call(world, 'POST', '/api/v1/chat/completions', { model: 'gpt-4o-mini', messages, stream: true });
  expect(start - between).toBeGreaterThan(0);
  expect(between - creditsOf(world)).toBeCloseTo(start - between, 9);
});

it('an error in the middle of a chat ends it, and one before it is its answer', async () => {
  const world = await startWorld();
  world.controls.replies.add({ text: 'One two', error: { code: 'MODEL_UNAVAILABLE', after: 1, message: 'boom' } });
  await expect(answerTo(world, [said('Count')])).rejects.toThrow('boom');
  world.controls.replies.add({ error: 'MODEL_UNAVAILABLE' });
  await expect(answerTo(world, [said('Count')])).rejects.toThrow('MODEL_UNAVAILABLE');
});

it('a fault cuts a chat off', async () => {
  const world = await startWorld();
  world.controls.faults.add({ match: { operation: 'chat.ui' }, phase: 'partial', effect: { network: 'reset' } });
  await expect(chunksOf(world, [said('ping')])).rejects.toThrow();
});

it.each<[string, object, string, string]>([
  ['no message', { messages: [] }, 'messages', 'Messages array cannot be empty'],
  ['an unknown role', { messages: [{ role: 'robot', parts: [] }] }, 'messages[0].role', 'messages[0].role'],
  ['a message without parts', { messages: [{ role: 'user' }] }, 'messages[0].parts', 'is required'],
  [
    'a text without text',
    { messages: [{ role: 'user', parts: [{ type: 'text' }] }] },
    'messages[0].parts[0].text',
    'is',
  ],
])('a chat is refused with the field that is wrong: %s', async (_, body, path, message) => {
  const world = await startWorld();
  const answer = await call(world, 'POST', '/api/v1/chat', body);
  expect([answer.status, answer.body.error.details[0].path]).toEqual([400, path]);
  expect(answer.body.error.message).toContain(message);
});

it('a chat without credentials is refused', async () => {
  const world = await startWorld();
  const body = { messages: [{ role: 'user', content: 'ping' }] };
  expect((await call(world, 'POST', '/api/v1/chat', body, { authorization: '' })).status).toBe(401);
  expect((await call(world, 'POST', '/api/v1/chat', body)).text).toContain('"delta":"pong"');
});
