// Requests that multiply one thing by another: made from declarations, each field grown to all that a body can hold, alone
// and together with each other one.

import * as fc from 'fast-check';
import { type Schema, schemaOf, type Target } from './hostile.js';

/** Some content of a request. */
export interface Multiplied {
  name: string;
  query?: string;
  headers?: Record<string, string>;
  /** Made when it is read: most are of many megabytes. */
  body?: string | Buffer | undefined;
}

const megabyte = 1_048_576;
/** Nearly all that a body may hold: the rest of the body has room beside it. */
const wholeBody = 15 * megabyte;
/** Nearly all that the head of a request may hold. */
const wholeHead = 12_000;
const deepest = 5;
/** From here on what is nested in a body is often that of another operation, too. */
const nestedDepth = 3;
/** So many names are read of a body at most. */
const mostNames = 45_000;
const mostEntries = 400_000;

/** Texts that cost more than their length somewhere: in a search, in a pattern, as a name, when they are normalized or cut. */
const units = {
  same: 'a',
  words: 'lorem ipsum ',
  lines: 'x\n',
  'wide under NFKC': '\ufdfa',
  brackets: '[',
  escapes: '\\u0041',
  entities: '&amp;',
  pairs: '😀',
  spaces: ' ',
  markdown: '**_`',
} as const;

function textOf(unit: string, bytes: number): string {
  return unit.repeat(Math.max(1, Math.floor(bytes / Buffer.byteLength(unit))));
}

type Step = string | number;
interface Place {
  path: Step[];
  schema: Schema;
}

function resolved(schema: Schema, root: Schema): Schema {
  const { $ref } = schema;
  if (typeof $ref !== 'string') return schema;
  return $ref === '#' ? root : resolved(root.$defs?.[$ref.split('/').at(-1) ?? ''] ?? {}, root);
}

const optionsOf = ({ anyOf, oneOf }: Schema): Schema[] => anyOf ?? oneOf ?? [];

/** Everything that a body can hold, down to some depth. */
function placesIn(declared: Schema, root: Schema, path: Step[] = []): Place[] {
  const schema = resolved(declared, root);
  if (path.length > deepest) return [];
  const options = optionsOf(schema);
  if (options.length > 0) return options.flatMap((option) => placesIn(option, root, path));
  const inside = [
    ...Object.entries<Schema>(schema.properties ?? {}).flatMap(([name, field]) =>
      placesIn(field, root, [...path, name]),
    ),
    ...(schema.items === undefined ? [] : placesIn(schema.items, root, [...path, 0])),
  ];
  return [{ path, schema }, ...inside];
}

/** The least value that a schema allows. */
function leastOf(declared: Schema, root: Schema, depth = 0): unknown {
  const schema = resolved(declared, root);
  if ('const' in schema) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.example !== undefined) return schema.example;
  const [option] = optionsOf(schema);
  if (option !== undefined) return leastOf(option, root, depth);
  switch (schema.type) {
    case 'string':
      return schema.format === 'uuid' ? '00000000-0000-4000-8000-000000000000' : 'x'.repeat(schema.minLength ?? 1);
    case 'integer':
    case 'number':
      return Math.max(schema.minimum ?? 1, 1);
    case 'boolean':
      return true;
    case 'array':
      return depth > deepest ? [] : [leastOf(schema.items ?? {}, root, depth + 1)];
    case 'object': {
      const names: string[] = schema.required ?? [];
      return Object.fromEntries(names.map((name) => [name, leastOf(schema.properties?.[name] ?? {}, root, depth + 1)]));
    }
    default:
      return {};
  }
}

/** A copy of a body with another value at a place, whose surroundings are made where they are missing. */
function withValue(body: unknown, path: readonly Step[], value: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  if (typeof step === 'number') {
    const list: unknown[] = Array.isArray(body) ? [...body] : [];
    list[step] = withValue(list[step], rest, value);
    return list;
  }
  const whole = body !== null && typeof body === 'object' && !Array.isArray(body) ? body : {};
  return { ...whole, [step]: withValue((whole as Record<string, unknown>)[step], rest, value) };
}

interface Grown {
  name: string;
  value: unknown;
}

/** Values of one place that are as large as they may be, and as large as a body can hold. */
function grown({ path, schema }: Place, root: Schema, bytes: number): Grown[] {
  switch (schema.type) {
    case 'string':
      return grownTexts(schema, bytes, path.join('.').length);
    case 'integer':
    case 'number':
      return [{ name: 'greatest', value: Math.min(schema.maximum ?? 2 ** 31 - 1, 2 ** 31 - 1) }];
    case 'array':
      return grownLists(schema, root, bytes);
    case 'object':
      return schema.additionalProperties === undefined || schema.additionalProperties === false
        ? []
        : grownObjects(resolved(schema.additionalProperties === true ? {} : schema.additionalProperties, root), bytes);
    case 'boolean':
      return [{ name: 'true', value: true }];
    default:
      return schema.type === undefined && !('const' in schema) && schema.enum === undefined ? anything(bytes) : [];
  }
}

function grownTexts({ maxLength, pattern, format }: Schema, bytes: number, turn = 0): Grown[] {
  if (format !== undefined || pattern !== undefined) return [{ name: 'same', value: textOf(units.same, bytes) }];
  const length = Math.min(bytes, maxLength ?? bytes);
  // One of them for each place, as each costs megabytes to make, send and read; many places come to all of them.
  const all = Object.entries(units);
  const [name, unit] = all[turn % all.length] ?? ['same', 'a'];
  return [{ name, value: textOf(unit, length) }];
}

function grownLists({ items = {}, maxItems }: Schema, root: Schema, bytes: number): Grown[] {
  const item = leastOf(items, root);
  const isPlain = item === null || typeof item !== 'object';
  const size = JSON.stringify(item).length + 1;
  const names = isPlain ? 1 : (JSON.stringify(item).match(/[:{[]/g)?.length ?? 1);
  const fitting = Math.min(bytes / size, isPlain ? mostEntries : mostNames / names);
  const count = Math.floor(Math.min(fitting, maxItems ?? fitting));
  const lists: Grown[] = [{ name: `${count} items`, value: Array.from({ length: count }, () => item) }];
  const [long] = isPlain ? grownTexts(resolved(items, root), Math.floor(bytes / Math.min(count, 1_000))) : [];
  if (typeof item === 'string' && long !== undefined)
    lists.push({ name: 'long items', value: Array.from({ length: Math.min(count, 1_000) }, () => long.value) });
  return lists;
}

function grownObjects(values: Schema, bytes: number): Grown[] {
  const value = leastOf(values, values);
  const count = Math.min(mostNames, Math.floor(bytes / (JSON.stringify(value).length + 12)));
  return [
    { name: `${count} names`, value: Object.fromEntries(Array.from({ length: count }, (_, i) => [`K${i}`, value])) },
  ];
}

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let i = 0; i < depth; i++) value = { a: [value] };
  return value;
}

/** Values for a field that may hold anything; JSON Schemas among them, whose parts refer to each other. */
function anything(bytes: number): Grown[] {
  const itself = { $ref: '#' };
  const wide = Array.from({ length: 400 }, (_, i) => `p${i}`);
  return [
    { name: 'a long text', value: textOf(units.words, bytes) },
    { name: 'deep', value: nested(90) },
    { name: 'a list', value: Array.from({ length: mostEntries }, () => 1) },
    { name: 'references to itself', value: { type: 'object', allOf: Array(20).fill(itself), required: wide } },
    {
      name: 'doubling references',
      value: {
        $defs: Object.fromEntries(
          Array.from({ length: 40 }, (_, i) => [
            `d${i}`,
            { type: 'array', minItems: 2, items: { $ref: `#/$defs/d${i + 1}` } },
          ]),
        ),
        type: 'object',
        properties: { a: { $ref: '#/$defs/d0' } },
        required: ['a'],
      },
    },
    {
      name: 'one pointer',
      value: {
        type: 'object',
        properties: Object.fromEntries(wide.map((name) => [name, { $ref: `#${'/'.repeat(bytes / 1_000)}` }])),
        required: wide,
      },
    },
    {
      name: 'a constant many times',
      value: {
        $defs: { c: { const: 'x'.repeat(bytes / 2) } },
        type: 'object',
        properties: Object.fromEntries(wide.map((name) => [name, { $ref: '#/$defs/c' }])),
        required: wide,
      },
    },
    {
      name: 'many items',
      value: { type: 'object', properties: { a: { type: 'array', minItems: 1e9 } }, required: ['a'] },
    },
    { name: 'a long pattern', value: { type: 'string', pattern: `^(${'(a?)'.repeat(2_000)}){1000}$`, minLength: 1e8 } },
  ];
}

/** Bodies of JSON: each place grown alone, then pairs of places, each with half of the room. */
function* bodiesOf(target: Target, pairs: number, seed: number, seen: Seen): Generator<Multiplied> {
  if (target.body === undefined) return;
  const root = schemaOf(target.body);
  const least = leastOf(root, root);
  const base =
    target.example === undefined ? least : { ...(least as object), ...(target.example as Record<string, unknown>) };
  const places = placesIn(root, root).filter(({ path }) => path.length > 0);
  const written = (place: Place, how: string): string => `${place.path.join('.')}: ${how}`;
  const bodyOf = (name: string, make: () => unknown): Multiplied => ({
    name,
    get body() {
      return JSON.stringify(make());
    },
  });
  const own = places.filter((place) => place.path.length < nestedDepth || seen.isNew(place.schema, place.path));
  for (const place of own) {
    for (const { name, value } of grown(place, root, wholeBody))
      yield bodyOf(written(place, name), () => withValue(base, place.path, value));
  }
  // Every number multiplies: all of them at once, with each other thing.
  const numbers = places.filter(({ schema }) => schema.type === 'integer' || schema.type === 'number');
  const most = numbers.reduce((body, place) => withValue(body, place.path, grown(place, root, 0)[0]?.value), base);
  if (numbers.length > 0) {
    yield bodyOf('all numbers', () => most);
    for (const place of own)
      for (const { name, value } of grown(place, root, wholeBody / 2).slice(0, 1))
        if (place.schema.type !== 'integer' && place.schema.type !== 'number' && place.schema.type !== 'boolean')
          yield bodyOf(`all numbers, ${written(place, name)}`, () => withValue(most, place.path, value));
  }
  const large = places.filter(({ schema }) => schema.type !== 'integer' && schema.type !== 'boolean');
  if (large.length === 0) return;
  const drawn = fc.sample(fc.tuple(fc.constantFrom(...large), fc.constantFrom(...large), fc.nat(9), fc.nat(9)), {
    seed,
    numRuns: pairs,
  });
  for (const [first, second, a, b] of drawn) {
    const one = pick(grown(first, root, wholeBody / 2), a);
    const other = pick(grown(second, root, wholeBody / 2), b);
    if (first === second || one === undefined || other === undefined) continue;
    yield bodyOf(`${written(first, one.name)} x ${written(second, other.name)}`, () =>
      withValue(withValue(base, first.path, one.value), second.path, other.value),
    );
  }
}

function pick<Item>(items: readonly Item[], place: number): Item | undefined {
  return items[place % Math.max(1, items.length)];
}

const form = (boundary: string) => ({ 'content-type': `multipart/form-data; boundary=${boundary}` });

/** Bodies of a form, for any operation: boundaries that nearly match everywhere, parts and heads without end. */
function* formsOf(fields: readonly string[]): Generator<Multiplied> {
  const part = (name: string, content: Buffer | string, filename = 'a.txt'): Buffer =>
    Buffer.concat([
      Buffer.from(`--b\r\nContent-Disposition: form-data; name="${name}"; filename="${filename}"\r\n\r\n`),
      Buffer.from(content),
      Buffer.from('\r\n'),
    ]);
  const whole = (...parts: Buffer[]): Buffer => Buffer.concat([...parts, Buffer.from('--b--\r\n')]);
  yield { name: 'form: boundary of one character', headers: form('-'), body: Buffer.alloc(wholeBody, '\r\n--') };
  yield { name: 'form: boundary of 70', headers: form('-'.repeat(70)), body: Buffer.alloc(wholeBody, '\r\n--') };
  yield { name: 'form: boundary of 7,000', headers: form('-'.repeat(7_000)), body: Buffer.alloc(wholeBody, '-') };
  yield { name: 'form: empty parts', headers: form('b'), body: Buffer.alloc(wholeBody, '--b\r\n\r\n\r\n') };
  yield { name: 'form: a head without end', headers: form('b'), body: Buffer.alloc(wholeBody, '--b\r\nX: y\r\nX: y') };
  for (const field of fields) {
    yield {
      name: `form: ${field} many times`,
      headers: form('b'),
      body: whole(...Array(20_000).fill(part(field, 'x'))),
    };
    for (const [name, content] of Object.entries(fileContents))
      for (const ending of ['mp3', 'wav', 'ogg', 'webm', 'm4a', 'flac', 'txt', 'html', 'docx', 'json'])
        if (isWorthwhile(name, ending))
          yield {
            name: `form: ${field} of ${name} as ${ending}`,
            headers: form('b'),
            body: whole(part(field, content(), `a.${ending}`)),
          };
  }
}

const isAudio = /mp3|wav|ogg|webm|m4a|flac/;
const isWorthwhile = (content: string, ending: string): boolean =>
  content.startsWith('audio') ? isAudio.test(ending) && content.includes(ending) : !isAudio.test(ending);

const repeated = (unit: string | Buffer) => (): Buffer => {
  const piece = Buffer.from(unit);
  return Buffer.alloc(wholeBody, piece);
};

/** Contents of files: what a reader of their kind looks at again and again. */
const fileContents: Record<string, () => Buffer> = {
  'audio mp3 frames': repeated(Buffer.concat([Buffer.from([0xff, 0xfb, 0x10, 0xc4]), Buffer.alloc(100)])),
  'audio mp3 false syncs': repeated(Buffer.from([0xff, 0xe3])),
  'audio wav chunks': () =>
    Buffer.concat([Buffer.from('RIFF\xff\xff\xff\x7fWAVE', 'latin1'), Buffer.alloc(wholeBody, 'junk\0\0\0\0')]),
  'audio ogg pages': () => Buffer.alloc(wholeBody, Buffer.concat([Buffer.from('OggS'), Buffer.alloc(23)])),
  'audio webm elements': () =>
    Buffer.concat([
      Buffer.from([0x1a, 0x45, 0xdf, 0xa3, 0x80, 0x18, 0x53, 0x80, 0x67, 0xff]),
      Buffer.alloc(wholeBody, '\xec\x80', 'latin1'),
    ]),
  'audio m4a boxes': () =>
    Buffer.concat([
      Buffer.from('\0\0\0\x10ftypM4A \0\0\0\0', 'latin1'),
      Buffer.alloc(wholeBody, '\0\0\0\x08free', 'latin1'),
    ]),
  'audio flac blocks': () => Buffer.concat([Buffer.from('fLaC'), Buffer.alloc(wholeBody, '\x01\0\0\0', 'latin1')]),
  words: repeated('lorem ipsum dolor sit amet '),
  'different words': () =>
    Buffer.from(Array.from({ length: wholeBody / 9 }, (_, i) => i.toString(36).padStart(8, 'k')).join(' ')),
  'one word': repeated('a'),
  'wide characters': repeated('\ufdfa'),
  lines: repeated('\n'),
  tags: repeated('<b>'),
  comments: repeated('<!--'),
  references: repeated('&amp;'),
  brackets: repeated('['),
  zeros: repeated('\0'),
};

/** Queries and paths, as long as a head may be. */
function* queriesOf(target: Target): Generator<Multiplied> {
  const fields: Record<string, Schema> = target.query === undefined ? {} : (schemaOf(target.query).properties ?? {});
  for (const [name, schema] of Object.entries(fields)) {
    const greatest = String(schema.maximum ?? 1_000);
    for (const value of [
      greatest,
      textOf('a', wholeHead),
      textOf('a ', wholeHead),
      textOf('(a+)+', wholeHead),
      '%25'.repeat(wholeHead / 3),
    ])
      yield { name: `query: ${name}`, query: `${name}=${encodeURIComponent(value).slice(0, wholeHead)}` };
  }
  const all = Object.entries(fields).map(([name, { maximum = 1_000 }]) => `${name}=${maximum}`);
  if (all.length > 1) yield { name: 'query: all at their greatest', query: all.join('&') };
  yield {
    name: 'query: many names',
    query: Array.from({ length: 2_000 }, (_, i) => `p${i}`)
      .join('&')
      .slice(0, wholeHead),
  };
}

function* headersOf(): Generator<Multiplied> {
  const long = (unit: string): string => unit.repeat(wholeHead / unit.length);
  yield { name: 'header: accept', headers: { accept: `${long('a/b;q=0.1,')}text/plain` } };
  yield { name: 'header: cookie', headers: { authorization: '', cookie: long('session=a.b.c; ') } };
  yield { name: 'header: fault', headers: { 'x-emulator-fault': `{"effect":{"headers":{"a":"${long('b')}"}}}` } };
  yield { name: 'header: last event', headers: { 'last-event-id': long('1.1') } };
}

/** Parts of bodies that several operations take, such as a scenario: each is grown where it is met first. */
export interface Seen {
  isNew(schema: Schema, path: readonly Step[]): boolean;
}

export function notSeenYet(): Seen {
  const seen = new Set<string>();
  return {
    isNew(schema, path) {
      const key = `${path.slice(-2).join('.')} ${JSON.stringify(schema)}`;
      const isNew = !seen.has(key);
      seen.add(key);
      return isNew;
    },
  };
}

/** The requests of an operation, from its declaration. */
export function* multipliedAt(target: Target, pairs: number, seed: number, seen = notSeenYet()): Generator<Multiplied> {
  yield { name: 'as it is', ...(target.example === undefined ? {} : { body: JSON.stringify(target.example) }) };
  yield* queriesOf(target);
  yield* headersOf();
  yield* bodiesOf(target, pairs, seed, seen);
  if (target.upload !== undefined) yield* formsOf(target.upload.fields);
}

/** Forms that any path may be sent, by anybody: no browser asks for a permission first. */
export const formsForAnybody = (): Generator<Multiplied> => formsOf([]);
