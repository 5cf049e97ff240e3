// Chat and responses with the AI SDK, through both of its providers.

import { generateObject, generateText, type LanguageModel, stepCountIs, streamObject, streamText, tool } from 'ai';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { EmulatorWorld } from '../../src/index.js';
import { startWorld } from '../support/emulator.js';
import { aiCompatibleOf, aiOpenaiOf, weatherReplies } from '../support/openai.js';

const id = 'gpt-4o-mini';

const providers: [name: string, model: (world: EmulatorWorld) => LanguageModel][] = [
  ['openai, responses', (world) => aiOpenaiOf(world)(id)],
  ['openai, chat', (world) => aiOpenaiOf(world).chat(id)],
  ['openai-compatible', (world) => aiCompatibleOf(world)(id)],
];

const tools = {
  get_weather: tool({
    description: 'Weather of a city',
    inputSchema: z.object({ city: z.string() }),
    execute: ({ city }) => Promise.resolve(`20 °C in ${city}`),
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
    expect(result.steps.map(({ finishReason }) => finishReason)).toEqual(['tool-calls', 'stop']);
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
      onError: ({ error }) => void seen.push(error),
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
