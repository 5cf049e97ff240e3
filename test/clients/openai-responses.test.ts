// Responses with openai's own client.

import { describe, expect, it } from 'vitest';
import { startWorld } from '../support/emulator.js';
import { openaiOf, weatherReplies } from '../support/openai.js';

const model = 'gpt-4o-mini';
const question = 'What is the weather in Paris?';

const weather = {
  type: 'function' as const,
  name: 'get_weather',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
  strict: true,
};

it('openai’s client gets a response', async () => {
  const world = await startWorld();
  const response = await openaiOf(world).responses.create({ model, input: 'ping', instructions: 'Be brief.' });
  expect(response.output_text).toBe('pong');
  expect(response).toMatchObject({
    object: 'response',
    status: 'completed',
    model,
    instructions: 'Be brief.',
    output: [{ type: 'message', role: 'assistant', status: 'completed' }],
    usage: {
      output_tokens: 1,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens_details: { reasoning_tokens: 0 },
    },
  });
});

it('openai’s client streams named events, in their order and numbered', async () => {
  const world = await startWorld();
  world.controls.replies.add({ text: 'One two' });
  const events = [];
  for await (const event of await openaiOf(world).responses.create({ model, input: 'Count', stream: true }))
    events.push(event);
  expect(events.map(({ type }) => type.replace('response.', ''))).toEqual([
    'created',
    'in_progress',
    'output_item.added',
    'content_part.added',
    'output_text.delta',
    'output_text.delta',
    'output_text.done',
    'content_part.done',
    'output_item.done',
    'completed',
  ]);
  expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, i) => i));
});

it('openai’s client streams with the SDK’s helper, including tool calls', async () => {
  const world = await startWorld({ replies: { fixtures: weatherReplies } });
  const deltas: string[] = [];
  const stream = openaiOf(world)
    .responses.stream({ model, input: question, tools: [weather] })
    .on('response.output_text.delta', ({ delta }) => deltas.push(delta))
    .on('response.function_call_arguments.delta', ({ snapshot }) => deltas.push(snapshot));
  const response = await stream.finalResponse();
  expect(deltas.at(-1)).toBe('{"city":"Paris"}');
  expect(response.output).toMatchObject([
    { type: 'message', content: [{ type: 'output_text', text: 'Let me look.' }] },
    { type: 'function_call', name: 'get_weather', arguments: '{"city":"Paris"}', status: 'completed' },
  ]);
});

describe('goes on after a tool', () => {
  it('from the whole conversation', async () => {
    const world = await startWorld({ replies: { fixtures: weatherReplies } });
    const { responses } = openaiOf(world);
    const first = await responses.create({ model, input: question, tools: [weather] });
    const call = first.output.find((item) => item.type === 'function_call');
    const result = { type: 'function_call_output' as const, call_id: call?.call_id ?? '', output: '20 °C' };
    const input: any[] = [{ role: 'user', content: question }, ...first.output, result];
    const second = await responses.create({ model, input, tools: [weather] });
    expect(second.output_text).toBe('It is sunny in Paris.');
  });

  it('from the previous response, by its id', async () => {
    const world = await startWorld({ replies: { fixtures: weatherReplies } });
    const { responses } = openaiOf(world);
    const first = await responses.create({ model, input: question, tools: [weather] });
    const call = first.output.find((item) => item.type === 'function_call');
    const second = await responses.create({
      model,
      previous_response_id: first.id,
      input: [{ type: 'function_call_output', call_id: call?.call_id ?? '', output: '20 °C' }],
      tools: [weather],
    });
    expect(second).toMatchObject({ output_text: 'It is sunny in Paris.', previous_response_id: first.id });
  });

  it.each([
    ['which was not stored', { store: false }],
    ['which was streamed', { store: true, stream: true as const }],
  ])('from the one before, %s', async (_, how) => {
    const world = await startWorld();
    const { responses } = openaiOf(world);
    const first: any = await responses.create({ model, input: 'ping', ...how } as any);
    let id = first.id;
    if ('stream' in how)
      for await (const event of first) if (event.type === 'response.completed') id = event.response.id;
    const second = responses.create({ model, input: 'And?', previous_response_id: id });
    if ('stream' in how) expect((await second).output_text).toContain('You said "And?"');
    else await expect(second).rejects.toMatchObject({ status: 400, param: 'previous_response_id' });
  });

  it('never from a response of another organization', async () => {
    const world = await startWorld();
    const { id } = await openaiOf(world).responses.create({ model, input: 'ping' });
    const stranger = openaiOf(world, { apiKey: world.controls.organizations.create().apiKey });
    const asked = stranger.responses.create({ model, input: 'And?', previous_response_id: id });
    await expect(asked).rejects.toMatchObject({ status: 400, param: 'previous_response_id' });
  });
});

it('a response holds JSON that fits a schema', async () => {
  const world = await startWorld();
  const properties = { city: { type: 'string' } };
  const schema = { type: 'object', properties, required: ['city'], additionalProperties: false };
  const response = await openaiOf(world).responses.parse({
    model,
    input: 'Where?',
    text: { format: { type: 'json_schema', name: 'place', schema, strict: true } },
  });
  expect(response.output_parsed).toEqual({ city: 'city' });
});

it('a response is incomplete when its tokens do not suffice', async () => {
  const world = await startWorld();
  const { responses } = openaiOf(world);
  const params = { model, input: 'Tell me everything', max_output_tokens: 16 };
  const whole = await responses.create(params);
  expect(whole).toMatchObject({
    status: 'incomplete',
    incomplete_details: { reason: 'max_output_tokens' },
    output: [{ status: 'incomplete' }],
    usage: { output_tokens: 16 },
  });
  const streamed = await responses.stream(params).finalResponse();
  expect(streamed).toMatchObject({ status: 'incomplete', output_text: whole.output_text });
});

it('a response returns a refusal with the model’s text', async () => {
  const world = await startWorld();
  world.controls.replies.add({ refusal: 'I will not.', times: 2 });
  const { responses } = openaiOf(world);
  const content = [{ type: 'refusal', refusal: 'I will not.' }];
  expect((await responses.create({ model, input: 'Do' })).output).toMatchObject([{ content }]);
  expect((await responses.stream({ model, input: 'Do' }).finalResponse()).output).toMatchObject([{ content }]);
});

it('a response warns about unsupported tools', async () => {
  const world = await startWorld();
  const { response } = await openaiOf(world)
    .responses.create({ model, input: 'ping', tools: [{ type: 'web_search' }] })
    .withResponse();
  expect(response.headers.get('x-emulator-warning')).toContain('web_search');
});
