// The schemas that OpenAI takes: with `strict: true` it refuses what it cannot hold a reply to. The same is refused here,
// so that a test does not pass with what fails there; of other schemas, which other servers take, it is only said.

import { invalid } from '../../../core/errors.js';
import { describe } from '../../../core/problems.js';
import { isTree } from '../../../core/tree.js';
import { type Node, type PartCount, pathOf, Schema, unfit as unfitAt, wordOf } from './nodes.js';

/** A schema of a request. */
export interface SentSchema {
  schema: unknown;
  /** The field that holds it. */
  field: string;
  isStrict: boolean;
}

const mostProperties = 5_000;
const mostLevels = 10;
const mostListed = 1_000;
const mostCharacters = 120_000;

const refused = ['allOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentRequired', 'dependentSchemas'];
const refusedOfNames = ['patternProperties', 'propertyNames'];
const doubtful = ['minLength', 'maxLength', 'prefixItems', 'uniqueItems', 'contains', 'minContains', 'maxContains'];
const doubtfulOfObjects = ['minProperties', 'maxProperties', 'unevaluatedProperties', 'unevaluatedItems', 'default'];
const formats = ['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid'];

/**
 * Checks the schemas of a request.
 *
 * @throws ApiError VALIDATION_ERROR for a strict schema that OpenAI refuses
 */
export function checkSchemas(all: readonly SentSchema[], warn: (text: string) => void): void {
  // One for all of them: there may be a thousand.
  const count: PartCount = { parts: 0 };
  for (const sent of all) {
    if (sent.isStrict) checkStrict(sent, count, warn);
    else if (isTree(sent.schema) && !isObjectAtRoot(sent.schema))
      warn(`${sent.field}: OpenAI takes only schemas of type: "object", without anyOf at the top`);
  }
}

function isObjectAtRoot(schema: Record<string, unknown>): boolean {
  return Object.keys(schema).length === 0 || (schema.type === 'object' && !('anyOf' in schema));
}

interface Sums {
  properties: number;
  listed: number;
  characters: number;
}

function checkStrict({ schema, field }: SentSchema, count: PartCount, warn: (text: string) => void): void {
  const schemas = new Schema(schema, field, count);
  const { root } = schemas;
  const sums: Sums = { properties: 0, listed: 0, characters: 0 };
  const doubts = new Set<string>();
  if (wordOf(root, 'anyOf') !== undefined) throw unfit(root, 'anyOf', 'must not stand at the top of a strict schema');
  if (wordOf(root, 'type') !== 'object')
    throw unfit(root, 'type', 'must be "object" at the top of a strict schema', wordOf(root, 'type'));
  const waiting: { node: Node; level: number }[] = [{ node: root, level: 1 }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { node, level } = next;
    checkPart(node, level, schemas);
    checkSums(node, sums);
    for (const word of [...doubtful, ...doubtfulOfObjects]) if (wordOf(node, word) !== undefined) doubts.add(word);
    const isObject = wordOf(node, 'properties') !== undefined;
    for (const below of schemas.children(node, 'properties'))
      waiting.push({ node: below, level: isObject ? level + 1 : level });
    const items = schemas.child(node, 'items');
    if (items !== undefined) waiting.push({ node: items, level });
    for (const option of schemas.children(node, 'anyOf')) waiting.push({ node: option, level });
    if (node === root)
      for (const word of ['$defs', 'definitions'])
        for (const part of schemas.children(node, word)) waiting.push({ node: part, level: 1 });
  }
  if (doubts.size > 0)
    warn(`${field}: not among the words that OpenAI names for strict schemas: ${[...doubts].join(', ')}`);
}

function checkPart(node: Node, level: number, schemas: Schema): void {
  const word = [...refused, ...refusedOfNames].find((one) => wordOf(node, one) !== undefined);
  if (word !== undefined) throw unfit(node, word, 'is not permitted in a strict schema');
  if (wordOf(node, '$ref') !== undefined) {
    checkReference(node);
    return;
  }
  const types = [wordOf(node, 'type') ?? []].flat();
  if (types.length === 0 && ['anyOf', 'enum', 'const'].every((one) => wordOf(node, one) === undefined))
    throw unfit(node, 'type', 'is required in a strict schema');
  const format = wordOf(node, 'format');
  if (typeof format === 'string' && !formats.includes(format))
    throw unfit(node, 'format', `must be one of ${formats.join(', ')} in a strict schema`, format);
  if (
    types.includes('array') &&
    schemas.child(node, 'items') === undefined &&
    wordOf(node, 'prefixItems') === undefined
  )
    throw unfit(node, 'items', 'is required in a strict schema');
  if (types.includes('object')) checkObject(node, level);
}

function checkReference(node: Node): void {
  const other = Object.keys(node.schema).find((word) => word !== '$ref');
  if (other !== undefined) throw unfit(node, other, 'is not allowed beside $ref in a strict schema');
}

function checkObject(node: Node, level: number): void {
  if (level > mostLevels)
    throw unfit(node, 'properties', `must not be nested more deeply than ${mostLevels} levels in a strict schema`);
  if (wordOf(node, 'additionalProperties') !== false)
    throw unfit(node, 'additionalProperties', 'must be false in a strict schema', wordOf(node, 'additionalProperties'));
  const properties = wordOf(node, 'properties');
  const required = new Set([wordOf(node, 'required') ?? []].flat());
  const missing = isTree(properties) ? Object.keys(properties).find((name) => !required.has(name)) : undefined;
  if (missing !== undefined)
    throw unfit(
      node,
      'required',
      `must list every property in a strict schema, and ${describe(missing)} is missing: let it be null instead`,
    );
}

function checkSums(node: Node, sums: Sums): void {
  const list = wordOf(node, 'enum');
  const listed = Array.isArray(list) ? list : [];
  const constant = wordOf(node, 'const');
  const texts = [...listed, constant].filter((value) => typeof value === 'string');
  const names = ['properties', '$defs', 'definitions'].flatMap((word) => Object.keys(wordOf(node, word) ?? {}));
  sums.properties += Object.keys(wordOf(node, 'properties') ?? {}).length;
  sums.listed += listed.length;
  sums.characters += [...texts, ...names].reduce((sum, text) => sum + text.length, 0);
  if (sums.properties > mostProperties)
    throw unfit(node, 'properties', `are more than the ${mostProperties} of a strict schema`);
  if (sums.listed > mostListed)
    throw unfit(node, 'enum', `lists more than the ${mostListed} values of a strict schema`);
  if (sums.characters > mostCharacters)
    throw invalid({
      path: pathOf(node.path),
      message: `has more than the ${mostCharacters} characters of names and values of a strict schema`,
    });
}

function unfit(node: Node, word: string, message: string, received?: unknown): Error {
  return unfitAt({ above: node.path, step: word }, message, received);
}
