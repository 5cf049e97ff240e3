// Schemas that people write with zod: its whole range, as far as JSON Schema can say it.

import * as z from 'zod';

interface Category {
  name: string;
  parent: Category | null;
  children: Category[];
}
const category: z.ZodType<Category> = z.lazy(() =>
  z.object({ name: z.string(), parent: category.nullable(), children: z.array(category) }),
);
interface Linked {
  value: number;
  next: Linked | null;
}
const linked: z.ZodType<Linked> = z.lazy(() => z.object({ value: z.number(), next: z.union([linked, z.null()]) }));
type Expression = { number: number } | { operator: '+' | '-'; left: Expression; right: Expression };
const expression: z.ZodType<Expression> = z.lazy(() =>
  z.union([
    z.object({ operator: z.enum(['+', '-']), left: expression, right: expression }),
    z.object({ number: z.number() }),
  ]),
);
interface Ping {
  pong?: Pong | undefined;
}
interface Pong {
  ping: Ping;
}
const ping: z.ZodType<Ping> = z.lazy(() => z.object({ pong: pong.optional() }));
const pong: z.ZodType<Pong> = z.lazy(() => z.object({ ping }));

type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
const json: z.ZodType<Json> = z.lazy(() =>
  z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(json), z.record(z.string(), json)]),
);

function nested(levels: number): z.ZodType {
  return levels === 0 ? z.int().positive() : z.object({ [`level${levels}`]: nested(levels - 1) });
}

/** By name; each is the field of an object, as that is what OpenAI takes. */
export const zodShapes: Record<string, z.ZodType> = {
  string: z.string(),
  'string between': z.string().min(3).max(5),
  'string of a length': z.string().length(40),
  'string of one character': z.string().max(1),
  'empty string': z.string().max(0),
  'string to a regex': z.string().regex(/^[A-Z]{2}-\d{4}$/),
  'string to a regex of a length': z
    .string()
    .regex(/^[a-z]+$/)
    .length(12),
  'string to an open regex': z.string().regex(/\d{3}/).min(10),
  'string to a regex of alternatives': z.string().regex(/^(?:red|green|blue)(?:-(?:light|dark))?$/),
  'string to a semver': z.string().regex(/^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-[\da-z-]+)?$/),
  'string that begins, holds and ends': z.string().startsWith('a').includes('foo').endsWith('z'),
  'lower case': z.string().lowercase(),
  'upper case': z.string().uppercase(),
  email: z.email(),
  uuid: z.uuid(),
  'uuid 4': z.uuidv4(),
  'uuid 7': z.uuidv7(),
  url: z.url(),
  datetime: z.iso.datetime(),
  'datetime with an offset': z.iso.datetime({ offset: true }),
  'local datetime': z.iso.datetime({ local: true }),
  'datetime to the minute': z.iso.datetime({ precision: -1 }),
  'datetime to the millisecond': z.iso.datetime({ precision: 3 }),
  date: z.iso.date(),
  time: z.iso.time(),
  ipv4: z.ipv4(),
  ipv6: z.ipv6(),
  'cidr 4': z.cidrv4(),
  'cidr 6': z.cidrv6(),
  base64: z.base64(),
  base64url: z.base64url(),
  jwt: z.jwt(),
  e164: z.e164(),
  cuid: z.cuid(),
  cuid2: z.cuid2(),
  ulid: z.ulid(),
  nanoid: z.nanoid(),
  xid: z.xid(),
  ksuid: z.ksuid(),
  hex: z.hex(),
  hash: z.hash('sha256'),
  mac: z.mac(),
  'template literal': z.templateLiteral(['id-', z.number(), '-', z.enum(['x', 'y'])]),
  number: z.number(),
  'number between': z.number().gt(0).lt(0.001),
  'number above': z.number().gt(10),
  'number below': z.number().lt(-10),
  'number of hundredths': z.number().multipleOf(0.01).min(5.005),
  'number of thirds': z.number().multipleOf(0.3).gt(0.3),
  integer: z.int(),
  'integer between': z.int().gt(5).lt(7),
  'integer of sevens': z.int().multipleOf(7).min(8),
  'integer of 32 bits': z.int32(),
  'positive integer': z.int().positive(),
  'negative number': z.number().negative(),
  float: z.float32(),
  boolean: z.boolean(),
  null: z.null(),
  literal: z.literal('one'),
  'several literals': z.literal(['a', 2, true, null]),
  enum: z.enum(['x', 'y']),
  any: z.any(),
  unknown: z.unknown(),
  nullable: z.string().nullable(),
  optional: z.string().optional(),
  nullish: z.int().nullish(),
  default: z.int().default(7),
  prefault: z.string().prefault('text'),
  catch: z.int().catch(3),
  readonly: z.array(z.string()).readonly(),
  brand: z.string().brand('Id'),
  pipe: z.string().pipe(z.string().min(3)),
  union: z.union([z.int(), z.string()]),
  'union of objects': z.union([z.object({ a: z.int(), b: z.string() }), z.object({ c: z.boolean() })]),
  'discriminated union': z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('circle'), radius: z.number().positive() }),
    z.object({ kind: z.literal('square'), side: z.number().positive() }),
  ]),
  'exclusive union': z.xor([z.object({ a: z.string() }), z.object({ b: z.string() })]),
  intersection: z.intersection(z.object({ a: z.int() }), z.object({ b: z.string() })),
  'intersection of bounds': z.intersection(z.number().min(5), z.number().max(5)),
  object: z.object({ a: z.int(), b: z.object({ c: z.string() }) }),
  'strict object': z.strictObject({ a: z.int() }),
  'loose object': z.looseObject({ a: z.int() }),
  'object with a rest': z.object({ a: z.int() }).catchall(z.string()),
  'partial object': z.object({ a: z.int(), b: z.string() }).partial(),
  record: z.record(z.string(), z.int()),
  'record of an enum': z.record(z.enum(['a', 'b']), z.int()),
  'record of a pattern': z.record(z.string().regex(/^x-/), z.int()),
  'partial record': z.partialRecord(z.enum(['a', 'b']), z.int()),
  'loose record': z.looseRecord(z.string().regex(/^x-/), z.int()),
  array: z.array(z.string()),
  'array of at least': z.array(z.string()).min(3),
  'array of many': z.array(z.int()).length(120),
  'empty array': z.array(z.string()).max(0),
  'array of arrays': z.array(z.array(z.object({ a: z.int() })).min(1)).min(2),
  tuple: z.tuple([z.string(), z.int()]),
  'tuple with a rest': z.tuple([z.string()], z.int()),
  'tuple with an optional': z.tuple([z.string(), z.int().optional()]),
  'string as a boolean': z.stringbool(),
  'fifteen levels': nested(15),
  tree: category,
  'linked list': linked,
  expression,
  'two that refer to each other': ping,
  json,
};
