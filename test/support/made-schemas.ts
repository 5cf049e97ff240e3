// Schemas that are drawn from a seed, each around a value that conforms to it: a reply can be made for all of them.

import { Random } from '../../src/core/random.js';
import type { Tree } from '../../src/core/tree.js';

type Draw = (most: number) => number;

/** A schema, and a value that conforms to it. */
export function madeSchema(seed: string, number: number): { schema: Tree; value: unknown } {
  const random = new Random(seed);
  let drawn = 0;
  const draw: Draw = (most) => Math.floor(random.fraction('schema', number, drawn++) * most);
  const value = Object.fromEntries(names(draw, 1 + draw(4)).map((name) => [name, drawnValue(draw, 3)]));
  const defs: Tree = {};
  const schema = around(value, draw, defs, 0);
  return { schema: { ...schema, ...(Object.keys(defs).length > 0 && { $defs: defs }) }, value };
}

const words = ['id', 'name', 'items', 'a/b', 'x~y', 'size', 'Ä', 'kind'];
const texts = [
  '',
  'a',
  'Paris',
  'x-12',
  'AB-1234',
  'user@example.com',
  '2026-01-01',
  'déjà vu',
  '😀',
  'a "quoted" text',
];

function names(draw: Draw, count: number): string[] {
  return [...new Set(Array.from({ length: count }, () => words[draw(words.length)] ?? 'a'))];
}

function drawnValue(draw: Draw, depth: number): unknown {
  switch (draw(depth > 0 ? 9 : 6)) {
    case 0:
    case 1:
      return texts[draw(texts.length)];
    case 2:
      return draw(200) - 100;
    case 3:
      return (draw(400) - 200) / 4;
    case 4:
      return draw(2) === 0;
    case 5:
      return null;
    case 6:
      return Array.from({ length: draw(5) }, () => drawnValue(draw, depth - 1));
    default:
      return Object.fromEntries(names(draw, draw(5)).map((name) => [name, drawnValue(draw, depth - 1)]));
  }
}

/** A schema to which the value conforms. */
function around(value: unknown, draw: Draw, defs: Tree, depth: number): Tree {
  const schema = plain(value, draw, defs, depth);
  if (depth === 0) return schema;
  const other = (): Tree => plain(drawnValue(draw, 1), draw, defs, depth + 1);
  switch (draw(14)) {
    case 0: {
      const name = `def${Object.keys(defs).length}`;
      defs[name] = schema;
      return { $ref: `#/$defs/${name}` };
    }
    case 1:
      return { anyOf: [schema, other()] };
    case 2:
      return { anyOf: [other(), other(), schema] };
    case 3:
      return { allOf: [schema, plain(value, draw, defs, depth)] };
    case 4:
      return { oneOf: [schema, { const: `not ${draw(100)}` }] };
    case 5:
      return { ...schema, not: { const: `none ${draw(100)}` } };
    case 6:
      // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema
      return { if: { type: typeOf(value) }, then: schema, else: { type: 'boolean' } };
    case 7:
      return { allOf: [{ not: { type: typeOf(value) === 'boolean' ? 'string' : 'boolean' } }, schema] };
    case 8:
      return { enum: [value, 'another'] };
    case 9:
      return { const: value };
    default:
      return schema;
  }
}

function plain(value: unknown, draw: Draw, defs: Tree, depth: number): Tree {
  if (typeof value === 'string') return ofText(value, draw);
  if (typeof value === 'number') return ofNumber(value, draw);
  if (Array.isArray(value)) return ofList(value, draw, defs, depth);
  if (value !== null && typeof value === 'object') return ofObject(value as Tree, draw, defs, depth);
  return draw(2) === 0 ? { type: typeOf(value) } : { type: [typeOf(value), 'string'] };
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function ofText(text: string, draw: Draw): Tree {
  const length = [...text].length;
  const escaped = text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  const options: Tree[] = [
    {},
    { minLength: Math.max(0, length - draw(3)) },
    { maxLength: length + draw(3) },
    { minLength: length, maxLength: length },
    { pattern: `^${escaped}$` },
    { pattern: `^.{${length}}$` },
    { pattern: '^[^\\n]*$', minLength: length },
    { not: { pattern: '^value' } },
    { not: { maxLength: Math.max(0, length - 1) }, ...(length === 0 && { not: { minLength: 1 } }) },
    ...(text.includes('@') ? [{ format: 'email' }] : []),
    ...(/^\d{4}-/.test(text) ? [{ format: 'date' }] : []),
  ];
  return { type: 'string', ...options[draw(options.length)] };
}

function ofNumber(value: number, draw: Draw): Tree {
  const options: Tree[] = [
    {},
    { minimum: value },
    { maximum: value },
    { minimum: value, maximum: value },
    { exclusiveMinimum: value - 0.5, exclusiveMaximum: value + 0.5 },
    { exclusiveMinimum: value - 1 },
    { multipleOf: 0.25, minimum: value },
    { multipleOf: Math.abs(value) || 1, maximum: value },
    { not: { minimum: value + 1 } },
    { not: { exclusiveMaximum: value } },
  ];
  const type = Number.isInteger(value) && draw(2) === 0 ? 'integer' : 'number';
  return { type, ...options[draw(options.length)] };
}

function ofList(list: unknown[], draw: Draw, defs: Tree, depth: number): Tree {
  const schemas = list.map((item) => around(item, draw, defs, depth + 1));
  const isUnique = new Set(list.map((item) => JSON.stringify(item))).size === list.length;
  const any = schemas.length === 0 ? {} : { items: { anyOf: schemas } };
  const options: Tree[] = [
    { prefixItems: schemas, items: false, minItems: list.length },
    { prefixItems: schemas.slice(0, 1), minItems: list.length },
    { ...any, minItems: list.length, maxItems: list.length + draw(2) },
    { ...any, maxItems: list.length },
    ...(list.length > 0 ? [{ contains: schemas[draw(schemas.length)], minItems: list.length }] : [{ maxItems: 0 }]),
    ...(list.length > 0 ? [{ prefixItems: schemas, unevaluatedItems: false, minItems: list.length }] : []),
  ];
  const unique = isUnique && draw(2) === 0 ? { uniqueItems: true } : {};
  return { type: 'array', ...withoutEmpty(options[draw(options.length)] ?? {}), ...unique };
}

// A list of no schemas is none.
function withoutEmpty(schema: Tree): Tree {
  return Object.fromEntries(Object.entries(schema).filter(([, part]) => !(Array.isArray(part) && part.length === 0)));
}

function ofObject(value: Tree, draw: Draw, defs: Tree, depth: number): Tree {
  const all = Object.keys(value);
  const properties = Object.fromEntries(all.map((name) => [name, around(value[name], draw, defs, depth + 1)]));
  const known = { properties, required: all.filter(() => draw(3) > 0) };
  const escaped = (name: string): string => `^${name.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')}$`;
  const [one = 'none', two = one] = all;
  const options: Tree[] = [
    { ...known, additionalProperties: false },
    { ...known, required: all, additionalProperties: false },
    { ...known, minProperties: all.length },
    { ...known, maxProperties: all.length },
    { ...known, minProperties: all.length, maxProperties: all.length, additionalProperties: false },
    {
      patternProperties: Object.fromEntries(all.map((name) => [escaped(name), properties[name]])),
      additionalProperties: false,
      required: all,
    },
    { required: all, additionalProperties: all.length === 0 ? {} : { anyOf: Object.values(properties) } },
    { ...known, propertyNames: { enum: [...all, 'more'] }, minProperties: Math.min(1, all.length) },
    { ...known, required: all, dependentRequired: Object.fromEntries([[one, all.includes(two) ? [two] : []]]) },
    { ...known, required: all, dependentSchemas: Object.fromEntries([[one, { minProperties: all.length }]]) },
    { ...known, required: all, unevaluatedProperties: false },
    { ...known, additionalProperties: { type: 'integer' }, minProperties: all.length + (draw(2) === 0 ? 0 : 0) },
  ];
  return { type: 'object', ...options[draw(options.length)] };
}
