// Values that fit a JSON Schema, and schemas that are none.

import { Ajv2020 } from 'ajv/dist/2020.js';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { ApiError } from '../../../src/core/errors.js';
import { sampleOf } from '../../../src/platform/models/speaker.js';
import { zodShapes } from '../../support/zod-shapes.js';

const now = Date.parse('2026-01-01T00:00:00Z');

const sample = (schema: unknown): unknown => sampleOf({ schema, field: 'schema' }, now);
const ajv = new Ajv2020({ strict: false, validateFormats: false, ownProperties: true });

describe('what conforms', () => {
  it.each(Object.entries(zodShapes))('%s: the sample', (name, shape) => {
    const schema = z.toJSONSchema(z.object({ it: shape }), { io: 'input' });
    const value = sample(schema);
    expect(ajv.validate(schema, value), ajv.errorsText()).toBe(true);
    // The sample cannot ask for what zod does not say in JSON Schema.
    if (!unsaid.has(name)) expect(z.object({ it: shape }).safeParse(value).error?.issues ?? []).toEqual([]);
    expect(sample(schema)).toEqual(value);
  });
});

const unsaid = new Set(['pipe', 'string as a boolean', 'jwt']);

it('a sample names texts after where they are, and prefers what the schema gives as an example', () => {
  const schema = {
    type: 'object',
    properties: {
      city: { type: 'string' },
      unit: { default: 'C' },
      days: { examples: [3] },
      at: { $ref: '#/$defs/at' },
    },
    $defs: { at: { type: 'string', format: 'date' } },
  };
  expect(sample(schema)).toEqual({ city: 'city', unit: 'C', days: 3, at: '2026-01-01' });
});

describe('refuses what cannot be met, and says which part', () => {
  it.each<[string, unknown, string, string]>([
    ['a text', 'string', 'schema', 'must be a schema'],
    [
      'itself as nothing else',
      { type: 'object', properties: { a: { $ref: '#' } }, required: ['a'] },
      'schema.properties.a',
      '100 levels',
    ],
    ['a reference to nowhere', { $ref: '#/$defs/none' }, 'schema.$ref', 'must refer to a part of the same schema'],
    ['a reference to elsewhere', { $ref: 'https://example.com/x' }, 'schema.$ref', 'must refer to'],
    ['lists without end', { type: 'array', minItems: 1e9, items: {} }, 'schema.minItems', 'asks for too much'],
    ['texts without end', { type: 'string', minLength: 1e12 }, 'schema.minLength', 'asks for too much'],
    ['no value', { properties: { a: false }, required: ['a'], type: 'object' }, 'schema.properties.a', 'is false'],
    ['bounds', object({ a: { type: 'integer', minimum: 3, maximum: 2 } }), 'schema.properties.a', 'exclude each other'],
    ['types', object({ a: { allOf: [{ type: 'string' }, { type: 'null' }] } }), 'schema.properties.a', 'no type'],
    ['lengths', object({ a: { type: 'string', minLength: 3, maxLength: 2 } }), 'schema.properties.a', '3 characters'],
    ['a wrong word', object({ a: { type: 'text' } }), 'schema.properties.a.type', 'must be one of object'],
    ['a wrong list', { type: 'object', required: 'all' }, 'schema.required', 'must be a list of names'],
    ['a wrong number', { minimum: 'x' }, 'schema.minimum', 'must be a number'],
    ['a wrong pattern', { type: 'string', pattern: '(' }, 'schema.pattern', 'must be a regular expression'],
    // OpenAI refuses them, too.
    [
      'a pattern that looks ahead',
      { type: 'string', pattern: '^(?=.*[A-Z]).{8,20}$' },
      'schema.pattern',
      'looking around',
    ],
    [
      'a pattern that refers back',
      { type: 'string', pattern: '^([\'"])\\w+\\1$' },
      'schema.pattern',
      'looking around or back',
    ],
    ['a word that is not supported', { $dynamicRef: '#' }, 'schema.$dynamicRef', 'does not support'],
    [
      'a word that is only proved',
      { type: 'string', not: { type: 'string' } },
      'schema.not',
      'without regard to this word',
    ],
    ['steps of nothing', { type: 'number', multipleOf: 0 }, 'schema.multipleOf', 'must be a number above 0'],
  ])('%s', (_, schema, path, message) => {
    expect(refusal(schema)).toMatchObject([{ path, message: expect.stringContaining(message) }]);
  });

  it.each<[string, unknown]>([
    ['itself, many times over', { type: 'object', properties: many('#'), required: Object.keys(many('#')) }],
    ['a tree of two branches', { $ref: '#/$defs/d0', $defs: doubling(40) }],
    ['a copied constant', object(repeated({ const: 'x'.repeat(10_000) }))],
    [
      'a pattern that goes back and forth',
      { type: 'string', pattern: '^(a|a)*b$', not: { pattern: '^b|ab$' }, minLength: 60 },
    ],
    ['200,000 choices', { allOf: Array.from({ length: 60_000 }, () => ({ anyOf: [{ minLength: 1 }] })) }],
  ])('%s', (_, schema) => {
    expect(refusal(schema)).toMatchObject([{ path: expect.stringMatching(/^schema/), message: expect.any(String) }]);
  });
});

describe('is soon done with', () => {
  it.each<[string, unknown]>([
    ['itself as all that it is', { $ref: '#' }],
    ['all of itself', { allOf: Array.from({ length: 20 }, () => ({ $ref: '#' })), required: manyNames(2_000) }],
    ['any of itself', { anyOf: [{ $ref: '#' }] }],
    ['a thousand parts', { allOf: Array.from({ length: 20_000 }, () => ({})) }],
    ['a tree that need not be one', { $ref: '#/$defs/d0', $defs: doubling(40, { type: 'null' }) }],
    ['one pointer of slashes', object(repeated({ $ref: `#${'/'.repeat(2_000)}` }), { '': nestedEmpty(150) })],
  ])('%s', (_, schema) => {
    const { answered, problems } = tried(schema);
    expect(answered !== undefined || problems !== undefined).toBe(true);
  });

  it('anything', () => {
    const word = fc.constantFrom(
      'type',
      'properties',
      'items',
      'required',
      '$ref',
      'anyOf',
      'allOf',
      'minimum',
      'format',
    );
    const { schema } = fc.letrec((tie) => ({
      schema: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom('#', 'object', 'array', 'integer', 5, -1, null, true, '#/properties/type', 'a'),
        fc.dictionary(word, tie('schema')),
        fc.array(tie('schema'), { maxLength: 3 }),
      ),
    }));
    fc.assert(fc.property(schema, (value) => void tried(value)));
  });
});

function many(target: string): Record<string, object> {
  return Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`p${i}`, { $ref: target }]));
}

function manyNames(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `name${i}`);
}

function repeated(schema: object): Record<string, object> {
  return Object.fromEntries(manyNames(400).map((name) => [name, { ...schema }]));
}

function object(properties: Record<string, unknown>, more: object = {}): object {
  return { type: 'object', properties, required: Object.keys(properties), ...more };
}

function nestedEmpty(levels: number): object {
  return levels === 0 ? {} : { '': nestedEmpty(levels - 1) };
}

// Each part has two of the next.
function doubling(levels: number, or?: object): Record<string, object> {
  const part = (n: number): object => {
    const next = { $ref: `#/$defs/d${n + 1}` };
    return or === undefined ? next : { anyOf: [next, or] };
  };
  return Object.fromEntries(
    Array.from({ length: levels + 1 }, (_, n) => [
      `d${n}`,
      n === levels ? { type: 'string' } : object({ a: part(n), b: part(n) }),
    ]),
  );
}

function tried(schema: unknown): { answered?: unknown; problems?: unknown } {
  try {
    return { answered: sample(schema) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { problems: error.options.details };
  }
}

function refusal(schema: unknown): unknown {
  const { answered, problems } = tried(schema);
  expect(answered).toBeUndefined();
  return problems;
}
