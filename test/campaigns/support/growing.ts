// Inputs that can be made as long as one likes: what an operation does with twice as much shows how its work grows.

import * as fc from 'fast-check';
import { fromSchema, type Schema, schemaOf, type Target } from './hostile.js';
import { formHeader } from './hostile-forms.js';

/** An input of a kind, of about so many bytes. */
export interface Growing {
  name: string;
  make: (bytes: number) => { body?: string; query?: string; headers?: Record<string, string> };
}

const times = (bytes: number, piece: (i: number) => string, between = ','): string => {
  const pieces: string[] = [];
  for (let i = 0, length = 0; length < bytes; i++) {
    const next = piece(i);
    pieces.push(next);
    length += next.length + between.length;
  }
  return pieces.join(between);
};

const text = (name: string, make: (bytes: number) => string): Growing => ({
  name,
  make: (bytes) => ({ body: make(bytes) }),
});

/** Bodies that say nothing of any operation: what reads them does so before it knows who sends them. */
export const rawGrowth: Growing[] = [
  text('unknown keys', (n) => `{${times(n, (i) => `"k${i}":1`)}}`),
  text('unknown keys like known ones', (n) => `{${times(n, (i) => `"nam${i}e":1`)}}`),
  text('one key again and again', (n) => `{${times(n, () => '"a":1')}}`),
  text('repeated keys', (n) => `{${times(n / 2, (i) => `"k${i}":1`)},${times(n / 2, (i) => `"k${i}":1`)}}`),
  text('long keys', (n) => `{${times(n, (i) => `"${'x'.repeat(1_000)}${i}":1`)}}`),
  text('a key', (n) => `{"${'x'.repeat(n)}":1}`),
  text('array items', (n) => `[${times(n, () => '1')}]`),
  text('objects', (n) => `[${times(n, () => '{}')}]`),
  text('open arrays', (n) => '['.repeat(n)),
  text('open objects', (n) => times(n, () => '{"a":', '')),
  text('nested arrays', (n) => '['.repeat(n / 2) + ']'.repeat(n / 2)),
  text('arrays 200 deep', (n) => `[${times(n, () => '['.repeat(199) + ']'.repeat(199))}]`),
  text('nested objects', (n) => `${'{"a":'.repeat(n / 6)}1${'}'.repeat(n / 6)}`),
  text('a string', (n) => JSON.stringify('x'.repeat(n))),
  text('a string without end', (n) => `"${'x'.repeat(n)}`),
  text('backslashes', (n) => `"${'\\'.repeat(n)}`),
  text('escaped quotes', (n) => `"${'\\"'.repeat(n / 2)}"`),
  text('quotes', (n) => '"'.repeat(n)),
  text('escapes', (n) => `"${'\\u0041'.repeat(n / 6)}"`),
  text('halves', (n) => `["${'\\ud83d\\ude00'.repeat(n / 12)}"]`),
  text('digits', (n) => '9'.repeat(n)),
  text('spaces', (n) => `${' '.repeat(n)}{}`),
  text('lines', (n) => `${'\n'.repeat(n)}x`),
  text('apostrophes', (n) => "'".repeat(n)),
  text('percent signs', (n) => `"${'%25'.repeat(n / 3)}"`),
  text('beginnings of keys', (n) => `"${'ek_test_'.repeat(n / 8)}"`),
  text('beginnings of tokens', (n) => `"${'eyJ.'.repeat(n / 4)}"`),
  text('beginnings of PEM', (n) => `"${'-----BEGIN A PRIVATE KEY-----'.repeat(n / 29)}"`),
  text('pairs', (n) => `"${times(n, (i) => `a${i}=b`, '&')}"`),
  text('named pairs', (n) => `[${times(n, () => '{"name":"password","value":"x"}')}]`),
  text('JSON in JSON', (n) =>
    JSON.stringify(JSON.stringify(JSON.stringify(JSON.stringify(times(n / 8, () => '[', ''))))),
  ),
];

/** Bodies that nest, each in its own way. */
export const nestedGrowth: Growing[] = rawGrowth.filter(({ name }) =>
  /nested arrays|200 deep|nested objects/.test(name),
);

const formUrlencoded = { 'content-type': 'application/x-www-form-urlencoded' };

/** Bodies of forms. */
export const formGrowth: Growing[] = [
  { name: 'form fields', make: (n) => ({ body: times(n, (i) => `k${i}=1`, '&'), headers: formUrlencoded }) },
  { name: 'one form field', make: (n) => ({ body: times(n, () => 'a=1', '&'), headers: formUrlencoded }) },
  { name: 'form percent signs', make: (n) => ({ body: `a=${'%41'.repeat(n / 3)}`, headers: formUrlencoded }) },
  { name: 'form ampersands', make: (n) => ({ body: '&'.repeat(n), headers: formUrlencoded }) },
];

const part = (disposition: string, content: string): string =>
  `--hostile\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${content}\r\n`;
const parts = (name: string, make: (bytes: number) => string): Growing => ({
  name,
  make: (n) => ({ body: `${make(n)}--hostile--\r\n`, headers: formHeader }),
});

/** Bodies of forms with files. */
export const partGrowth: Growing[] = [
  parts('parts', (n) => times(n, (i) => part(`name="k${i}"`, '1'), '')),
  parts('file parts', (n) => times(n, (i) => part(`name="file${i}"; filename="a"`, '1'), '')),
  parts('a file', (n) => part('name="audio"; filename="a.mp3"', 'x'.repeat(n))),
  parts('a field', (n) => part('name="name"', 'x'.repeat(n))),
  parts('part headers', (n) => `--hostile\r\n${times(n, (i) => `X${i}: 1`, '\r\n')}\r\n\r\n1\r\n`),
  parts('a part header', (n) => part(`name="${'x'.repeat(n)}"`, '1')),
  parts('almost boundaries', (n) => part('name="name"', '\r\n--hostil'.repeat(n / 10))),
];

/** Queries and headers: Node takes 16 KB of them at most. */
export const headGrowth: Growing[] = [
  { name: 'query parameters', make: (n) => ({ query: times(n, (i) => `k${i}`, '&') }) },
  { name: 'one query parameter', make: (n) => ({ query: times(n, () => 'a=1', '&') }) },
  {
    name: 'headers',
    make: (n) => ({
      headers: Object.fromEntries(
        times(n, (i) => `x-${i}`)
          .split(',')
          .map((h) => [h, '1']),
      ),
    }),
  },
  { name: 'ampersands', make: (n) => ({ query: '&'.repeat(n) }) },
  { name: 'query percent signs', make: (n) => ({ query: `a=${'%25'.repeat(n / 3)}` }) },
  { name: 'a header', make: (n) => ({ headers: { 'x-long': 'a=b&'.repeat(n / 4) } }) },
  { name: 'cookies', make: (n) => ({ headers: { cookie: times(n, (i) => `c${i}=1`, '; ') } }) },
  {
    name: 'one cookie',
    make: (n) => ({ headers: { cookie: times(n, () => 'session=1.2.3', '; '), authorization: '' } }),
  },
  { name: 'a key', make: (n) => ({ headers: { authorization: `Bearer ${'x'.repeat(n)}` } }) },
  { name: 'a dotted token', make: (n) => ({ headers: { authorization: `Bearer ${'eyJ.'.repeat(n / 4)}` } }) },
  { name: 'accepted types', make: (n) => ({ headers: { accept: times(n, (i) => `a/b${i};q=0.1`) } }) },
  { name: 'a fault', make: (n) => ({ headers: { 'x-emulator-fault': `{${times(n, (i) => `"k${i}":1`)}}` } }) },
  {
    name: 'a payment',
    make: (n) => ({
      headers: { 'x-payment': Buffer.from(`{${times(n * 0.7, (i) => `"k${i}":1`)}}`).toString('base64') },
    }),
  },
];

type Step = { kind: 'key'; name: string } | { kind: 'item' };
interface Place {
  steps: Step[];
  schema: Schema;
}

// The places where a declared body may grow: its lists, its records and its texts.
function placesIn(schema: Schema, root: Schema, steps: Step[], seen: readonly string[]): Place[] {
  if (typeof schema.$ref === 'string') {
    const name = schema.$ref.split('/').at(-1) ?? '';
    return seen.includes(name) ? [] : placesIn(root.$defs?.[name] ?? {}, root, steps, [...seen, name]);
  }
  if (schema.anyOf !== undefined) return schema.anyOf.flatMap((one: Schema) => placesIn(one, root, steps, seen));
  if (steps.length > 4) return [];
  if (schema.type === 'array')
    return [{ steps, schema }, ...placesIn(schema.items ?? {}, root, [...steps, { kind: 'item' }], seen)];
  if (schema.type === 'object') {
    const within = Object.entries(schema.properties ?? {}).flatMap(([name, one]) =>
      placesIn(one as Schema, root, [...steps, { kind: 'key', name }], seen),
    );
    return [{ steps, schema }, ...within];
  }
  return schema.type === 'string' && schema.enum === undefined && schema.const === undefined ? [{ steps, schema }] : [];
}

const drawn = (schema: Schema, root: Schema): unknown =>
  fc.sample(fromSchema(schema, root), { numRuns: 1, seed: 7 })[0] ?? null;

// A body in which one place holds a value that is written as text, since it is too long to be made otherwise.
function around(base: unknown, [step, ...rest]: Step[], hole: string): string {
  if (step === undefined) return hole;
  if (step.kind === 'item') return `[${around(Array.isArray(base) ? base[0] : undefined, rest, hole)}]`;
  const record =
    base !== null && typeof base === 'object' && !Array.isArray(base) ? (base as Record<string, unknown>) : {};
  const others = Object.entries(record).filter(([name]) => name !== step.name);
  const written = others.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)},`).join('');
  return `{${written}${JSON.stringify(step.name)}:${around(record[step.name], rest, hole)}}`;
}

const nameOf = (steps: Step[]): string =>
  steps
    .map((step) => (step.kind === 'item' ? '[]' : `.${step.name}`))
    .join('')
    .replace(/^\./, '');

/** Bodies of an operation of which one declared place is long, rightly or wrongly. */
export function declaredGrowth(target: Target): Growing[] {
  if (target.body === undefined) return [];
  const root = schemaOf(target.body);
  const base = target.example ?? drawn(root, root);
  const grow = (name: string, { steps }: Place, hole: (bytes: number) => string): Growing =>
    text(`${nameOf(steps) || 'body'}: ${name}`, (bytes) => around(base, steps, hole(bytes)));
  const found = placesIn(root, root, [], []).flatMap((place): Growing[] => {
    const { schema } = place;
    if (schema.type === 'string') return [grow('text', place, (n) => JSON.stringify('ab c'.repeat(n / 4)))];
    if (schema.type === 'array') {
      const item = JSON.stringify(drawn(schema.items ?? {}, root));
      return [
        grow('items', place, (n) => `[${times(n, () => item)}]`),
        grow('wrong items', place, (n) => `[${times(n, () => '0')}]`),
        grow('unknown keys in items', place, (n) => `[${times(n, () => '{"nmae":1}')}]`),
      ];
    }
    const values = schema.additionalProperties;
    if (values === undefined || values === false || Object.keys(values).length === 0) return [];
    const value = JSON.stringify(drawn(values, root));
    return [
      grow('entries', place, (n) => `{${times(n, (i) => `"K${i}":${value}`)}}`),
      grow('wrong entries', place, (n) => `{${times(n, (i) => `"K ${i}":[[]]`)}}`),
    ];
  });
  const [first] = rawGrowth;
  const unknown = first === undefined ? [] : [{ ...first, name: 'body: unknown keys' }];
  return [...new Map([...unknown, ...found].map((one) => [one.name, one])).values()];
}
