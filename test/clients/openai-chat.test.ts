// Chat completions with openai's own client.

import type { ChatCompletionTool } from 'openai/resources/chat/completions';
import { describe, expect, it } from 'vitest';
import { startWorld } from '../support/emulator.js';
import { openaiOf, weatherReplies } from '../support/openai.js';

const model = 'gpt-4o-mini';
const ask = (content: string) => [{ role: 'user' as const, content }];

const weather: ChatCompletionTool = {
  type: 'function',
  function: {
    name: 'get_weather',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
};

it('openai’s client completes a chat', async () => {
  const world = await startWorld();
  const answer = await openaiOf(world).chat.completions.create({ model, messages: ask('ping') });
  expect(answer).toMatchObject({
    object: 'chat.completion',
    model,
    created: Date.parse('2026-01-01T00:00:00Z') / 1_000,
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'pong' } }],
    usage: { prompt_tokens: 5, completion_tokens: 1, total_tokens: 6 },
  });
  expect(answer._request_id).toMatch(/^req_/);
});

it('a chat repeats the question by default, and says how to set another reply', async () => {
  const world = await startWorld();
  const answer = await openaiOf(world).chat.completions.create({ model, messages: ask('Why is the sky blue?') });
  const text = answer.choices[0]?.message.content ?? '';
  expect(text).toContain('You said "Why is the sky blue?" to gpt-4o-mini');
  const fixture = /\{"replies".*?\}\]\}/.exec(text)?.[0] ?? '';
  expect(JSON.parse(fixture)).toEqual({ replies: [{ match: { text: 'Why is the sky blue?' }, reply: '…' }] });
  expect(text).toContain('POST /_emulator/replies');
});

it('openai’s client streams token by token, and ends with the usage', async () => {
  const world = await startWorld();
  world.controls.replies.add({ text: 'One two three' });
  const stream = await openaiOf(world).chat.completions.create({
    model,
    messages: ask('Count'),
    stream: true,
    stream_options: { include_usage: true },
  });
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  const deltas = chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta));
  expect(deltas).toEqual([
    { role: 'assistant', content: '', refusal: null },
    { content: 'One' },
    { content: ' two' },
    { content: ' three' },
    {},
  ]);
  expect(chunks.map(({ choices }) => choices[0]?.finish_reason)).toEqual([null, null, null, null, 'stop', undefined]);
  expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { completion_tokens: 3 } });
  expect(chunks.slice(0, -1).map(({ usage }) => usage)).toEqual([null, null, null, null, null]);
});

it('openai’s client streams with the SDK’s helper', async () => {
  const world = await startWorld({ replies: { fixtures: weatherReplies } });
  const contents: string[] = [];
  const stream = openaiOf(world)
    .chat.completions.stream({ model, messages: ask('What is the weather in Paris?'), tools: [weather] })
    .on('content', (delta) => contents.push(delta));
  const answer = await stream.finalChatCompletion();
  expect(contents.join('')).toBe('Let me look.');
  expect(answer.choices[0]).toMatchObject({
    finish_reason: 'tool_calls',
    message: {
      content: 'Let me look.',
      tool_calls: [{ type: 'function', function: { name: 'get_weather', arguments: '{"city":"Paris"}' } }],
    },
  });
});

it.each([false, true])('openai’s client calls tools in two steps (streamed: %s)', async (stream) => {
  const world = await startWorld({ replies: { fixtures: weatherReplies } });
  const asked: unknown[] = [];
  const look = {
    type: 'function' as const,
    function: { ...weather.function, parse: JSON.parse, function: (input: object) => asked.push(input) && '20 °C' },
  };
  const params = { model, messages: ask('What is the weather in Paris?'), tools: [look] };
  const { completions } = openaiOf(world).chat;
  const runner = stream
    ? completions.runTools({ ...params, stream: true } as any)
    : completions.runTools({ ...params, stream: false } as any);
  expect(await runner.finalContent()).toBe('It is sunny in Paris.');
  expect(asked).toEqual([{ city: 'Paris' }]);
  expect(runner.messages.map((message: any) => message.role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
});

it('openai’s client calls several tools at once, in order', async () => {
  const world = await startWorld();
  const calls = ['Paris', 'Oslo'].map((city) => ({ name: 'get_weather', arguments: { city } }));
  world.controls.replies.add({ toolCalls: calls });
  const stream = openaiOf(world).chat.completions.stream({ model, messages: ask('Both'), tools: [weather] });
  const message = await stream.finalMessage();
  expect(message.content).toBeNull();
  const called = message.tool_calls?.map((call) => ('function' in call ? call.function.arguments : ''));
  expect(called).toEqual(['{"city":"Paris"}', '{"city":"Oslo"}']);
  expect(new Set(message.tool_calls?.map(({ id }) => id)).size).toBe(2);
});

it('openai’s client calls a tool that must be called, with arguments that fit its schema', async () => {
  const world = await startWorld();
  const answer = await openaiOf(world).chat.completions.create({
    model,
    messages: ask('Look'),
    tools: [weather],
    tool_choice: { type: 'function', function: { name: 'get_weather' } },
  });
  expect(answer.choices[0]?.message.tool_calls).toMatchObject([{ function: { arguments: '{"city":"city"}' } }]);
});

describe('the form of an answer', () => {
  it('is JSON if requested', async () => {
    const world = await startWorld();
    const answer = await openaiOf(world).chat.completions.create({
      model,
      messages: ask('In JSON, please'),
      response_format: { type: 'json_object' },
    });
    expect(JSON.parse(answer.choices[0]?.message.content ?? '').reply).toContain('In JSON, please');
  });

  it('fits a schema', async () => {
    const world = await startWorld();
    const schema = {
      type: 'object',
      properties: { name: { type: 'string' }, age: { type: 'integer', minimum: 18 }, tags: { $ref: '#/$defs/tags' } },
      required: ['name', 'age', 'tags'],
      additionalProperties: false,
      $defs: { tags: { type: 'array', items: { enum: ['a', 'b'] } } },
    };
    const answer = await openaiOf(world).chat.completions.parse({
      model,
      messages: ask('A person'),
      response_format: { type: 'json_schema', json_schema: { name: 'person', schema, strict: true } },
    });
    expect(answer.choices[0]?.message.parsed).toEqual({ name: 'name', age: 18, tags: ['a'] });
  });
});

it('a chat has the requested number of choices, in a stream too', async () => {
  const world = await startWorld();
  const client = openaiOf(world);
  const whole = await client.chat.completions.create({ model, messages: ask('ping'), n: 3 });
  expect(whole.choices.map(({ index, message }) => [index, message.content])).toEqual([
    [0, 'pong'],
    [1, 'pong'],
    [2, 'pong'],
  ]);
  expect(whole.usage?.completion_tokens).toBe(3);
  const streamed = await client.chat.completions.stream({ model, messages: ask('ping'), n: 3 }).finalChatCompletion();
  expect(streamed.choices).toHaveLength(3);
});

it('a chat ends before a stop text, and after the maximum number of tokens', async () => {
  const world = await startWorld();
  world.controls.replies.add({ text: 'One two three four', times: 3 });
  const { completions } = openaiOf(world).chat;
  const stopped = await completions.create({ model, messages: ask('Count'), stop: ['five', ' three'] });
  expect(stopped.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: 'One two' } });
  const short = await completions.create({ model, messages: ask('Count'), max_completion_tokens: 3 });
  expect(short.choices[0]).toMatchObject({ finish_reason: 'length', message: { content: 'One two three' } });
  expect(short.usage?.completion_tokens).toBe(3);
  const stream = await completions.create({ model, messages: ask('Count'), max_tokens: 1, stream: true });
  const reasons = [];
  for await (const chunk of stream) reasons.push(chunk.choices[0]?.finish_reason);
  expect(reasons).toEqual([null, null, 'length']);
});

it('a chat returns a refusal with the model’s text', async () => {
  const world = await startWorld();
  world.controls.replies.add({ refusal: 'I will not.', times: 2 });
  const { completions } = openaiOf(world).chat;
  const whole = await completions.create({ model, messages: ask('Do it') });
  expect(whole.choices[0]?.message).toMatchObject({ content: null, refusal: 'I will not.' });
  const streamed = await completions.stream({ model, messages: ask('Do it') }).finalMessage();
  expect(streamed.refusal).toBe('I will not.');
});

it('a chat accepts a model by owner and name, and warns about unknown models', async () => {
  const world = await startWorld();
  const { completions } = openaiOf(world).chat;
  const known = await completions.create({ model: 'openai/gpt-4o-mini', messages: ask('ping') }).withResponse();
  expect(known.data.model).toBe('openai/gpt-4o-mini');
  expect(known.response.headers.get('x-emulator-warning')).toBeNull();
  const unknown = await completions.create({ model: 'gpt-4o-mnii', messages: ask('ping') }).withResponse();
  expect(unknown.response.headers.get('x-emulator-warning')).toContain('did you mean gpt-4o-mini?');
  await expect(completions.create({ model: 'text-embedding-3-small', messages: ask('ping') })).rejects.toMatchObject({
    status: 400,
    param: 'model',
  });
});

it('a chat accepts an agent as model, but not another user’s private one', async () => {
  const world = await startWorld();
  const headers = { authorization: `Bearer ${world.apiKey}` };
  const body = JSON.stringify({ name: 'Ada', bio: 'Counts things.' });
  const created = await (await world.fetch('/api/v1/app/agents', { method: 'POST', headers, body })).json();
  const { completions } = openaiOf(world).chat;
  const answer = await completions.create({ model: created.agent.id, messages: ask('Who are you?') });
  expect(answer.model).toBe(created.agent.id);
  expect(answer.choices[0]?.message.content).toMatch(/^I am Ada: Counts things\. You said "Who are you\?" to Ada\./);
  const other = world.controls.organizations.create();
  const stranger = openaiOf(world, { apiKey: other.apiKey }).chat.completions;
  await expect(stranger.create({ model: created.agent.id, messages: ask('Who?') })).rejects.toMatchObject({
    status: 404,
    code: 'NOT_FOUND',
  });
});

it('openai’s client lists its models, and shows one', async () => {
  const world = await startWorld();
  const client = openaiOf(world);
  const ids = [];
  for await (const { id } of client.models.list()) ids.push(id);
  expect(ids).toContain('gpt-4o');
  expect(await client.models.retrieve('gpt-4o')).toMatchObject({ id: 'gpt-4o', object: 'model', owned_by: 'openai' });
  expect(await client.models.retrieve('openai/gpt-4o')).toMatchObject({ id: 'gpt-4o' });
  await expect(client.models.retrieve('gpt-0')).rejects.toMatchObject({ status: 404 });
});
