// A value that fits a JSON Schema: the same for equal schemas, and plain to read.

import { isTree, mergeTrees, type Tree } from '../../core/tree.js';

const deepest = 12;
const mostValues = 1_000;
const mostItems = 20;
const longest = 10_000;

/**
 * A value that fits a schema, so far as the schema is one; parts that may be left out are left out below the top.
 *
 * @param now what times show, in milliseconds
 */
export function sampleOf(schema: unknown, now: number): unknown {
  return sample(schema, { root: schema, now, name: 'value', depth: 0, budget: { left: mostValues } });
}

interface Place {
  root: unknown;
  now: number;
  /** The name of the field that holds the value. */
  name: string;
  depth: number;
  /** Values that may still be made: a schema that refers to itself can ask for any number. */
  budget: { left: number };
}

function sample(schema: unknown, place: Place): unknown {
  if (!isTree(schema) || place.depth > deepest || place.budget.left-- <= 0) return place.name;
  const at = { ...place, depth: place.depth + 1 };
  if (typeof schema.$ref === 'string') return sample(referred(schema.$ref, place.root), at);
  if ('const' in schema) return schema.const;
  if (Array.isArray(schema.enum) && schema.enum.length > 0) return schema.enum[0];
  if ('default' in schema) return schema.default;
  if (Array.isArray(schema.examples) && schema.examples.length > 0) return schema.examples[0];
  for (const union of ['anyOf', 'oneOf'] as const) {
    const [first] = Array.isArray(schema[union]) ? (schema[union] as unknown[]) : [];
    if (first !== undefined) return sample(first, at);
  }
  if (Array.isArray(schema.allOf)) return sample(allOf(schema, schema.allOf, place.root), at);
  return ofType(schema, at);
}

function allOf({ allOf: _, ...schema }: Tree, parts: readonly unknown[], root: unknown): Tree {
  const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
  return parts.slice(0, mostItems).reduce<Tree>((merged, part) => {
    const target = isTree(part) && typeof part.$ref === 'string' ? referred(part.$ref, root) : part;
    if (!isTree(target)) return merged;
    return { ...mergeTrees(merged, target), required: [...list(merged.required), ...list(target.required)] };
  }, schema);
}

function ofType(schema: Tree, place: Place): unknown {
  const [type = guessedType(schema)] = [schema.type].flat();
  switch (type) {
    case 'object':
      return objectOf(schema, place);
    case 'array':
      return listOf(schema, place);
    case 'number':
    case 'integer':
      return numberOf(schema, type === 'integer');
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return textOf(schema, place);
  }
}

function guessedType(schema: Tree): string {
  if (isTree(schema.properties)) return 'object';
  return schema.items === undefined ? 'string' : 'array';
}

function objectOf({ properties, required }: Tree, place: Place): Tree {
  const known = isTree(properties) ? properties : {};
  const demanded = Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
  // At the top everything is shown; below, what refers to itself must end somewhere.
  const names = place.depth <= 2 ? [...new Set([...Object.keys(known), ...demanded])] : demanded;
  return Object.fromEntries(names.map((name) => [name, sample(known[name] ?? {}, { ...place, name })]));
}

function listOf({ items, prefixItems, minItems }: Tree, place: Place): unknown[] {
  if (Array.isArray(prefixItems)) return prefixItems.slice(0, mostItems).map((item) => sample(item, place));
  const least = typeof minItems === 'number' ? Math.min(minItems, mostItems) : 1;
  // Below, a list may be empty, and must be where it would go on for ever.
  const count = place.depth > 4 && !(least > 1) && minItems === undefined ? 0 : Math.max(0, least);
  return Array.from({ length: count }, () => sample(items ?? {}, place));
}

function numberOf(schema: Tree, whole: boolean): number {
  const bound = (name: string): number | undefined => (typeof schema[name] === 'number' ? schema[name] : undefined);
  const step = bound('multipleOf') ?? (whole ? 1 : undefined);
  const above = bound('exclusiveMinimum');
  const below = bound('exclusiveMaximum');
  const least = bound('minimum') ?? (above === undefined ? undefined : above + (step ?? 1));
  const most = bound('maximum') ?? (below === undefined ? undefined : below - (step ?? 1));
  let value = 1;
  if (least !== undefined && value < least) value = least;
  if (most !== undefined && value > most) value = most;
  if (step === undefined || step <= 0) return value;
  const rounded = Math.ceil(value / step) * step;
  return most !== undefined && rounded > most ? Math.floor(value / step) * step : rounded;
}

function textOf({ format, minLength, maxLength }: Tree, { name, now }: Place): string {
  const text = formatted(format, now) ?? name;
  const least = typeof minLength === 'number' ? Math.min(minLength, longest) : 0;
  const most = typeof maxLength === 'number' ? Math.max(0, maxLength) : longest;
  return text.padEnd(least, '.').slice(0, most);
}

function formatted(format: unknown, now: number): string | undefined {
  const instant = new Date(now).toISOString();
  const known: Record<string, string> = {
    'date-time': instant,
    date: instant.slice(0, 10),
    time: instant.slice(11),
    email: 'user@example.com',
    uri: 'https://example.com/',
    url: 'https://example.com/',
    hostname: 'example.com',
    ipv4: '192.0.2.1',
    ipv6: '2001:db8::1',
    uuid: '00000000-0000-4000-8000-000000000000',
    duration: 'PT1H',
  };
  return typeof format === 'string' && Object.hasOwn(known, format) ? known[format] : undefined;
}

function referred(reference: string, root: unknown): unknown {
  if (!reference.startsWith('#')) return {};
  let found: unknown = root;
  for (const step of reference.slice(1).split('/').filter(Boolean)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (!isTree(found) || !Object.hasOwn(found, name)) return {};
    found = found[name];
  }
  return found;
}
