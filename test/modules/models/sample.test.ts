// Values that fit a JSON Schema, and schemas that are none.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { sampleOf } from '../../../src/modules/models/sample.js';

const now = Date.parse('2026-01-01T00:00:00Z');

describe('what fits', () => {
  const schemas: [string, z.ZodType][] = [
    ['plain things', z.object({ name: z.string(), age: z.int(), ok: z.boolean(), nothing: z.null() })],
    ['bounds', z.object({ a: z.number().min(5), b: z.int().max(-3), c: z.number().gt(10), d: z.number().lt(0) })],
    ['steps', z.object({ a: z.number().multipleOf(0.25), b: z.int().min(7).multipleOf(5) })],
    ['lengths', z.object({ a: z.string().min(20), b: z.string().max(1), c: z.array(z.string()).min(3) })],
    ['choices', z.object({ a: z.enum(['x', 'y']), b: z.literal('z'), c: z.union([z.int(), z.string()]) })],
    ['what may be left out', z.object({ a: z.string().optional(), deep: z.object({ b: z.int().optional() }) })],
    ['times and addresses', z.object({ at: z.iso.datetime(), mail: z.email(), id: z.uuid(), url: z.url() })],
    ['lists in lists', z.array(z.array(z.object({ a: z.int() })))],
    ['tuples', z.tuple([z.string(), z.int()])],
    ['records', z.record(z.string(), z.int())],
    ['intersections', z.intersection(z.object({ a: z.int() }), z.object({ b: z.string() }))],
  ];
  it.each(schemas)('%s', (_, schema) => {
    const value = sampleOf(z.toJSONSchema(schema), now);
    expect(schema.safeParse(value).error?.issues ?? []).toEqual([]);
    expect(sampleOf(z.toJSONSchema(schema), now)).toEqual(value);
  });

  it('itself', () => {
    interface Tree {
      name: string;
      children: Tree[];
    }
    const tree: z.ZodType<Tree> = z.lazy(() => z.object({ name: z.string(), children: z.array(tree) }));
    expect(tree.safeParse(sampleOf(z.toJSONSchema(tree), now)).success).toBe(true);
  });
});

it('names texts after where they stand, and prefers what the schema gives as an example', () => {
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
  expect(sampleOf(schema, now)).toEqual({ city: 'city', unit: 'C', days: 3, at: '2026-01-01' });
});

describe('survives', () => {
  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['a text', 'string'],
    ['itself as all that it is', { $ref: '#' }],
    ['itself, many times over', { type: 'object', properties: many('#'), required: Object.keys(many('#')) }],
    ['a reference to nowhere', { $ref: '#/$defs/none' }],
    ['a reference to elsewhere', { $ref: 'https://example.com/schema' }],
    ['all of itself', { allOf: [{ $ref: '#' }, { $ref: '#' }] }],
    ['any of itself', { anyOf: [{ $ref: '#' }] }],
    ['lists without end', { type: 'array', minItems: 1e9, items: { $ref: '#' } }],
    ['texts without end', { type: 'string', minLength: 1e12 }],
    ['a thousand parts', { allOf: Array.from({ length: 200_000 }, () => ({})) }],
    ['steps of nothing', { type: 'number', multipleOf: 0, minimum: Number.MAX_VALUE }],
    ['wrong words', { type: 7, properties: [], required: 'all', enum: {}, anyOf: 'x', items: 5, minItems: 'x' }],
  ])('%s', (_, schema) => {
    expect(JSON.stringify(sampleOf(schema, now) ?? null).length).toBeLessThan(400_000);
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
    fc.assert(fc.property(schema, (value) => void JSON.stringify(sampleOf(value, now))));
  });
});

function many(target: string): Record<string, object> {
  return Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`p${i}`, { $ref: target }]));
}
