// Generated requests of every kind, from valid to absurd, made from an endpoint's declaration.

import * as fc from 'fast-check';
import * as z from 'zod';
import type { Endpoint } from '../../../src/http/endpoint.js';
import { pathsOf } from '../../../src/http/routes.js';
import { formHeader, formsOf } from './hostile-forms.js';
import { hugeValue, oddHeaders, oddPairs, oddText, oddValue, prototypeNames, rawBodies } from './hostile-values.js';

export type Schema = Record<string, any>;

/** The parts of an endpoint from which a request can be generated. */
export type Target = Pick<
  Endpoint,
  | 'id'
  | 'profiles'
  | 'method'
  | 'path'
  | 'aliases'
  | 'params'
  | 'query'
  | 'body'
  | 'upload'
  | 'example'
  | 'fee'
  | 'auth'
>;

/** One request; `{name}` in the path is filled in when it is sent, by what `subject` says. */
export interface Shot {
  method: string;
  path: string;
  subject: 'mine' | 'others' | 'gone' | { text: string };
  query: string;
  headers: Record<string, string>;
  body: string | Buffer | undefined;
}

/** Values that a JSON Schema allows, nearly always: patterns and formats are met, hidden rules are not known. */
export function fromSchema(schema: Schema, root: Schema = schema): fc.Arbitrary<unknown> {
  const { $ref, anyOf, enum: values, type, example, minimum = -1_000, maximum = 1_000 } = schema;
  if (typeof $ref === 'string') return fromSchema(root.$defs?.[$ref.split('/').at(-1) ?? ''] ?? {}, root);
  if ('const' in schema) return fc.constant(schema.const);
  if (values !== undefined) return fc.constantFrom(...values);
  if (anyOf !== undefined) return fc.oneof(...anyOf.map((option: Schema) => fromSchema(option, root)));
  if (example !== undefined) return fc.constant(example);
  switch (type) {
    case 'string':
      return fromText(schema);
    case 'integer':
      return fc.oneof(fc.integer({ min: minimum, max: Math.min(maximum, 2 ** 31 - 1) }), fc.constant(minimum));
    case 'number':
      return fc.oneof(
        fc.integer({ min: Math.ceil(minimum), max: Math.floor(maximum) }),
        fc.constant(Math.min(maximum, minimum + 0.5)),
      );
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.array(fromSchema(schema.items ?? {}, root), { maxLength: 4 });
    case 'object':
      return fromObject(schema, root);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function fromText({ format, pattern, minLength = 0, maxLength = 40 }: Schema): fc.Arbitrary<string> {
  if (format === 'uuid') return fc.uuid();
  if (format === 'date-time')
    return fc
      .date({ min: new Date('2026-01-02'), max: new Date('2035-01-01'), noInvalidDate: true })
      .map((d) => d.toISOString());
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern), { maxLength: 80 });
  const words = fc.constantFrom('web', '/health', '90s', 'Käfer 😀', 'a-b_c', '0xAbC', 'oom-later', '1.5h');
  return fc.oneof(words, fc.string({ minLength, maxLength: Math.min(maxLength, 60) }));
}

function fromObject({ properties = {}, required = [], additionalProperties }: Schema, root: Schema) {
  const names = Object.keys(properties);
  if (names.length === 0 && additionalProperties)
    return fc.dictionary(fc.stringMatching(/^[A-Z_]{1,8}$/), fromSchema(additionalProperties, root), { maxKeys: 4 });
  const shape = Object.fromEntries(names.map((name) => [name, fromSchema(properties[name], root)]));
  return fc.record(shape, { requiredKeys: required });
}

/** The JSON Schema of an input. */
export function schemaOf(type: z.ZodType): Schema {
  return z.toJSONSchema(type, { io: 'input', unrepresentable: 'any' }) as Schema;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

// One field, at any depth, gets another value, goes away, or gets a neighbour that nobody knows.
function mutated(value: unknown, [place, act, name, odd]: [number, number, string, unknown]): unknown {
  if (!isObject(value)) return odd;
  const names = Object.keys(value);
  const chosen = names[place % Math.max(1, names.length)];
  const copy = Object.fromEntries(Object.entries(value));
  if (act === 0 || chosen === undefined) return Object.fromEntries([...Object.entries(value), [name, odd]]);
  if (act === 1) delete copy[chosen];
  else if (act === 2 && isObject(copy[chosen])) copy[chosen] = mutated(copy[chosen], [place, 3, name, odd]);
  else copy[chosen] = odd;
  return copy;
}

function bodyOf(target: Target): fc.Arbitrary<string | Buffer | undefined> {
  const valid: fc.Arbitrary<unknown> =
    target.body === undefined ? fc.constant({ name: 'x' }) : fromSchema(schemaOf(target.body));
  // Hidden rules are best met from the example.
  const base = fc.tuple(valid, fc.boolean(), fc.nat()).map(([made, plain, place]) => {
    if (!isObject(target.example) || !isObject(made)) return made;
    const [field] = Object.entries(made).slice(place % 7);
    return plain || field === undefined ? { ...target.example, ...made } : { ...target.example, [field[0]]: field[1] };
  });
  const odd = (value: fc.Arbitrary<unknown>) =>
    fc.tuple(base, fc.tuple(fc.nat(), fc.nat(3), oddText, value)).map(([made, how]) => mutated(made, how));
  const json = (value: fc.Arbitrary<unknown>) => value.map((made) => JSON.stringify(made));
  return fc.oneof(
    { weight: 30, arbitrary: json(base) },
    { weight: 40, arbitrary: json(odd(oddValue)) },
    { weight: 1, arbitrary: json(odd(hugeValue)) },
    { weight: 10, arbitrary: json(oddValue) },
    { weight: 10, arbitrary: rawBodies },
    { weight: 4, arbitrary: fc.constant(undefined) },
  );
}

// A form's texts are mostly what is meant.
function textsOf(target: Target): fc.Arbitrary<unknown> {
  const valid = target.body === undefined ? fc.constant({}) : fromSchema(schemaOf(target.body));
  return fc.oneof({ weight: 4, arbitrary: valid }, { weight: 1, arbitrary: fc.constant({}) });
}

function contentOf(target: Target): fc.Arbitrary<Pick<Shot, 'headers' | 'body'>> {
  const headers = fc.oneof({ weight: 5, arbitrary: fc.constant({}) }, { weight: 3, arbitrary: oddHeaders });
  const hasBody = target.body !== undefined;
  const body = hasBody
    ? bodyOf(target)
    : fc.oneof({ weight: 6, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: bodyOf(target) });
  const plain = fc.record({ headers, body });
  if (target.upload === undefined) return plain;
  const form = fc
    .tuple(headers, formsOf(target.upload, textsOf(target)))
    .map(([odd, content]) => ({ headers: { ...formHeader, ...odd }, body: content }));
  return fc.oneof({ weight: 5, arbitrary: form }, { weight: 1, arbitrary: plain });
}

function queryOf(target: Target): fc.Arbitrary<string> {
  const shape: Schema = target.query === undefined ? {} : (schemaOf(target.query).properties ?? {});
  const encode = (name: string, value: unknown) =>
    String(new URLSearchParams([[name, typeof value === 'string' ? value : JSON.stringify(value)]]));
  const valid = Object.entries(shape).map(([name, schema]) => fromSchema(schema).map((v) => encode(name, v)));
  const odd = Object.keys(shape).map((name) => oddValue.map((v) => encode(name, v).slice(0, 7_000)));
  const some = (pairs: fc.Arbitrary<string>[]) =>
    pairs.length === 0 ? fc.constant('') : fc.array(fc.oneof(...pairs), { maxLength: 3 }).map((all) => all.join('&'));
  return fc.oneof(
    { weight: 4, arbitrary: fc.constant('') },
    { weight: target.query === undefined ? 1 : 10, arbitrary: some(valid) },
    { weight: target.query === undefined ? 1 : 8, arbitrary: some(odd) },
    { weight: 3, arbitrary: oddPairs },
  );
}

const oddMethods = ['HEAD', 'OPTIONS', 'TRACE', 'PUT', 'PATCH', 'DELETE', 'POST', 'GET', 'PROPFIND'];
const oddSegments = ['%00', '..%2F', '%2e%2e', '%E0%A4%A', '%', '%zz', '%ED%A0%80', '%F0%9F%98%80', '*', ';a=b', "'"];

const subjectOf: fc.Arbitrary<Shot['subject']> = fc.oneof(
  { weight: 8, arbitrary: fc.constant('mine' as const) },
  { weight: 2, arbitrary: fc.constantFrom('others' as const, 'gone' as const) },
  { weight: 2, arbitrary: fc.constantFrom(...oddSegments, ...prototypeNames).map((text) => ({ text })) },
  { weight: 1, arbitrary: fc.constant({ text: 'a'.repeat(5_000) }) },
);

/** Requests of an endpoint. */
export function shotsAt(target: Target): fc.Arbitrary<Shot> {
  const method = fc.oneof(
    { weight: 12, arbitrary: fc.constant(target.method as string) },
    { weight: 1, arbitrary: fc.constantFrom(...oddMethods) },
  );
  return fc
    .record({
      method,
      path: fc.constantFrom(...pathsOf(target as Endpoint)),
      subject: subjectOf,
      query: queryOf(target),
      content: contentOf(target),
    })
    .map(({ content, ...rest }): Shot => {
      const shot = { ...rest, ...content };
      return Object.assign(shot, { [fc.toStringMethod]: () => shotText(shot) });
    });
}

/** A request in few enough words to be printed. */
export function shotText({ method, path, subject, query, headers, body }: Shot): string {
  const who = typeof subject === 'string' ? subject : JSON.stringify(subject.text.slice(0, 40));
  const content = body === undefined ? 'no body' : JSON.stringify(body.toString('latin1' as never).slice(0, 600));
  return `${method} ${path} [${who}] ?${query.slice(0, 300)} ${JSON.stringify(headers).slice(0, 200)} ${content}`;
}
