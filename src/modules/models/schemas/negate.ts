// The ways in which a value can break a part of a schema, each as a part of its own: what `not` asks for.

import { isTree, type Tree } from '../../../core/tree.js';
import { type Node, numberOf, type Schemas, typeNames, wordOf } from './nodes.js';

type Way = Tree | boolean | Node;

/**
 * Parts of which each value that is to break a schema most likely fits one. They are hints: whether it breaks the schema
 * is checked.
 */
export function waysToBreak(schemas: Schemas, node: Node): Node[] {
  if (typeof node.schema === 'boolean') return [schemas.derived(node, !node.schema)];
  const target = schemas.target(node);
  const ways: Way[] = [
    ...ofType(node),
    ...ofNumber(node),
    ...ofCount(node, 'string', 'minLength', 'maxLength'),
    ...ofCount(node, 'array', 'minItems', 'maxItems'),
    ...ofCount(node, 'object', 'minProperties', 'maxProperties'),
    ...ofNames(schemas, node),
    ...(target === undefined ? [] : [negated(target)]),
    ...schemas.children(node, 'allOf').map(negated),
    ...(wordOf(node, 'not') === undefined ? [] : [schemas.child(node, 'not') ?? true]),
  ];
  for (const word of ['anyOf', 'oneOf']) {
    const options = schemas.children(node, word);
    if (options.length > 0) ways.push({ allOf: options.map(negated) });
  }
  if (wordOf(node, 'pattern') !== undefined || wordOf(node, 'format') !== undefined) ways.push({ type: 'string' });
  if (wordOf(node, 'multipleOf') !== undefined) ways.push({ type: 'number' });
  return ways.map((way) => ('path' in Object(way) ? (way as Node) : schemas.derived(node, way as Tree | boolean)));
}

function negated({ schema }: Node): Tree {
  return { not: schema };
}

function ofType(node: Node): Tree[] {
  const types = [wordOf(node, 'type') ?? []].flat();
  if (types.length === 0) return [];
  const others = typeNames.filter(
    (name) => !types.includes(name) && !(name === 'integer' && types.includes('number')) && name !== 'integer',
  );
  return others.length === 0 ? [] : [{ type: others }];
}

function ofNumber(node: Node): Tree[] {
  const bounds: [string, string][] = [
    ['minimum', 'exclusiveMaximum'],
    ['maximum', 'exclusiveMinimum'],
    ['exclusiveMinimum', 'maximum'],
    ['exclusiveMaximum', 'minimum'],
  ];
  return bounds.flatMap(([word, other]) => {
    const bound = numberOf(node, word);
    return bound === undefined ? [] : [{ type: 'number', [other]: bound }];
  });
}

function ofCount(node: Node, type: string, least: string, most: string): Tree[] {
  const [low, high] = [numberOf(node, least), numberOf(node, most)];
  return [
    ...(low !== undefined && low > 0 ? [{ type, [most]: low - 1 }] : []),
    ...(high === undefined ? [] : [{ type, [least]: high + 1 }]),
  ];
}

function ofNames(schemas: Schemas, node: Node): Tree[] {
  const required = wordOf(node, 'required');
  const missing = Array.isArray(required) ? required.slice(0, 50) : [];
  const properties = wordOf(node, 'properties');
  const items = schemas.child(node, 'items');
  const rest = schemas.child(node, 'additionalProperties');
  return [
    ...(isTree(properties)
      ? Object.entries(properties)
          .slice(0, 50)
          .map(([name, schema]) => ({ type: 'object', properties: record(name, { not: schema }), required: [name] }))
      : []),
    ...missing.map((name) => ({ type: 'object', properties: record(String(name), false) })),
    ...(items === undefined ? [] : [{ type: 'array', contains: negated(items) }]),
    ...(rest === undefined ? [] : [{ type: 'object', minProperties: 1, additionalProperties: negated(rest) }]),
  ];
}

// A record of one name, which may be __proto__.
function record(name: string, value: unknown): Tree {
  return Object.fromEntries([[name, value]]);
}
