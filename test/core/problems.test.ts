// The words of a schema: where, what was meant, what came, the nearest right one.

import { expect, describe as group, it } from 'vitest';
import * as z from 'zod';
import { describe, pathText, problemsOf } from '../../src/core/problems.js';
import { keysAt } from '../../src/core/schema-parts.js';

const schema = z.strictObject({
  name: z.string().min(1).max(5).optional(),
  kind: z.enum(['spot', 'fixed']).optional(),
  one: z.literal('x').optional(),
  count: z.int().min(1).max(9).optional(),
  flag: z.boolean().optional(),
  list: z
    .array(z.object({ id: z.number() }))
    .min(2)
    .max(3)
    .optional(),
  none: z.array(z.string()).min(1).optional(),
  when: z.iso.datetime({ offset: true }).optional(),
  id: z.uuid().optional(),
  link: z.url({ protocol: /^https?$/ }).optional(),
  code: z
    .string()
    .regex(/^[a-z]+$/)
    .optional(),
  either: z
    .union([z.enum(['fast', 'slow']), z.strictObject({ ms: z.number(), pause: z.union([z.string(), z.number()]) })])
    .optional(),
  some: z.union([z.enum(['one', 'two']), z.array(z.string()).min(1).max(2)]).optional(),
  mail: z.email().optional(),
  map: z.record(z.string(), z.number()).optional(),
  own: z
    .string()
    .refine((text) => text !== 'bad', { message: 'must not be bad' })
    .optional(),
});

function problems(input: unknown, isSecret?: (path: readonly PropertyKey[]) => boolean) {
  const result = schema.safeParse(input);
  return result.success ? [] : problemsOf(result.error.issues, input, schema, isSecret);
}

it.each([
  [{ name: 5 }, 'name', 'must be a string', '5'],
  [{ name: '' }, 'name', 'must not be empty', '""'],
  [{ name: 'abcdef' }, 'name', 'must be at most 5 characters long', '"abcdef"'],
  [{ kind: 'x' }, 'kind', 'must be one of spot, fixed', '"x"'],
  [{ one: 'y' }, 'one', 'must be x', '"y"'],
  [{ count: '1' }, 'count', 'must be a number', '"1"'],
  [{ count: 1.5 }, 'count', 'must be a whole number', '1.5'],
  [{ count: 0 }, 'count', 'must be at least 1', '0'],
  [{ count: 10 }, 'count', 'must be at most 9', '10'],
  [{ count: Number.NaN }, 'count', 'must be a number', 'NaN'],
  [{ flag: 'yes' }, 'flag', 'must be true or false', '"yes"'],
  [{ list: {} }, 'list', 'must be a list', 'an object'],
  [{ list: [] }, 'list', 'must have at least 2 entries', 'a list of 0'],
  [{ none: [] }, 'none', 'must not be empty', 'a list of 0'],
  [{ list: [{ id: 1 }, { id: 'x' }] }, 'list[1].id', 'must be a number', '"x"'],
  [{ list: [{ id: 1 }, {}] }, 'list[1].id', 'is required', 'nothing'],
  [{ when: 'soon' }, 'when', 'must be an ISO 8601 time with its zone, such as 2026-01-31T12:00:00Z', '"soon"'],
  [{ id: 'x' }, 'id', 'must be a UUID', '"x"'],
  [{ link: 'x' }, 'link', 'must be a URL that begins with http:// or https://', '"x"'],
  [{ code: 'X' }, 'code', 'must match /^[a-z]+$/', '"X"'],
  [{ some: 'three' }, 'some', 'must be one of one, two, or a list', '"three"'],
  [{ some: '' }, 'some', 'must be one of one, two, or a list', '""'],
  [{ some: ['a', 'b', 'c'] }, 'some', 'must have at most 2 entries', 'a list of 3'],
  [{ mail: 'ada' }, 'mail', 'must be an e-mail address, such as ada@example.test', '"ada"'],
  [{ either: 5 }, 'either', 'must be one of fast, slow, or an object', '5'],
  [{ either: { ms: 'x', pause: 1 } }, 'either.ms', 'must be a number', '"x"'],
  [{ either: { ms: 1 } }, 'either.pause', 'is required', 'nothing'],
  [{ map: { a: 'x' } }, 'map.a', 'must be a number', '"x"'],
  [{ own: 'bad' }, 'own', 'must not be bad', '"bad"'],
  [null, '(whole)', 'must be an object', 'null'],
])('the problem of %j is that %s %s', (input, path, message, received) => {
  expect(problems(input)).toMatchObject([{ path, message, received }]);
  expect(problems(input)[0]?.suggestion).toBeUndefined();
});

group('the nearest right one', () => {
  it.each([
    [{ nmae: 'x' }, 'nmae', 'name'],
    [{ pause: 1 }, 'pause', 'either.pause'],
    [{ kind: 'fixd' }, 'kind', 'fixed'],
    [{ either: 'fasst' }, 'either', 'fast'],
    [{ either: { ms: 1, pause: 1, pausse: 1 } }, 'either.pausse', 'pause'],
    [{ xyz: 1 }, 'xyz', undefined],
  ])('is suggested in the problem of %j', (input, path, suggestion) => {
    expect(problems(input)).toMatchObject([{ path, suggestion }]);
  });
});

it('a refusal reports each problem', () => {
  expect(
    problems({ count: 0, flag: 1, oops: 1 })
      .map(({ path }) => path)
      .sort(),
  ).toEqual(['count', 'flag', 'oops']);
});

it('a refusal reports one problem a field: the first', () => {
  const twice = z.object({
    name: z
      .string()
      .refine(() => false, { message: 'is bad' })
      .refine(() => false, { message: 'is worse' }),
  });
  const input = { name: 'x' };
  const issues = twice.safeParse(input).error?.issues ?? [];
  expect(issues).toHaveLength(2);
  expect(problemsOf(issues, input, twice)).toMatchObject([{ path: 'name', message: 'is bad' }]);
});

it('a refusal never repeats a secret', () => {
  const [problem] = problems({ name: 'hunter2' }, ([first]) => first === 'name');
  expect(problem?.received).toBe('a string of 7 characters');
  expect(JSON.stringify(problem)).not.toContain('hunter2');
});

it.each([
  [undefined, 'nothing'],
  [null, 'null'],
  ['a"b', '"a\\"b"'],
  ['x'.repeat(61), `"${'x'.repeat(57)}"… (61 characters)`],
  ['😀'.repeat(40), `"${'😀'.repeat(40)}"… (40 characters)`],
  [[1, 2], 'a list of 2'],
  [{}, 'an object'],
  [() => 1, 'a function'],
  [true, 'true'],
  [new Map(), 'an instance of Map'],
  [new (class {})(), 'an instance of a class without a name'],
  [Object.create(Object.create(Object.create(null))), 'an instance of a class without a name'],
])('a problem describes %j', (value, text) => {
  expect(describe(value)).toBe(text);
});

it.each([
  [undefined, 'nothing'],
  ['abc', 'a string of 3 characters'],
  [5, 'a number'],
])('a problem describes the secret %j', (value, text) => {
  expect(describe(value, true)).toBe(text);
});

it('a problem writes a path as people do', () => {
  expect(pathText(['a', 2, 'b', 'c'])).toBe('a[2].b.c');
  expect(pathText([])).toBe('(whole)');
});

it('the names at a path are known, through unions, records and lists of settings', () => {
  expect(keysAt(schema, ['either'])).toEqual(['ms', 'pause']);
  expect(
    keysAt(z.object({ map: z.record(z.string(), z.object({ x: z.number() })).optional() }), ['map', 'any']),
  ).toEqual(['x']);
  expect(keysAt(schema, ['list', 1])).toEqual(['id']);
  expect(keysAt(schema, ['name'])).toEqual([]);
});
