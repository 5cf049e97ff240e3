// Chats in the protocol of the AI SDK's UI, as its stream says them: ai-sdk.full.ts reads them by the SDK itself.

import { expect, it } from 'vitest';
import type { EmulatorWorld } from '../../src/index.js';
import { creditsOf } from '../support/chat.js';
import { call, startWorld } from '../support/emulator.js';

const path = '/api/v1/chat';
const said = (text: string) => ({ id: text, role: 'user', parts: [{ type: 'text', text }] });

async function chunksOf(world: EmulatorWorld, messages: unknown[], body: object = {}): Promise<any[]> {
  const { text } = await call(world, 'POST', path, { messages, ...body });
  const data = [...text.matchAll(/^data: (.*)$/gm)].map(([, line = '']) => line);
  expect(data.at(-1)).toBe('[DONE]');
  return data.slice(0, -1).map((line) => JSON.parse(line));
}

it('a chat of the UI gets a reply, part by part', async () => {
  const world = await startWorld();
  world.controls.replies.add({ text: 'One two' });
  expect(await chunksOf(world, [said('Count')])).toEqual([
    { type: 'start', messageId: expect.stringMatching(/^msg_/) },
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

it('a chat of the UI calls tools, and goes on with their results', async () => {
  const steps = [{ text: 'Let me look.', toolCalls: [{ name: 'weather', arguments: { city: 'Paris' } }] }, 'Sunny.'];
  const world = await startWorld({ replies: { fixtures: [{ match: { text: 'How is it?' }, steps }] } });
  const chunks = await chunksOf(world, [said('How is it?')]);
  const called = chunks.find(({ type }) => type === 'tool-input-available');
  expect(called).toMatchObject({ toolName: 'weather', input: { city: 'Paris' } });
  const result = { type: 'tool-weather', toolCallId: called.toolCallId, state: 'output-available' };
  const parts = [{ ...result, input: called.input, output: { degrees: 20 } }];
  const answer = await chunksOf(world, [said('How is it?'), { id: 'a', role: 'assistant', parts }]);
  expect(answer).toContainEqual({ type: 'text-delta', id: 'text-0', delta: 'Sunny' });
});

it.each([
  [{ model: 'gpt-4o' }, 'gpt-4o'],
  [{ tier: 'claude-haiku-4-5' }, 'claude-haiku-4-5'],
  [{ tier: 'pro' }, 'gpt-4o-mini'],
  [{}, 'gpt-4o-mini'],
])('a chat with %j is answered by %s', async (body, model) => {
  const chunks = await chunksOf(await startWorld(), [said('Who are you?')], body);
  expect(chunks.map(({ delta = '' }) => delta).join('')).toContain(`to ${model}`);
});

it('a chat costs what a completion of the same tokens costs', async () => {
  const world = await startWorld();
  const start = creditsOf(world);
  await chunksOf(world, [said('ping')]);
  const between = creditsOf(world);
  const messages = [{ role: 'user', content: 'ping' }];
  await call(world, 'POST', '/api/v1/chat/completions', { model: 'gpt-4o-mini', messages, stream: true });
  expect(start - between).toBeGreaterThan(0);
  expect(between - creditsOf(world)).toBeCloseTo(start - between, 9);
});

it('an error in the middle of a chat ends it, and one before it is its answer', async () => {
  const world = await startWorld();
  world.controls.replies.add({ text: 'One two', error: { code: 'MODEL_UNAVAILABLE', after: 1, message: 'boom' } });
  expect((await chunksOf(world, [said('Count')])).at(-1)).toMatchObject({ type: 'error', errorText: 'boom' });
  world.controls.replies.add({ error: 'MODEL_UNAVAILABLE' });
  expect(await call(world, 'POST', path, { messages: [said('Count')] })).toMatchObject({
    status: 503,
    body: { error: { code: 'MODEL_UNAVAILABLE' } },
  });
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
])('a chat is refused with the field that is wrong: %s', async (_, body, field, message) => {
  const world = await startWorld();
  const answer = await call(world, 'POST', path, body);
  expect([answer.status, answer.body.error.details[0].path]).toEqual([400, field]);
  expect(answer.body.error.message).toContain(message);
});

it('a chat without credentials is refused', async () => {
  const world = await startWorld();
  const body = { messages: [{ role: 'user', content: 'ping' }] };
  expect((await call(world, 'POST', path, body, { authorization: '' })).status).toBe(401);
  expect((await call(world, 'POST', path, body)).text).toContain('"delta":"pong"');
});
