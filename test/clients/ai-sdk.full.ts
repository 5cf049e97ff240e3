// The AI SDK: texts and objects through each of its providers, embeddings, pictures and speech, and the chats of its UI.

import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { EmulatorWorld } from '../../src/index.js';
import { ai, aiCompatibleOf, aiOpenaiOf } from '../support/ai-sdk.js';
import { startWorld } from '../support/emulator.js';
import { weatherReplies } from '../support/openai.js';
import { readPng } from '../support/pictures.js';

const {
  embed,
  embedMany,
  experimental_generateSpeech: generateSpeech,
  generateImage,
  generateObject,
  generateText,
} = ai();
const { DefaultChatTransport, readUIMessageStream, stepCountIs, streamObject, streamText, tool } = ai();
const id = 'gpt-4o-mini';

const providers: [name: string, model: (world: EmulatorWorld) => unknown][] = [
  ['openai, responses', (world) => aiOpenaiOf(world)(id)],
  ['openai, chat', (world) => aiOpenaiOf(world).chat(id)],
  ['openai-compatible', (world) => aiCompatibleOf(world)(id)],
];

const tools = {
  get_weather: tool({
    description: 'Weather of a city',
    inputSchema: z.object({ city: z.string() }),
    execute: ({ city }: { city: string }) => Promise.resolve(`20 °C in ${city}`),
  }),
};
const prompt = 'What is the weather in Paris?';
const stopWhen = stepCountIs(5);

describe.each(providers)('%s', (_, modelOf) => {
  it('generates a text', async () => {
    const world = await startWorld();
    const { text, usage, finishReason } = await generateText({ model: modelOf(world), prompt: 'ping' });
    expect([text, finishReason, usage.outputTokens]).toEqual(['pong', 'stop', 1]);
    expect(usage.inputTokens).toBe(5);
  });

  it('streams a text with its usage', async () => {
    const world = await startWorld();
    world.controls.replies.add({ text: 'One two three' });
    const result = streamText({ model: modelOf(world), prompt: 'Count' });
    const pieces = [];
    for await (const piece of result.textStream) pieces.push(piece);
    expect(pieces).toEqual(['One', ' two', ' three']);
    expect([await result.finishReason, (await result.usage).outputTokens]).toEqual(['stop', 3]);
  });

  it('calls a tool, and goes on from its result', async () => {
    const world = await startWorld({ replies: { fixtures: weatherReplies } });
    const result = await generateText({ model: modelOf(world), prompt, tools, stopWhen });
    expect(result.text).toBe('It is sunny in Paris.');
    expect(result.steps.map(({ finishReason }: { finishReason: string }) => finishReason)).toEqual([
      'tool-calls',
      'stop',
    ]);
    expect(result.steps[0]?.toolResults).toMatchObject([{ input: { city: 'Paris' }, output: '20 °C in Paris' }]);
  });

  it('calls a tool in a stream, and goes on from its result', async () => {
    const world = await startWorld({ replies: { fixtures: weatherReplies } });
    const result = streamText({ model: modelOf(world), prompt, tools, stopWhen });
    expect(await result.text).toBe('It is sunny in Paris.');
    expect((await result.steps)[0]?.text).toBe('Let me look.');
    expect((await result.steps)[0]?.toolCalls).toMatchObject([{ toolName: 'get_weather', input: { city: 'Paris' } }]);
  });

  it('generates an object that fits a schema', async () => {
    const world = await startWorld();
    const schema = z.object({ name: z.string(), age: z.number().int().min(18), tags: z.array(z.enum(['a', 'b'])) });
    const { object } = await generateObject({ model: modelOf(world), prompt: 'A person', schema });
    expect(object).toEqual({ name: 'name', age: 18, tags: ['a'] });
    world.controls.replies.add({ value: { name: 'Ada', age: 36, tags: ['b'] } });
    const streamed = streamObject({ model: modelOf(world), prompt: 'A person', schema });
    const partial = [];
    for await (const object of streamed.partialObjectStream) partial.push(object);
    expect(partial).toContainEqual({ name: 'Ada' });
    expect(await streamed.object).toEqual({ name: 'Ada', age: 36, tags: ['b'] });
  });

  it('receives an error in the middle of a stream', async () => {
    const world = await startWorld();
    world.controls.replies.add({ text: 'One two three', error: { after: 2, message: 'boom' } });
    const seen: unknown[] = [];
    const result = streamText({
      model: modelOf(world),
      prompt: 'Count',
      maxRetries: 0,
      onError: ({ error }: { error: unknown }) => void seen.push(error),
    });
    const pieces = [];
    for await (const part of result.fullStream) if (part.type === 'text-delta') pieces.push(part.text);
    expect(pieces).toEqual(['One', ' two']);
    expect(JSON.stringify(seen[0], Object.getOwnPropertyNames(seen[0]))).toContain('boom');
    expect(await result.finishReason).toBe('error');
  });

  it('waits as long as a 429 says, and then succeeds', async () => {
    const world = await startWorld();
    world.controls.replies.add({ error: { code: 'RATE_LIMITED', retryAfter: 0 }, times: 2 });
    const { text } = await generateText({ model: modelOf(world), prompt: 'ping', maxRetries: 2 });
    expect(text).toBe('pong');
    expect(world.controls.requests.list({ status: '429' }).total).toBe(2);
  });

  it('receives errors with their code and message', async () => {
    const world = await startWorld();
    world.controls.replies.add({ error: 'CONTENT_POLICY' });
    const refused = generateText({ model: modelOf(world), prompt: 'Do it', maxRetries: 0 });
    await expect(refused).rejects.toMatchObject({
      statusCode: 400,
      message: 'The request was rejected by the content policy',
    });
  });
});

it('the AI SDK embeds one text and many', async () => {
  const world = await startWorld();
  const model = aiOpenaiOf(world).embedding('text-embedding-3-small');
  const one = await embed({ model, value: 'sunny day at the beach' });
  const many = await embedMany({ model, values: ['sunny day at the beach', 'rainy night in the city'] });
  expect(many.embeddings[0]).toEqual(one.embedding);
  expect(many.embeddings[1]).toHaveLength(1536);
  expect(one.usage.tokens).toBeGreaterThan(0);
  const compatible = aiCompatibleOf(world).embeddingModel('text-embedding-3-small');
  expect((await embed({ model: compatible, value: 'x' })).embedding).toHaveLength(1536);
});

it.each([
  ['openai', aiOpenaiOf],
  ['openai-compatible', aiCompatibleOf],
])('the AI SDK generates pictures: %s', async (_, providerOf) => {
  const model = providerOf(await startWorld()).imageModel('gpt-image-1');
  const { images } = await generateImage({ model, prompt: 'A lighthouse at night', n: 2, size: '512x256' });
  expect(images.map(({ mediaType }: { mediaType: string }) => mediaType)).toEqual(['image/png', 'image/png']);
  expect(readPng(Buffer.from(images[1].uint8Array))).toMatchObject({ width: 512, height: 256 });
});

it('the AI SDK generates speech', async () => {
  const model = aiOpenaiOf(await startWorld()).speech('gpt-4o-mini-tts');
  const { audio } = await generateSpeech({ model, text: 'Hello from the lighthouse', voice: 'alloy' });
  expect([audio.mediaType, audio.uint8Array.length > 1_000]).toEqual(['audio/mpeg', true]);
});

describe('the AI SDK’s UI', () => {
  const question = { id: 'q', role: 'user', parts: [{ type: 'text', text: 'How is it?' }] };

  /** The message that the client puts together, through the transport that useChat has. */
  async function answerTo(world: EmulatorWorld, messages: unknown[]) {
    const headers = { authorization: `Bearer ${world.apiKey}` };
    const transport = new DefaultChatTransport({ api: `${world.url}/api/v1/chat`, headers });
    const stream = await transport.sendMessages({ trigger: 'submit-message', chatId: 'k3J9xQ', messages });
    const errors: unknown[] = [];
    let last: any;
    for await (const message of readUIMessageStream({ stream, onError: (error: unknown) => void errors.push(error) }))
      last = message;
    if (errors.length > 0) throw errors[0];
    return last;
  }

  it('puts a message together, and goes on with the results of its tools', async () => {
    const steps = [{ text: 'Let me look.', toolCalls: [{ name: 'weather', arguments: { city: 'Paris' } }] }, 'Sunny.'];
    const world = await startWorld({ replies: { fixtures: [{ match: { text: 'How is it?' }, steps }] } });
    const first = await answerTo(world, [question]);
    expect(first.parts).toMatchObject([
      { type: 'step-start' },
      { type: 'text', text: 'Let me look.', state: 'done' },
      { type: 'tool-weather', state: 'input-available', input: { city: 'Paris' } },
    ]);
    const parts = first.parts.map((part: { type: string }) =>
      part.type === 'tool-weather' ? { ...part, state: 'output-available', output: { degrees: 20 } } : part,
    );
    const second = await answerTo(world, [question, { ...first, parts }]);
    expect(second.parts.at(-1)).toMatchObject({ type: 'text', text: 'Sunny.' });
  });

  it('tells of an error in the middle of a chat, and of one before it', async () => {
    const world = await startWorld();
    world.controls.replies.add({ text: 'One two', error: { code: 'MODEL_UNAVAILABLE', after: 1, message: 'boom' } });
    await expect(answerTo(world, [question])).rejects.toThrow('boom');
    world.controls.replies.add({ error: 'MODEL_UNAVAILABLE' });
    await expect(answerTo(world, [question])).rejects.toThrow('MODEL_UNAVAILABLE');
  });
});
