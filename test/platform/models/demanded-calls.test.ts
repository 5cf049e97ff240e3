// Tools that a request demands or forbids: why the answer ended, and warnings of ordered replies that no model would give.

import { describe, expect, it } from 'vitest';
import { ask } from '../../support/chat.js';
import { call, startWorld } from '../../support/emulator.js';

const tool = (name: string) => ({ type: 'function', function: { name, parameters: {} } });
const tools = [tool('look'), tool('listen')];
const named = { type: 'function', function: { name: 'look' } };

// The reason in the last chunk of a stream that has one.
const reasonIn = (text: string): string | undefined => [...text.matchAll(/"finish_reason":"(\w+)"/g)].at(-1)?.[1];

describe('the reason for the end', () => {
  it.each<[string, object, string]>([
    ['a call by its name, as at OpenAI', { tool_choice: named }, 'stop'],
    ['a call that is required', { tool_choice: 'required' }, 'tool_calls'],
  ])('of %s', async (_, fields, reason) => {
    const world = await startWorld();
    const whole = await ask(world, 'a', { tools, ...fields });
    expect(whole.body.choices[0]).toMatchObject({
      finish_reason: reason,
      message: { tool_calls: [{ function: { name: 'look' } }] },
    });
    const streamed = await ask(world, 'a', { tools, ...fields, stream: true });
    expect(reasonIn(streamed.text)).toBe(reason);
  });

  it('is what a reply orders, whatever is demanded', async () => {
    const world = await startWorld();
    world.controls.replies.add({ toolCalls: [{ name: 'look' }], finishReason: 'length' });
    expect((await ask(world, 'a', { tools, tool_choice: named })).body.choices[0].finish_reason).toBe('length');
    world.controls.replies.add({ toolCalls: [{ name: 'look' }] });
    expect((await ask(world, 'a', { tools })).body.choices[0].finish_reason).toBe('tool_calls');
  });
});

describe('an ordered reply warns where it', () => {
  const look = { name: 'look' };
  const listen = { name: 'listen' };
  it.each<[string, object, object, string]>([
    [
      'calls what is not offered',
      { toolCalls: [{ name: 'jump' }] },
      { tools },
      'it calls jump, which the request does not offer',
    ],
    ['calls where nothing is offered', { toolCalls: [look] }, {}, 'it calls look, which the request does not offer'],
    [
      'calls what is forbidden',
      { toolCalls: [look] },
      { tools, tool_choice: 'none' },
      'it calls a tool, and tool_choice is none',
    ],
    [
      'does not call what is required',
      { text: 'No' },
      { tools, tool_choice: 'required' },
      'it calls no tool, and tool_choice is required',
    ],
    [
      'does not call what is named',
      { text: 'No' },
      { tools, tool_choice: named },
      'it calls no tool, and tool_choice names look',
    ],
    [
      'calls another tool',
      { toolCalls: [listen] },
      { tools, tool_choice: named },
      'it calls listen, and tool_choice names look',
    ],
    [
      'calls several at once',
      { toolCalls: [look, listen] },
      { tools, parallel_tool_calls: false },
      'it calls 2 tools, and parallel_tool_calls is false',
    ],
  ])('%s', async (_, reply, fields, text) => {
    const world = await startWorld();
    world.controls.replies.add(reply);
    const answer = await ask(world, 'a', fields);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-emulator-warning')).toBe(`the reply contradicts the request: ${text}`);
  });

  it('comes from the settings, and to a response', async () => {
    const replies = { fixtures: [{ match: { text: 'a' }, reply: { toolCalls: [look, listen] } }] };
    const world = await startWorld({ replies });
    const offered = [
      { type: 'function', name: 'look' },
      { type: 'function', name: 'listen' },
    ];
    const body = { model: 'gpt-4o', input: 'a', tools: offered, parallel_tool_calls: false };
    const answer = await call(world, 'POST', '/api/v1/responses', body);
    expect(answer.headers.get('x-emulator-warning')).toContain('it calls 2 tools, and parallel_tool_calls is false');
  });

  it.each<[string, object, object]>([
    ['calls what is offered', { toolCalls: [look, listen] }, { tools }],
    ['calls what is named', { toolCalls: [look] }, { tools, tool_choice: named, parallel_tool_calls: false }],
    ['refuses, as every model may', { refusal: 'No' }, { tools, tool_choice: 'required' }],
    ['only changes the pace', { chunkSize: 2 }, { tools, tool_choice: 'required' }],
  ])('but not where it %s', async (_, reply, fields) => {
    const world = await startWorld();
    world.controls.replies.add(reply);
    expect((await ask(world, 'a', fields)).headers.get('x-emulator-warning')).toBeNull();
  });
});

describe('a request that OpenAI refuses', () => {
  it.each<[string, object, object]>([
    [
      'top_logprobs without logprobs',
      { top_logprobs: 3 },
      { path: 'top_logprobs', message: 'is only allowed where logprobs is true' },
    ],
    [
      'a tool name with a space',
      { tools: [tool('look up')] },
      { path: 'tools[0].function.name', received: '"look up"' },
    ],
    ['a tool name of 129 characters', { tools: [tool('x'.repeat(129))] }, { path: 'tools[0].function.name' }],
  ])('is refused: %s', async (_, fields, problem) => {
    const world = await startWorld();
    const answer = await ask(world, 'a', fields);
    expect([answer.status, answer.body.error.param]).toEqual([400, (problem as { path: string }).path]);
    expect(answer.body.error.details).toEqual([expect.objectContaining(problem)]);
  });

  it('is refused by responses, too', async () => {
    const world = await startWorld();
    const body = { model: 'gpt-4o', input: 'a', tools: [{ type: 'function', name: 'look up' }] };
    const answer = await call(world, 'POST', '/api/v1/responses', body);
    expect([answer.status, answer.body.error.param]).toEqual([400, 'tools[0].name']);
  });

  it.each(['server.look', 'server/look:1', 'x'.repeat(65)])(
    'warns of a tool name that others accept: %s',
    async (name) => {
      const world = await startWorld();
      const answer = await ask(world, 'a', { tools: [tool(name)] });
      expect(answer.status).toBe(200);
      expect(answer.headers.get('x-emulator-warning')).toContain('OpenAI refuses the tool name');
    },
  );

  it('is not one with logprobs, or with none of them', async () => {
    const world = await startWorld();
    expect((await ask(world, 'a', { logprobs: true, top_logprobs: 3 })).status).toBe(200);
    expect((await ask(world, 'a', { top_logprobs: 0 })).status).toBe(200);
  });
});

describe('a model whose id holds a slash', () => {
  it.each(['veo3/fast', 'veo3%2Ffast', 'fal-ai/veo3/fast', 'fal-ai%2Fveo3%2ffast', 'veo3/fast/', 'fal-ai/veo3'])(
    'is found: %s',
    async (id) => {
      const world = await startWorld();
      const answer = await call(world, 'GET', `/api/v1/models/${id}`);
      expect([answer.status, answer.body.id]).toEqual([200, id.includes('fast') ? 'veo3/fast' : 'veo3']);
    },
  );

  it('is missing as any other model is', async () => {
    const world = await startWorld();
    const answer = await call(world, 'GET', '/api/v1/models/none/of/these');
    expect([answer.status, answer.body.error.message]).toEqual([404, 'The model "none/of/these" does not exist']);
    expect((await call(world, 'DELETE', '/api/v1/models/none/of/these')).status).toBe(405);
  });
});
