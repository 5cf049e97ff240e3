// The shapes of chat and responses, held against what breaks SDKs: each of these, missing or changed, breaks one.

import { describe, expect, it } from 'vitest';
import { ask } from '../support/chat.js';
import { call, startWorld } from '../support/emulator.js';

const reply = {
  text: 'Let me look.',
  toolCalls: [
    { name: 'get_weather', arguments: { city: 'Paris' } },
    { name: 'get_time', arguments: {} },
  ],
};
const tools = ['get_weather', 'get_time'];

interface Event {
  event: string | undefined;
  data: any;
}

function eventsOf(text: string): Event[] {
  const blocks = text.split('\n\n').filter((block) => block !== '');
  return blocks.map((block) => {
    const data = /^data: (.*)$/m.exec(block)?.[1] ?? '';
    return { event: /^event: (.*)$/m.exec(block)?.[1], data: data === '[DONE]' ? data : JSON.parse(data) };
  });
}

async function chat(fields: object = {}, ordered: object = reply): Promise<any> {
  const world = await startWorld();
  world.controls.replies.add(ordered);
  const offered = tools.map((name) => ({ type: 'function', function: { name } }));
  return ask(world, 'Look', { tools: offered, ...fields });
}

async function chatChunks(fields: object = {}, ordered: object = reply): Promise<any[]> {
  const { text } = await chat({ stream: true, ...fields }, ordered);
  return eventsOf(text).map(({ data }) => data);
}

async function respond(fields: object = {}, ordered: object = reply): Promise<any> {
  const world = await startWorld();
  world.controls.replies.add(ordered);
  const offered = tools.map((name) => ({ type: 'function', name }));
  return call(world, 'POST', '/api/v1/responses', { model: 'gpt-4o', input: 'Look', tools: offered, ...fields });
}

describe('chat', () => {
  it('has tool arguments as text, and ids and types of calls', async () => {
    const { body } = await chat();
    for (const one of body.choices[0].message.tool_calls)
      expect(one).toEqual({
        id: expect.stringMatching(/^call_/),
        type: 'function',
        function: { name: expect.any(String), arguments: expect.any(String) },
      });
  });
});

describe('a stream of chat', () => {
  it('numbers the choices of every chunk', async () => {
    for (const chunk of (await chatChunks({ n: 2 })).slice(0, -1))
      for (const choice of chunk.choices) expect([0, 1]).toContain(choice.index);
  });

  it('begins with the role', async () => {
    expect((await chatChunks())[0].choices[0].delta.role).toBe('assistant');
  });

  it('begins each call with index, id, type and name, and goes on with the index', async () => {
    const deltas = (await chatChunks())
      .flatMap(({ choices }) => choices ?? [])
      .flatMap(({ delta }) => delta.tool_calls ?? []);
    for (const index of [0, 1]) {
      const [first, ...more] = deltas.filter((delta) => delta.index === index);
      expect(first).toEqual({
        index,
        id: expect.stringMatching(/^call_/),
        type: 'function',
        function: { name: tools[index], arguments: '' },
      });
      expect(more.length).toBeGreaterThan(0);
      for (const delta of more) expect(delta).toEqual({ index, function: { arguments: expect.any(String) } });
    }
    expect(deltas.every(({ index }) => index === 0 || index === 1)).toBe(true);
  });

  it.each([
    ['tool_calls', reply],
    ['stop', { text: 'Hello' }],
    ['content_filter', { text: 'Hel', finishReason: 'content_filter' }],
  ])('ends with a chunk that says %s, then [DONE]', async (reason, ordered) => {
    const chunks = await chatChunks({}, ordered);
    expect(chunks.at(-1)).toBe('[DONE]');
    expect(chunks.at(-2).choices).toEqual([{ index: 0, delta: {}, logprobs: null, finish_reason: reason }]);
    const reasons = chunks.slice(0, -2).map(({ choices }) => choices[0].finish_reason);
    expect(new Set(reasons)).toEqual(new Set([null]));
  });

  it('reports the usage in a chunk without choices, and only when asked', async () => {
    const chunks = await chatChunks({ stream_options: { include_usage: true } });
    expect(chunks.at(-2)).toMatchObject({ choices: [], usage: { total_tokens: expect.any(Number) } });
    expect(chunks.slice(0, -2).every(({ usage }) => usage === null)).toBe(true);
    expect((await chatChunks()).every((chunk) => !('usage' in Object(chunk)))).toBe(true);
  });

  it('tells an error in its middle as an object', async () => {
    const chunks = await chatChunks({}, { text: 'Hello', error: { after: 0, message: 'boom' } });
    expect(chunks.at(-1)).toEqual({
      error: { message: 'boom', type: 'server_error', param: null, code: 'GENERATION_FAILED' },
    });
  });

  it('names one completion in every chunk', async () => {
    const chunks = (await chatChunks()).slice(0, -1);
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
    for (const chunk of chunks) expect(chunk).toMatchObject({ object: 'chat.completion.chunk', model: 'gpt-4o-mini' });
  });
});

describe('responses', () => {
  it('have items with id and role, and texts with annotations', async () => {
    const { output } = (await respond()).body;
    expect(output).toEqual([
      {
        type: 'message',
        id: expect.stringMatching(/^msg_/),
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: 'Let me look.', annotations: [], logprobs: [] }],
      },
      ...tools.map((name) => ({
        type: 'function_call',
        id: expect.stringMatching(/^fc_/),
        call_id: expect.stringMatching(/^call_/),
        name,
        arguments: expect.any(String),
        status: 'completed',
      })),
    ]);
  });

  it('count usage in names of their own', async () => {
    const { usage } = (await respond()).body;
    expect(usage).toEqual({
      input_tokens: expect.any(Number),
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: expect.any(Number),
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: usage.input_tokens + usage.output_tokens,
    });
  });
});

describe('a stream of responses', () => {
  const events = async (ordered: object = reply): Promise<Event[]> =>
    eventsOf((await respond({ stream: true }, ordered)).text);

  it('names each event as its data does, and numbers it', async () => {
    for (const [index, { event, data }] of (await events()).entries())
      expect([event, data.sequence_number]).toEqual([data.type, index]);
  });

  it('begins with the response, and ends with all of it', async () => {
    const all = await events();
    expect(all[0]?.data).toMatchObject({
      type: 'response.created',
      response: { status: 'in_progress', output: [], usage: null },
    });
    expect(all.at(-1)?.data).toMatchObject({ type: 'response.completed', response: { status: 'completed' } });
    expect(all.at(-1)?.data.response.usage.output_tokens).toBeGreaterThan(0);
    expect(all.some(({ data }) => data === '[DONE]')).toBe(false);
  });

  it('opens items and parts before it fills them, and closes them after', async () => {
    const order = new Map<string, string[]>();
    for (const { data } of await events()) {
      const id = data.item_id ?? data.item?.id;
      if (id === undefined) continue;
      const name = data.type.replace(/^response\./, '').replace(/_arguments|output_text\.|function_call\./g, '');
      const known = order.get(id) ?? [];
      if (known.at(-1) !== name) known.push(name);
      order.set(id, known);
    }
    expect([...order.values()]).toEqual([
      ['output_item.added', 'content_part.added', 'delta', 'done', 'content_part.done', 'output_item.done'],
      ['output_item.added', 'function_call.delta', 'function_call.done', 'output_item.done'],
      ['output_item.added', 'function_call.delta', 'function_call.done', 'output_item.done'],
    ]);
  });

  it('places each delta in its item and part', async () => {
    const all = await events();
    const items = all.filter(({ event }) => event === 'response.output_item.added').map(({ data }) => data);
    expect(items.map((item) => item.output_index)).toEqual([0, 1, 2]);
    for (const { data } of all.filter(({ event }) => event?.endsWith('.delta') === true)) {
      expect(data.item_id).toBe(items[data.output_index].item.id);
      expect(data.delta).toBeTypeOf('string');
      if (data.type === 'response.output_text.delta') expect(data.content_index).toBe(0);
    }
  });

  it('tells an error in its middle as an object, and in words', async () => {
    const all = await events({ text: 'Hello', error: { after: 0, message: 'boom' } });
    expect(all.at(-1)?.data).toEqual({
      type: 'error',
      sequence_number: 2,
      code: 'GENERATION_FAILED',
      message: 'boom',
      param: null,
      error: { type: 'server_error', code: 'GENERATION_FAILED', message: 'boom', param: null },
    });
  });
});

describe('an error in the place of an answer', () => {
  it('is an object in the flat style, too', async () => {
    const world = await startWorld({ profile: 'elizacloud-v1', credits: { seeded: 0 } });
    const answer = await ask(world, 'ping');
    expect(answer.body).toMatchObject({
      success: false,
      error: { message: expect.any(String), type: 'insufficient_quota', code: 'insufficient_credits' },
      x402Version: 1,
      accepts: [{ scheme: 'exact' }],
    });
  });
});
