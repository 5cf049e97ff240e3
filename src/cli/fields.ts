// Converts the input schemas of a control operation to the flags of a command, and flags back to its input.

import * as z from 'zod';
import type { Flag, Naming } from '../control/command.js';
import type { ControlOperation } from '../control/operation.js';
import { meanings } from '../core/duration-schemas.js';
import { parsedJson } from '../core/json.js';
import { mergeTrees, type Tree } from '../core/tree.js';
import { type Values, withValues } from './command.js';
import { parseJson, readDocument } from './document.js';
import { failUsage } from './print.js';
import { numeral } from './start-options.js';

export interface Field {
  /** The name of the field on the command line. */
  name: string;
  place: 'params' | 'query' | 'body';
  /** Its path in the input. */
  path: readonly string[];
  types: readonly string[];
  /** The types of a list's items. */
  items: readonly string[];
  /** Whether it is an object of any names, each with a text: it can be written `name=value`. */
  isPairs: boolean;
  /** Whether their values may be anything: what reads as JSON is JSON. */
  holdsAny: boolean;
  /** How a parser is to read it; what it suggests are the words that the field may be, or be made of. */
  flag: Flag;
  /** The smallest that a number may be. */
  least: number | undefined;
  isRequired: boolean;
}

interface Schema {
  type?: string | string[];
  anyOf?: Schema[];
  items?: Schema;
  enum?: unknown[];
  const?: unknown;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  description?: string;
  meant?: string;
  isDuration?: true;
  minimum?: number;
  maximum?: number;
  default?: unknown;
}

/** The fields of a control operation's path, query and body; parts of nested objects are fields too, under their own last name. */
export function fieldsOf({ params, query, body }: ControlOperation, { names = {}, only }: Naming = {}): Field[] {
  const fieldsIn = (schema: z.ZodType | undefined, place: Field['place']): Field[] =>
    schema === undefined ? [] : fieldsBelow(jsonSchemaOf(schema), place, [], names);
  const all = [...fieldsIn(params, 'params'), ...fieldsIn(query, 'query'), ...fieldsIn(body, 'body')];
  const byName = new Map<string, Field>();
  for (const field of all) {
    const path = field.path.join('.');
    if (only !== undefined && !only.includes(path)) continue;
    const other = byName.get(field.name)?.path.join('.') ?? path;
    if (other !== path) throw new Error(`${other} and ${path} are both called --${field.name}`);
    byName.set(field.name, field);
  }
  return [...byName.values()];
}

function jsonSchemaOf(schema: z.ZodType): Schema {
  return z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => void Object.assign(jsonSchema, meanings.get(zodSchema)),
  }) as Schema;
}

function fieldsBelow(
  schema: Schema,
  place: Field['place'],
  path: readonly string[],
  names: Record<string, string>,
): Field[] {
  return partsOf(schema).flatMap(([name, part]) => {
    const inside = [...path, name];
    const key = inside.join('.');
    const isOpened = Object.keys(names).some((other) => other.startsWith(`${key}.`));
    if (isOpened || onlyParts(part)) return fieldsBelow(part, place, inside, names);
    return [
      {
        name: names[key] ?? kebab(name),
        place,
        path: inside,
        types: typesOf(part),
        items: part.items === undefined ? [] : typesOf(part.items),
        isPairs: isPairs(part),
        holdsAny: holdsAny(part),
        flag: flagOf(part, name),
        least: part.minimum,
        isRequired: path.length === 0 && schema.required?.includes(name) === true,
      },
    ];
  });
}

function flagOf(schema: Schema, name: string): Flag {
  const [type, other] = typesOf(schema);
  const suggestions = wordsOf(schema);
  return {
    type: other === undefined && (type === 'boolean' || type === 'number') ? type : 'string',
    describe: describeOf(schema, name),
    meant: schema.meant,
    isDuration: isDuration(schema) || undefined,
    most: schema.maximum,
    byDefault: typeof schema.default === 'number' ? String(schema.default) : undefined,
    suggestions: suggestions.length > 0 ? suggestions : undefined,
  };
}

function partsOf({ properties = {}, anyOf = [] }: Schema): [string, Schema][] {
  return [...Object.entries(properties), ...anyOf.flatMap(partsOf)];
}

const isDuration = ({ isDuration: is, anyOf = [] }: Schema): boolean => is === true || anyOf.some(isDuration);

// Whether it can be written only by its parts.
function onlyParts({ properties, anyOf }: Schema): boolean {
  return anyOf === undefined ? properties !== undefined : anyOf.every(onlyParts);
}

function isPairs({ anyOf = [], additionalProperties: values, properties }: Schema): boolean {
  const takes = typeof values === 'object' && properties === undefined ? typesOf(values) : [];
  return takes.includes('string') || takes.includes('any') || anyOf.some(isPairs);
}

// Of values that may be anything, what reads as JSON is JSON.
const holdsAny = ({ anyOf = [], additionalProperties: values }: Schema): boolean =>
  (typeof values === 'object' && typesOf(values).includes('any')) || anyOf.some(holdsAny);

function typesOf({ type, anyOf, enum: words, const: only }: Schema): string[] {
  if (anyOf !== undefined) return [...new Set(anyOf.flatMap(typesOf))];
  if (words !== undefined || only !== undefined) return [typeof (words?.[0] ?? only)];
  return type === undefined ? ['any'] : [type].flat().map((name) => (name === 'integer' ? 'number' : name));
}

function wordsOf({ enum: words = [], anyOf = [], items }: Schema): string[] {
  const own = words.filter((word): word is string => typeof word === 'string');
  return [...own, ...[...anyOf, ...(items === undefined ? [] : [items])].flatMap(wordsOf)];
}

const largest = 1e6;

function describeOf(schema: Schema, name: string): string {
  const { description, minimum, maximum } = schema;
  const words = (schema.enum ?? []).map(String);
  const isBound = (limit: number | undefined): boolean => limit !== undefined && Math.abs(limit) < largest;
  const range = isBound(minimum) && isBound(maximum) ? `${minimum} to ${maximum}` : '';
  const pairs = isPairs(schema) ? 'name=value' : '';
  const list = pairs !== '' || typesOf(schema).includes('array') ? 'several separated by commas' : '';
  // On a command line nobody can write a number of milliseconds without its unit.
  const meaning = isDuration(schema) ? description?.replace(/,? (or )?milliseconds\b/, '') : description;
  const text = withValues(meaning ?? name[0]?.toUpperCase() + name.slice(1), words);
  return [text, range, pairs, list].filter((part) => part !== '').join('; ');
}

function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

export interface Input {
  params: Record<string, string>;
  query: Record<string, string>;
  /** undefined: nothing was said. */
  body: Tree | undefined;
}

/** The request to the control operation; `whole` is the initial document. */
export function inputOf(fields: readonly Field[], values: Values, whole: Tree | undefined): Input {
  const input: Input = { params: {}, query: {}, body: whole };
  for (const field of fields) {
    const value = values[field.name];
    if (value === undefined) continue;
    const { place, path } = field;
    const [last = ''] = path.slice(-1);
    if (place === 'body') {
      const read = typeof value === 'string' ? readValue(field, value) : value;
      const tree = path.reduceRight<unknown>((inner, step) => ({ [step]: inner }), read) as Tree;
      input.body = mergeTrees(input.body ?? {}, tree);
    } else {
      // In digits alone: queries have no other numbers.
      input[place][last] = String(typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : value);
    }
  }
  return input;
}

function readValue({ name, types, items, isPairs, holdsAny }: Field, text: string): unknown {
  const may = (type: string): boolean => types.includes(type);
  if (text === 'null' && may('null')) return null;
  const isList = may('array') && /^\s*\[/.test(text);
  const isJson = isList || (/^\s*[[{"]/.test(text) && (may('any') || may('object')));
  if (isJson) return parseJson(text, `--${name}`);
  // A list of one thing.
  if (may('array') && items.includes('object') && /^\s*\{/.test(text)) return [parseJson(text, `--${name}`)];
  if (may('object') && text.endsWith('.json')) return readDocument(text);
  if (isPairs && !may('string')) return pairsIn(text, name, holdsAny);
  if (may('object') && !may('string'))
    return failUsage({ field: `--${name}`, meant: `JSON: '{"name": "value"}'`, received: text });
  if (may('array') && (text.includes(',') || types.length === 1))
    return text.split(',').map((part) => scalar(part.trim(), may('number') || items.includes('number')));
  if (types.every((type) => type === 'number' || type === 'null') && numeral.test(text)) return Number(text);
  return scalar(text, may('number') || may('any'));
}

function pairsIn(list: string, name: string, readsJson: boolean): Record<string, unknown> {
  const pairs = list.split(',').map((part): [string, unknown] => {
    const [, key = '', value = ''] = /^\s*([^\s=][^=]*)=(.*)$/s.exec(part) ?? [];
    const form = `name=value, several separated by commas, or JSON: '{"name": "value"}'`;
    return key === ''
      ? failUsage({ field: `--${name}`, meant: form, received: list })
      : [key, (readsJson ? parsedJson(value) : undefined) ?? value];
  });
  return Object.fromEntries(pairs);
}

function scalar(text: string, mayBeNumber: boolean): string | number {
  return mayBeNumber && numeral.test(text) && String(Number(text)) === text ? Number(text) : text;
}
