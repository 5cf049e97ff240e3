// Replies that conform to the schema of a request, as clients get them: checked by a validator of JSON Schema.

import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { ApiError } from '../../../src/core/errors.js';
import type { EmulatorWorld } from '../../../src/index.js';
import { sampleOf } from '../../../src/platform/models/speaker.js';
import { call, startWorld } from '../../support/emulator.js';
import { madeSchema } from '../../support/made-schemas.js';
import { zodShapes } from '../../support/zod-shapes.js';

const settings = {
  rateLimits: { enabled: false },
  prices: { inputTokens: 0, outputTokens: 0 },
  models: { maxTokens: 100_000 },
};
const model = 'plain';
const ajv = new Ajv2020({ strict: false, validateFormats: false, ownProperties: true });

type Ask = (world: EmulatorWorld, schema: unknown, strict: boolean) => Promise<unknown>;
const messages = [{ role: 'user', content: 'Hello' }];
const chat = '/api/v1/chat/completions';
const responses = '/api/v1/responses';

/** The texts of all events of a stream, in the order in which they came. */
async function streamed(world: EmulatorWorld, path: string, body: object): Promise<any[]> {
  const headers = { authorization: `Bearer ${world.apiKey}` };
  const answer = await world.fetch(path, { method: 'POST', headers, body: JSON.stringify({ ...body, stream: true }) });
  const text = await answer.text();
  expect(answer.status, text).toBe(200);
  return [...text.matchAll(/^data: (\{.*)$/gm)].map(([, data = '']) => JSON.parse(data));
}

async function whole(world: EmulatorWorld, path: string, body: object): Promise<any> {
  const { status, body: answer } = await call(world, 'POST', path, body);
  expect(status, JSON.stringify(answer)).toBe(200);
  return answer;
}

const chatBody = (schema: unknown, strict: boolean): object => ({
  model,
  messages,
  response_format: { type: 'json_schema', json_schema: { name: 'it', schema, strict } },
});
const chatTool = (parameters: unknown, strict: boolean): object => ({
  model,
  messages,
  tools: [{ type: 'function', function: { name: 'use', parameters, strict } }],
  tool_choice: { type: 'function', function: { name: 'use' } },
});
const responseBody = (schema: unknown, strict: boolean): object => ({
  model,
  input: 'Hello',
  text: { format: { type: 'json_schema', name: 'it', schema, strict } },
});
const responseTool = (parameters: unknown, strict: boolean): object => ({
  model,
  input: 'Hello',
  tools: [{ type: 'function', name: 'use', parameters, strict }],
  tool_choice: 'required',
});
const joined = (events: any[], pick: (event: any) => string | undefined): unknown =>
  JSON.parse(events.map((event) => pick(event) ?? '').join(''));

const ways: Record<string, Ask> = {
  chat: async (world, schema, strict) =>
    JSON.parse((await whole(world, chat, chatBody(schema, strict))).choices[0].message.content),
  'a stream of chat': async (world, schema, strict) =>
    joined(await streamed(world, chat, chatBody(schema, strict)), (event) => event.choices[0]?.delta.content),
  'a tool call of chat': async (world, schema, strict) =>
    JSON.parse(
      (await whole(world, chat, chatTool(schema, strict))).choices[0].message.tool_calls[0].function.arguments,
    ),
  'a streamed tool call of chat': async (world, schema, strict) =>
    joined(
      await streamed(world, chat, chatTool(schema, strict)),
      (event) => event.choices[0]?.delta.tool_calls?.[0].function.arguments,
    ),
  responses: async (world, schema, strict) =>
    JSON.parse((await whole(world, responses, responseBody(schema, strict))).output[0].content[0].text),
  'a stream of responses': async (world, schema, strict) =>
    joined(await streamed(world, responses, responseBody(schema, strict)), ({ type, delta }) =>
      type === 'response.output_text.delta' ? delta : undefined,
    ),
  'a tool call of responses': async (world, schema, strict) =>
    JSON.parse((await whole(world, responses, responseTool(schema, strict))).output[0].arguments),
  'a streamed tool call of responses': async (world, schema, strict) =>
    joined(await streamed(world, responses, responseTool(schema, strict)), ({ type, delta }) =>
      type === 'response.function_call_arguments.delta' ? delta : undefined,
    ),
};
const asks = Object.entries(ways);

const twoNames = { type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } } };
function oneOf(...required: string[][]): object {
  return { ...twoNames, oneOf: required.map((names) => ({ required: names })) };
}
function largePatterns(count: number): object {
  const pattern = (n: number) => ({ type: 'string', pattern: `^(?:\\p{L}?\\p{N}?){190}${n}` });
  const properties = Object.fromEntries(Array.from({ length: count }, (_, n) => [`p${n}`, pattern(n)]));
  return { type: 'object', properties, required: Object.keys(properties) };
}

function wrongs(schema: object, value: unknown, way: string): string[] {
  return ajv.validate(schema, value)
    ? []
    : [`${way}: ${ajv.errorsText()}: ${JSON.stringify(value)} for ${JSON.stringify(schema)}`];
}

it(`a reply conforms to ${500} schemas that values have, or the schema is refused, which few are`, async () => {
  const world = await startWorld(settings);
  const found: string[] = [];
  let refused = 0;
  for (let number = 0; number < 500; number++) {
    const { schema, value } = madeSchema('42', number);
    expect(ajv.validate(schema, value), ajv.errorsText()).toBe(true);
    const [way, ask] = asks[number % asks.length] ?? ['', async () => undefined];
    if (isRefused(schema)) refused++;
    else found.push(...wrongs(schema, await ask(world, schema, false), way));
  }
  expect(found).toEqual([]);
  expect(refused).toBeLessThanOrEqual(500 / 50);
});

// Values are made without regard to rare words, such as what a list must not contain.
function isRefused(schema: unknown): boolean {
  try {
    sampleOf({ schema, field: 'schema' }, 0);
    return false;
  } catch (error) {
    if (error instanceof ApiError) return true;
    throw error;
  }
}

describe.each(asks)('%s', (way, ask) => {
  it('a reply conforms to whatever zod can ask for', async () => {
    const world = await startWorld(settings);
    const schema = z.toJSONSchema(z.object(zodShapes), { io: 'output' });
    expect(wrongs(schema, await ask(world, schema, false), way)).toEqual([]);
  });

  it.each(Object.entries(guide()))('a reply conforms to an example of the guide of OpenAI: %s', async (_, schema) => {
    const world = await startWorld(settings);
    const value = await ask(world, schema, true);
    expect(wrongs(schema, value, way)).toEqual([]);
    expect(JSON.stringify(value).length).toBeGreaterThan(30);
  });
});

/** The strict schemas of OpenAI's guide to structured outputs. */
function guide(): Record<string, object> {
  const strict = (properties: object): object => ({
    type: 'object',
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  });
  const text = { type: 'string' };
  return {
    'a user interface that contains itself': {
      ...strict({
        type: { type: 'string', enum: ['div', 'button', 'header', 'section', 'field', 'form'] },
        label: text,
        children: { type: 'array', items: { $ref: '#' } },
        attributes: { type: 'array', items: strict({ name: text, value: text }) },
      }),
    },
    'a linked list': {
      ...strict({ linked_list: { $ref: '#/$defs/linked_list_node' } }),
      $defs: {
        linked_list_node: strict({
          value: { type: 'number' },
          next: { anyOf: [{ $ref: '#/$defs/linked_list_node' }, { type: 'null' }] },
        }),
      },
    },
    'steps of mathematics': {
      ...strict({ steps: { type: 'array', items: { $ref: '#/$defs/step' } }, final_answer: text }),
      $defs: { step: strict({ explanation: text, output: text }) },
    },
    'an object of two kinds': strict({
      item: {
        anyOf: [strict({ name: text, age: { type: 'number' } }), strict({ number: text, street: text, city: text })],
      },
    }),
    bounds: strict({
      username: { type: 'string', pattern: '^@[a-zA-Z0-9_]+$' },
      email: { type: 'string', format: 'email' },
      temperature: { type: 'number', minimum: -130, maximum: 130, multipleOf: 0.1 },
      tags: { type: 'array', items: text, minItems: 2, maxItems: 3 },
      unit: { type: ['string', 'null'], enum: ['F', 'C'] },
    }),
  };
}

const plain = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: false };

describe('a strict schema is refused as OpenAI refuses it', () => {
  const inA = (a: object): object => ({ ...plain, properties: { a } });
  it.each<[string, object | undefined, string, string]>([
    [
      'without additionalProperties',
      { ...plain, additionalProperties: undefined },
      '.additionalProperties',
      'must be false',
    ],
    ['with an optional property', { ...plain, required: [] }, '.required', '"a" is missing'],
    ['an array', { type: 'array', items: plain }, '.type', 'must be "object"'],
    ['a union at the top', { ...plain, anyOf: [plain] }, '.anyOf', 'must not stand at the top'],
    ['allOf', inA({ allOf: [{ type: 'string' }] }), '.properties.a.allOf', 'is not permitted'],
    [
      'a record',
      inA({ type: 'object', additionalProperties: { type: 'string' } }),
      '.properties.a.additionalProperties',
      'must be false',
    ],
    ['a format', inA({ type: 'string', format: 'uri' }), '.properties.a.format', 'must be one of date-time'],
    ['no type', inA({ description: 'Anything' }), '.properties.a.type', 'is required'],
    [
      'words beside a reference',
      inA({ type: 'array', items: { $ref: '#', description: 'Itself' } }),
      '.properties.a.items.description',
      'beside $ref',
    ],
    ['many values', inA({ enum: Array.from({ length: 1_001 }, (_, n) => n) }), '.properties.a.enum', '1000 values'],
    ['none', undefined, '', 'is required'],
  ])('%s', async (_, schema, path, message) => {
    const world = await startWorld(settings);
    const bodies: [string, object, string][] = [
      [chat, chatBody(schema, true), 'response_format.json_schema.schema'],
      [responses, responseBody(schema, true), 'text.format.schema'],
      ...(schema === undefined
        ? []
        : ([[chat, chatTool(schema, true), 'tools[0].function.parameters']] as [string, object, string][])),
    ];
    for (const [operation, body, field] of bodies) {
      const { status, body: answer } = await call(world, 'POST', operation, body);
      expect(status).toBe(400);
      expect(answer.error.details).toMatchObject([{ path: field + path, message: expect.stringContaining(message) }]);
    }
    // Other servers take them, and so do those who do not say strict.
    if (schema !== undefined && path !== '.type')
      expect((await call(world, 'POST', chat, chatBody(schema, false))).status).toBe(200);
  });

  it('and words that its guide does not name are reported', async () => {
    const world = await startWorld(settings);
    const { status, headers } = await call(world, 'POST', chat, chatBody(inA({ type: 'string', minLength: 3 }), true));
    expect(status).toBe(200);
    expect(decodeURIComponent(headers.get('x-emulator-warning') ?? '')).toContain('minLength');
    const list = await call(world, 'POST', chat, chatBody({ type: 'array', items: plain }, false));
    expect(list.status).toBe(200);
    expect(decodeURIComponent(list.headers.get('x-emulator-warning') ?? '')).toContain(
      'only schemas of type: "object"',
    );
  });
});

it.each([
  ['exactly one of two names', oneOf(['a'], ['b'])],
  ['one name and never both', { ...twoNames, not: { required: ['a', 'b'] } }],
  ['a name that forbids another', { ...twoNames, required: ['a'], not: { required: ['b'] } }],
  ['capitals and small letters of any language', { type: 'string', pattern: '^\\p{Lu}\\p{Ll}+$' }],
  ['letters in a set', { type: 'string', pattern: '^\\p{Lu}[\\p{L}-]+$' }],
  ['a hundred different numbers', { type: 'array', minItems: 100, uniqueItems: true, items: { type: 'integer' } }],
])('a value is made for %s', (_, schema) => {
  expect(wrongs(schema, sampleOf({ schema, field: 'schema' }, 0), 'sample')).toEqual([]);
});

it.each([
  ['very long patterns', { type: 'string', pattern: `^${'a?'.repeat(500_000)}` }],
  ['many large patterns', largePatterns(300)],
])('%s are refused before they cost much', (_, schema) => {
  const before = process.cpuUsage();
  expect(isRefused(schema)).toBe(true);
  const { user, system } = process.cpuUsage(before);
  // A second is ten times what it takes; it took 1.6 and 3.5.
  expect((user + system) / 1_000).toBeLessThan(1_000);
});

it('a refusal says which part of a schema cannot be met, for tools that must be called and not for those that may', async () => {
  const world = await startWorld(settings);
  const parameters = {
    type: 'object',
    properties: { a: { type: 'integer', minimum: 3, maximum: 2 } },
    required: ['a'],
  };
  const refused = await call(world, 'POST', chat, chatTool(parameters, false));
  expect(refused.status).toBe(400);
  expect(refused.body.error.details).toMatchObject([{ path: 'tools[0].function.parameters.properties.a' }]);
  const offered = await call(world, 'POST', chat, { ...chatTool(parameters, false), tool_choice: 'auto' });
  expect(offered.status).toBe(200);
});
