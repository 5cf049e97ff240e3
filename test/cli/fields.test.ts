// The input of a control operation, as flags: read from its schemas, and written back as the control operation wants it.

import { expect, it } from 'vitest';
import * as z from 'zod';
import { controlOperations } from '../../src/app/controls.js';
import { target, withValues } from '../../src/cli/command.js';
import { fieldsOf, inputOf } from '../../src/cli/fields.js';
import type { ControlOperation } from '../../src/control/operation.js';
import { expectAll } from '../support/matrix.js';

const declaring = (declared: Partial<ControlOperation>) => declared as ControlOperation;
const body = (shape: z.ZodRawShape) => fieldsOf(declaring({ body: z.object(shape) }));
const sent = (shape: z.ZodRawShape, values: Record<string, unknown>) => inputOf(body(shape), values, undefined).body;

it('the fields of each command have names of their own', () => {
  const withCommand = controlOperations.flatMap((one) =>
    one.commands.map((spec) => [spec.line, { one, spec }] as const),
  );
  return expectAll(withCommand, ({ one, spec }) => {
    const names = fieldsOf(one, spec).map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(Object.keys(target)).not.toContain(name);
  });
});

it('the flags of a command come from path, query and body, and what is nested is under its last name', () => {
  const fields = fieldsOf(
    declaring({
      params: z.object({ id: z.string() }),
      query: z.object({ dryRun: z.boolean().optional() }),
      body: z.object({ effect: z.strictObject({ retryAfter: z.int().min(0).max(60).describe('Seconds') }).optional() }),
    }),
  );
  expect(fields.map(({ name, place, path }) => [name, place, path.join('.')])).toEqual([
    ['id', 'params', 'id'],
    ['dry-run', 'query', 'dryRun'],
    ['retry-after', 'body', 'effect.retryAfter'],
  ]);
  expect(fields.map(({ flag }) => flag)).toEqual([
    { type: 'string', describe: 'Id' },
    { type: 'boolean', describe: 'DryRun' },
    { type: 'number', describe: 'Seconds; 0 to 60', most: 60 },
  ]);
  expect(inputOf(fields, { id: 'a', 'dry-run': true, 'retry-after': 5 }, undefined)).toEqual({
    params: { id: 'a' },
    query: { dryRun: 'true' },
    body: { effect: { retryAfter: 5 } },
  });
});

it('the flags of a command name the number that holds where none is given', () => {
  const shape = { limit: z.int().min(1).max(9).default(5), name: z.string().default('x') };
  expect(body(shape).map(({ flag }) => flag.byDefault)).toEqual(['5', undefined]);
});

it('the flags of a command come from the parts of a union of objects, and leave one with a short form alone', () => {
  const either = z.union([z.object({ set: z.number() }), z.object({ add: z.number() })]);
  expect(fieldsOf(declaring({ body: either })).map(({ name }) => name)).toEqual(['set', 'add']);
  const clock = z.object({ clock: z.union([z.string(), z.object({ start: z.string(), frozen: z.boolean() })]) });
  expect(fieldsOf(declaring({ body: clock })).map(({ name }) => name)).toEqual(['clock']);
  const opened = fieldsOf(declaring({ body: clock }), { names: { 'clock.start': 'clock' } });
  expect(opened.map(({ name, path }) => [name, path.join('.')])).toEqual([
    ['clock', 'clock.start'],
    ['frozen', 'clock.frozen'],
  ]);
});

it('two fields of one name are refused as flags', () => {
  const twice = { a: z.object({ x: z.string() }), b: z.object({ x: z.string() }) };
  expect(() => body(twice)).toThrow('a.x and b.x are both called --x');
});

it('a flag writes each kind of value as it is meant', () => {
  const word = z.union([z.string(), z.number()]);
  const shape = {
    text: z.string(),
    word,
    when: z.string().nullable(),
    count: z.number(),
    list: z.array(z.string()),
    some: z.union([word, z.array(word)]),
    table: z.record(z.string(), z.string()),
    any: z.unknown(),
  };
  expect(sent(shape, { text: '42', word: '42', when: 'null', count: 7 })).toEqual({
    text: '42',
    word: 42,
    when: null,
    count: 7,
  });
  expect(sent(shape, { word: '007', list: 'a', some: '200, 4xx' })).toEqual({
    word: '007',
    list: ['a'],
    some: [200, '4xx'],
  });
  expect(sent(shape, { some: 'running', table: '{"a": "b"}', any: '{"c": [1]}' })).toEqual({
    some: 'running',
    table: { a: 'b' },
    any: { c: [1] },
  });
  expect(sent(shape, { any: 'plain' })).toEqual({ any: 'plain' });
});

it('flags are laid over a document', () => {
  const fields = body({ match: z.object({ path: z.string(), method: z.string() }) });
  expect(inputOf(fields, { path: '/b' }, { match: { path: '/a', method: 'GET' }, x: 1 }).body).toEqual({
    match: { path: '/b', method: 'GET' },
    x: 1,
  });
});

it('the values of an option are named once: in its description, or after it', () => {
  expect(withValues('before: instead of it; after: once it is done', ['before', 'after'])).not.toContain('one of');
  expect(withValues('Plan; by default free', ['free', 'pro'])).toBe('Plan; by default free; one of free, pro');
  expect(withValues('unclear fails, not-exercised too', ['exercised'])).toContain('one of exercised');
  const [field] = body({ mode: z.enum(['a', 'b']).optional() });
  expect(field?.flag.describe).toBe('Mode; one of a, b');
});
