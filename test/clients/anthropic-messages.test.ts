// Messages with Anthropic's own client.

import type Anthropic from '@anthropic-ai/sdk';
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema';
import { describe, expect, it } from 'vitest';
import { anthropicOf, model, question, weather } from '../support/anthropic.js';
import { startWorld } from '../support/emulator.js';
import { weatherReplies } from '../support/openai.js';

const asking = question('What is the weather in Paris?');
const textOf = ({ content }: Anthropic.Message): string =>
  content.map((block) => (block.type === 'text' ? block.text : '')).join('');

it('Anthropic’s client gets a message', async () => {
  const world = await startWorld();
  const answer = await anthropicOf(world).messages.create(question('ping'));
  expect(answer).toMatchObject({
    type: 'message',
    role: 'assistant',
    model,
    content: [{ type: 'text', text: 'pong' }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 5, output_tokens: 1 },
  });
  expect(answer.id).toMatch(/^msg_/);
  expect(answer._request_id).toMatch(/^req_/);
});

it('Anthropic’s client may send its key as a bearer, or as X-API-Key as its older versions do', async () => {
  const world = await startWorld();
  const older = anthropicOf(world, { apiKey: null, defaultHeaders: { 'X-Api-Key': world.apiKey } });
  for (const client of [older, anthropicOf(world)])
    expect(textOf(await client.messages.create(question('ping')))).toBe('pong');
  const sent = world.controls.requests.list({ operation: 'messages.create' }).requests;
  expect(sent.map(({ requestHeaders: { authorization, 'x-api-key': key } }) => [authorization, key])).toEqual([
    [expect.stringMatching(/^Bearer /), undefined],
    [undefined, expect.any(String)],
  ]);
});

it('a message repeats the question by default, and says how to set another reply', async () => {
  const world = await startWorld();
  const text = textOf(await anthropicOf(world).messages.create(question('Why is the sky blue?')));
  expect(text).toContain(`You said "Why is the sky blue?" to anthropic/${model}`);
  expect(text).toContain('POST /_emulator/replies');
});

describe('a stream', () => {
  it('has the events of Anthropic, in their order', async () => {
    const world = await startWorld();
    world.controls.replies.add({ text: 'One two', toolCalls: [{ name: 'get_weather', arguments: { a: 1 } }] });
    const stream = await anthropicOf(world).messages.create({ ...question('Go'), tools: [weather], stream: true });
    const events: any[] = [];
    for await (const event of stream) events.push(event);
    expect(events[0]).toMatchObject({
      type: 'message_start',
      message: {
        id: expect.stringMatching(/^msg_/),
        model,
        content: [],
        stop_reason: null,
        usage: { output_tokens: 0 },
      },
    });
    const id = expect.stringMatching(/^toolu_/);
    expect(events.slice(1, 7)).toEqual([
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'One' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: ' two' } },
      { type: 'content_block_stop', index: 0 },
      {
        type: 'content_block_start',
        index: 1,
        content_block: { type: 'tool_use', id, name: 'get_weather', input: {} },
      },
      { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '' } },
    ]);
    const pieces = events.flatMap(({ delta }) => delta?.partial_json ?? []);
    expect(JSON.parse(pieces.join(''))).toEqual({ a: 1 });
    expect(pieces.length).toBeGreaterThan(2);
    expect(events.slice(-3)).toEqual([
      { type: 'content_block_stop', index: 1 },
      {
        type: 'message_delta',
        delta: { stop_reason: 'tool_use', stop_sequence: null },
        usage: { output_tokens: expect.any(Number) },
      },
      { type: 'message_stop' },
    ]);
  });

  it('is put together by the SDK’s helper', async () => {
    const world = await startWorld({ replies: { fixtures: weatherReplies } });
    const texts: string[] = [];
    const stream = anthropicOf(world)
      .messages.stream({ ...asking, tools: [weather] })
      .on('text', (delta) => texts.push(delta));
    const answer = await stream.finalMessage();
    const whole = await anthropicOf(world).messages.create({ ...asking, tools: [weather] });
    expect(texts.join('')).toBe('Let me look.');
    expect(answer.content).toMatchObject([
      { type: 'text', text: 'Let me look.' },
      { type: 'tool_use', name: 'get_weather', input: { city: 'Paris' } },
    ]);
    expect(answer.stop_reason).toBe('tool_use');
    expect(answer.usage).toEqual(whole.usage);
  });

  it('has no block for an empty text', async () => {
    const world = await startWorld();
    world.controls.replies.add({ text: '', times: 2 });
    const client = anthropicOf(world);
    expect((await client.messages.create(question('Go'))).content).toEqual([]);
    expect((await client.messages.stream(question('Go')).finalMessage()).content).toEqual([]);
    world.controls.replies.add({ text: '', toolCalls: [{ name: 'get_weather', arguments: {} }] });
    const { content } = await client.messages.stream({ ...question('Go'), tools: [weather] }).finalMessage();
    expect(content).toMatchObject([{ type: 'tool_use', input: {} }]);
  });
});

describe('tools', () => {
  it.each([false, true])('are called by the SDK’s runner in two steps (streamed: %s)', async (stream) => {
    const world = await startWorld({ replies: { fixtures: weatherReplies } });
    const asked: unknown[] = [];
    const tool = betaTool({
      name: weather.name,
      description: weather.description,
      inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      run: (input) => {
        asked.push(input);
        return '20 °C';
      },
    });
    const runner = anthropicOf(world).beta.messages.toolRunner({ ...asking, tools: [tool], stream });
    expect(await runner.runUntilDone()).toMatchObject({
      content: [{ type: 'text', text: 'It is sunny in Paris.' }],
      stop_reason: 'end_turn',
    });
    expect(asked).toEqual([{ city: 'Paris' }]);
    const { requests } = world.controls.requests.list({ operation: 'messages.create' });
    // The newest SDK first asks for a thread that the server keeps, and then sends the whole conversation itself.
    expect(requests.map(({ status, warnings }) => [status, warnings])).toEqual([
      [200, []],
      [200, []],
      [400, []],
    ]);
  });

  it('have results that the next answer names', async () => {
    const world = await startWorld();
    world.controls.replies.add({ toolCalls: [{ name: 'get_weather', arguments: { city: 'Oslo' } }] });
    const { messages } = anthropicOf(world);
    const first = await messages.create({ ...question('Oslo?'), tools: [weather] });
    const use = first.content.find((block) => block.type === 'tool_use');
    const result = { type: 'tool_result' as const, tool_use_id: use?.id ?? '' };
    const answer = await messages.create({
      ...question('Oslo?'),
      tools: [weather],
      messages: [
        { role: 'user', content: 'Oslo?' },
        { role: 'assistant', content: first.content },
        { role: 'user', content: [{ ...result, content: [{ type: 'text', text: 'It snows' }] }] },
      ],
    });
    expect(textOf(answer)).toContain('The tool get_weather answered "It snows".');
  });

  it.each([
    ['one by its name', { type: 'tool', name: 'get_weather' }],
    ['any', { type: 'any' }],
  ] as const)('are called where the request demands it, with fitting arguments: %s', async (_, choice) => {
    const world = await startWorld();
    const answer = await anthropicOf(world).messages.create({
      ...question('Look'),
      tools: [weather],
      tool_choice: choice,
    });
    expect(answer).toMatchObject({
      content: [{ type: 'tool_use', name: 'get_weather', input: { city: 'city' } }],
      stop_reason: 'tool_use',
    });
  });

  it('are not called where the request says none, or offers none', async () => {
    const world = await startWorld();
    const { messages } = anthropicOf(world);
    const none = await messages.create({ ...question('Look'), tools: [weather], tool_choice: { type: 'none' } });
    expect(none.stop_reason).toBe('end_turn');
    world.controls.replies.add({ toolCalls: [{ name: 'strange', arguments: '[1]' }] });
    const { data, response } = await messages.create(question('Look')).withResponse();
    expect(data.content).toMatchObject([{ type: 'tool_use', name: 'strange', input: {} }]);
    const warning = response.headers.get('x-emulator-warning');
    expect(warning).toContain('it calls strange, which the request does not offer');
    expect(warning).toContain('the arguments of strange are no JSON object');
  });

  it('of Anthropic are accepted, with a warning', async () => {
    const world = await startWorld();
    const { data, response } = await anthropicOf(world)
      .messages.create({
        ...question('ping'),
        tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 1 }, weather],
        tool_choice: { type: 'tool', name: 'web_search' },
        thinking: { type: 'enabled', budget_tokens: 1_024 },
        max_tokens: 2_000,
      })
      .withResponse();
    expect(textOf(data)).toBe('pong');
    const warning = response.headers.get('x-emulator-warning') ?? '';
    expect(warning).toContain('web_search_20250305');
    expect(warning).toContain('without effect: thinking');
  });
});

it('a message ends before a stop sequence, and after the maximum number of tokens', async () => {
  const world = await startWorld();
  world.controls.replies.add({ text: 'One two three four', times: 4 });
  const { messages } = anthropicOf(world);
  const stopping = { ...question('Count'), stop_sequences: ['five', ' three'] };
  const cut = { content: [{ text: 'One two' }], stop_reason: 'stop_sequence', stop_sequence: ' three' };
  expect(await messages.create(stopping)).toMatchObject(cut);
  expect(await messages.stream(stopping).finalMessage()).toMatchObject(cut);
  const short = { content: [{ text: 'One two three' }], stop_reason: 'max_tokens', usage: { output_tokens: 3 } };
  expect(await messages.create({ ...question('Count'), max_tokens: 3 })).toMatchObject(short);
  expect(await messages.stream({ ...question('Count'), max_tokens: 3 }).finalMessage()).toMatchObject(short);
});

it('a message may be a refusal', async () => {
  const world = await startWorld();
  world.controls.replies.add({ refusal: 'I will not.', times: 2 });
  const { messages } = anthropicOf(world);
  const refused = { content: [{ type: 'text', text: 'I will not.' }], stop_reason: 'refusal' };
  expect(await messages.create(question('Do it'))).toMatchObject(refused);
  expect(await messages.stream(question('Do it')).finalMessage()).toMatchObject(refused);
});

it('a message has the form that the request asks for', async () => {
  const world = await startWorld();
  const schema = {
    type: 'object',
    properties: { name: { type: 'string' }, age: { type: 'integer', minimum: 18 } },
    required: ['name', 'age'],
    additionalProperties: false,
  };
  const answer = await anthropicOf(world).messages.create({
    ...question('A person'),
    output_config: { format: { type: 'json_schema', schema } },
  });
  expect(JSON.parse(textOf(answer))).toEqual({ name: 'name', age: 18 });
});

it('pictures, documents, the words of the system and thoughts are accepted', async () => {
  const world = await startWorld();
  const picture = { type: 'base64' as const, media_type: 'image/png' as const, data: 'iVBORw0KGgo=' };
  const { data, response } = await anthropicOf(world)
    .messages.create({
      model,
      max_tokens: 100,
      metadata: { user_id: 'one' },
      system: [{ type: 'text', text: 'Be brief', cache_control: { type: 'ephemeral' } }],
      messages: [
        { role: 'user', content: [{ type: 'image', source: picture }] },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'A dot', signature: 'x' },
            { type: 'text', text: 'A dot.' },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'image', source: { type: 'url', url: 'https://example.test/a.png' } },
            { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'Long ago' }, title: 'Tale' },
            { type: 'text', text: 'ping' },
          ],
        },
      ],
    })
    .withResponse();
  expect(textOf(data)).toBe('pong');
  expect(response.headers.get('x-emulator-warning')).toBeNull();
});

it('a message that begins with the assistant’s words is one of the same turn', async () => {
  const world = await startWorld({ replies: { fixtures: [{ match: { step: 1 }, reply: '1}' }] } });
  const answer = await anthropicOf(world).messages.create({
    ...question('JSON, please'),
    messages: [
      { role: 'user', content: 'JSON, please' },
      { role: 'assistant', content: '{"a":' },
    ],
  });
  expect(textOf(answer)).toBe('1}');
});

it('tokens are counted as they are charged, free of charge', async () => {
  const world = await startWorld();
  const { messages } = anthropicOf(world);
  const { max_tokens: _, ...counted } = { ...asking, tools: [weather], system: 'Be brief' };
  const { input_tokens: tokens } = await messages.countTokens(counted);
  expect(world.controls.ledger().filter(({ type }) => type === 'charge')).toEqual([]);
  const { usage } = await messages.create({ ...asking, tools: [weather], system: 'Be brief' });
  expect(usage.input_tokens).toBe(tokens);
});

it('a message is of any model, known or not, and of an agent', async () => {
  const world = await startWorld();
  const { messages } = anthropicOf(world);
  for (const known of [model, `anthropic/${model}`, 'gpt-4o-mini']) {
    const { data, response } = await messages.create({ ...question('ping'), model: known }).withResponse();
    expect([data.model, response.headers.get('x-emulator-warning')]).toEqual([known, null]);
  }
  const { response } = await messages.create({ ...question('ping'), model: 'claude-haiku-4-6' }).withResponse();
  expect(response.headers.get('x-emulator-warning')).toContain('did you mean claude-haiku-4-5?');
  const headers = { authorization: `Bearer ${world.apiKey}` };
  const body = JSON.stringify({ name: 'Ada', bio: 'Counts things.' });
  const { agent } = await (await world.fetch('/api/v1/app/agents', { method: 'POST', headers, body })).json();
  const answer = await messages.create({ ...question('Who are you?'), model: agent.id });
  expect(textOf(answer)).toMatch(/^I am Ada: Counts things\./);
});

it('replies are chosen by the full name of a model, or by its short one', async () => {
  const fixtures = [
    { match: { model: 'anthropic/claude-opus-*' }, reply: 'full' },
    { match: { model: 'claude-haiku-*' }, reply: 'short' },
  ];
  const world = await startWorld({ replies: { fixtures } });
  const { messages } = anthropicOf(world);
  expect(textOf(await messages.create({ ...question('Who?'), model: 'claude-opus-4-1' }))).toBe('full');
  expect(textOf(await messages.create(question('Who?')))).toBe('short');
});
