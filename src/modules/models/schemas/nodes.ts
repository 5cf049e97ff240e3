// The parts of a JSON Schema as a client sends it: each has a path, has its words checked once, and finds what it refers to.

import { type Budget, createBudget } from '../../../core/budget.js';
import { invalid } from '../../../core/errors.js';
import { describe, toldPath } from '../../../core/problems.js';
import { isTree, type Tree } from '../../../core/tree.js';

/** The position of a part: a step below another part, or, for the whole schema, the field of the request. */
export interface Path {
  above: Path | undefined;
  step: PropertyKey;
}

/** A part of a schema. Equal parts are one object, so that what holds twice is looked at once. */
export interface Node {
  readonly schema: Tree | boolean;
  readonly path: Path;
}

/** One schema, and the work that reading it may cause. */
export interface Schemas {
  root: Node;
  /** Counts work, of which each step takes well below a microsecond. */
  spend(steps: number): void;
  /** The part below another at these steps; undefined where there is none. */
  child(node: Node, ...steps: PropertyKey[]): Node | undefined;
  /** The parts of a list or a record below another, in their order. */
  children(node: Node, word: string): Node[];
  /** A part that says the same as some words of another, or less, for whoever makes a value. */
  derived(origin: Node, schema: Tree | boolean): Node;
  /** The part that another refers to. */
  target(node: Node): Node | undefined;
}

/** The most steps that the reply to one schema may take: some 30 milliseconds. */
export const mostSteps = 120_000;

/**
 * Reads a schema.
 *
 * @param field the field of the request that holds it
 * @param budget what the work counts against, if not a budget of its own
 * @throws ApiError VALIDATION_ERROR, now or later, that names the part that is no schema or causes too much work
 */
export function readSchemas(
  schema: unknown,
  field: string,
  budget: Budget = createBudget({ most: mostSteps, of: 'steps in which a value is made from a schema', path: field }),
): Schemas {
  const nodes = new Map<object, Node>();
  const targets = new Map<string, Node>();
  let names: Map<string, Node> | undefined;
  const spend = (steps: number): void => budget.spend(steps);

  function nodeOf(value: unknown, path: Path): Node {
    if (typeof value === 'boolean') return { schema: value, path };
    if (!isTree(value)) throw unfit(path, 'must be a schema: an object, or true or false', value);
    const known = nodes.get(value);
    if (known !== undefined) return known;
    spend(1);
    const node = { schema: value, path };
    checkWords(node);
    nodes.set(value, node);
    return node;
  }

  function child(node: Node, ...steps: PropertyKey[]): Node | undefined {
    let value: unknown = node.schema;
    let { path } = node;
    for (const step of steps) {
      if (value === null || typeof value !== 'object' || !Object.hasOwn(value, step)) return undefined;
      value = (value as Record<PropertyKey, unknown>)[step];
      path = { above: path, step };
    }
    return value === null || value === undefined ? undefined : nodeOf(value, path);
  }

  function children(node: Node, word: string): Node[] {
    const list = wordOf(node, word);
    if (list === null || typeof list !== 'object') return [];
    const path = { above: node.path, step: word };
    if (!Array.isArray(list)) spend(Object.keys(list).length);
    return Array.isArray(list)
      ? list.map((value, step) => nodeOf(value, { above: path, step }))
      : Object.entries(list).map(([step, value]) => nodeOf(value, { above: path, step }));
  }

  function target(node: Node): Node | undefined {
    const reference = wordOf(node, '$ref') ?? wordOf(node, '$dynamicRef') ?? wordOf(node, '$recursiveRef');
    if (typeof reference !== 'string') return undefined;
    const known = targets.get(reference);
    if (known !== undefined) return known;
    spend(reference.length);
    const found = pointed(reference) ?? named(reference);
    if (found === undefined)
      throw unfit({ above: node.path, step: '$ref' }, 'must refer to a part of the same schema', reference);
    targets.set(reference, found);
    return found;
  }

  function pointed(reference: string): Node | undefined {
    if (reference === '#' || reference === '#/') return root;
    if (!reference.startsWith('#/')) return undefined;
    const steps = reference.slice(2).split('/').map(unescaped);
    // A step through a list is its number.
    let value: unknown = root.schema;
    const typed = steps.map((step) => {
      const key = Array.isArray(value) && /^\d{1,9}$/.test(step) ? Number(step) : step;
      value =
        value !== null && typeof value === 'object' && Object.hasOwn(value, key) ? (value as Tree)[key] : undefined;
      return key;
    });
    return child(root, ...typed);
  }

  // By $id or $anchor: whoever has them is looked for once.
  function named(reference: string): Node | undefined {
    names ??= namesIn(root, spend, nodeOf);
    return names.get(reference);
  }

  const root: Node = nodeOf(schema, { above: undefined, step: field });
  return { root, spend, child, children, target, derived: (origin, value) => ({ schema: value, path: origin.path }) };
}

/** The value of one word of a part; null, which some clients send for what they leave out, counts as absent. */
export function wordOf({ schema }: Node, word: string): unknown {
  if (typeof schema === 'boolean' || !Object.hasOwn(schema, word)) return undefined;
  return schema[word] ?? undefined;
}

/** The number that a part says by one word. */
export function numberOf(node: Node, word: string): number | undefined {
  const value = wordOf(node, word);
  return typeof value === 'number' ? value : undefined;
}

/** The path of a part, as people write it. */
export function pathOf(path: Path): string {
  const steps: PropertyKey[] = [];
  for (let at: Path | undefined = path; at !== undefined; at = at.above) steps.push(at.step);
  return toldPath(steps.reverse());
}

function unfit(path: Path, message: string, received: unknown): Error {
  return invalid({ path: pathOf(path), message, received: describe(received) });
}

function unescaped(step: string): string {
  let text = step;
  try {
    text = decodeURIComponent(step);
  } catch {
    // A lone % stands for itself.
  }
  return text.replaceAll('~1', '/').replaceAll('~0', '~');
}

function namesIn(root: Node, spend: (steps: number) => void, nodeOf: (value: unknown, path: Path) => Node) {
  const names = new Map<string, Node>();
  const waiting: { value: unknown; path: Path }[] = [{ value: root.schema, path: root.path }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { value, path } = next;
    if (value === null || typeof value !== 'object') continue;
    const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
    spend(1 + entries.length);
    const { $id, $anchor, $dynamicAnchor } = value as Tree;
    if (typeof $id === 'string') names.set($id, nodeOf(value, path));
    for (const anchor of [$anchor, $dynamicAnchor])
      if (typeof anchor === 'string') names.set(`#${anchor}`, nodeOf(value, path));
    for (const [step, below] of entries) waiting.push({ value: below, path: { above: path, step } });
  }
  return names;
}

/** The types of JSON Schema. */
export const typeNames = ['object', 'array', 'string', 'integer', 'number', 'boolean', 'null'] as const;

type Check = [(value: unknown) => boolean, string];
const isSchema = (value: unknown): boolean => typeof value === 'boolean' || isTree(value);
const isType = (value: unknown): boolean => typeNames.some((name) => name === value);
const isNameList = (value: unknown): boolean => Array.isArray(value) && value.every((name) => typeof name === 'string');
const isFiniteNumber = (value: unknown): boolean => Number.isFinite(value);

const aSchema: Check = [isSchema, 'must be a schema: an object, or true or false'];
const aRecord: Check = [isTree, 'must be an object of schemas'];
const aList: Check = [Array.isArray, 'must be a list of schemas'];
const aNumber: Check = [isFiniteNumber, 'must be a number'];
const aBound: Check = [(value) => isFiniteNumber(value) || typeof value === 'boolean', 'must be a number'];
const aCount: Check = [
  (value) => Number.isInteger(value) && (value as number) >= 0,
  'must be a whole number, 0 or more',
];
const aText: Check = [(value) => typeof value === 'string', 'must be a string'];
const names: Check = [isNameList, 'must be a list of names'];

const words: Record<string, Check> = {
  type: [
    (value) => isType(value) || (Array.isArray(value) && value.length > 0 && value.every(isType)),
    `must be one of ${typeNames.join(', ')}, or a list of them`,
  ],
  enum: [Array.isArray, 'must be a list of values'],
  multipleOf: [(value) => isFiniteNumber(value) && (value as number) > 0, 'must be a number above 0'],
  items: [(value) => isSchema(value) || Array.isArray(value), 'must be a schema'],
  required: names,
  ...named(aText, '$ref', '$dynamicRef', 'pattern', 'format'),
  ...named(aNumber, 'minimum', 'maximum'),
  ...named(aBound, 'exclusiveMinimum', 'exclusiveMaximum'),
  ...named(aCount, 'minLength', 'maxLength', 'minItems', 'maxItems', 'minContains', 'maxContains'),
  ...named(aCount, 'minProperties', 'maxProperties'),
  ...named(aRecord, 'properties', 'patternProperties', 'dependentSchemas', 'dependentRequired', 'dependencies'),
  ...named(aList, 'allOf', 'anyOf', 'oneOf', 'prefixItems'),
  ...named(aSchema, 'not', 'if', 'then', 'else', 'contains', 'propertyNames', 'additionalProperties'),
  ...named(aSchema, 'additionalItems', 'unevaluatedProperties', 'unevaluatedItems'),
};

function named(check: Check, ...all: string[]): Record<string, Check> {
  return Object.fromEntries(all.map((name) => [name, check]));
}

function checkWords(node: Node): void {
  if (typeof node.schema === 'boolean') return;
  for (const word of Object.keys(node.schema)) {
    const check = Object.hasOwn(words, word) ? words[word] : undefined;
    const value = wordOf(node, word);
    if (check === undefined || value === undefined || check[0](value)) continue;
    throw unfit({ above: node.path, step: word }, check[1], value);
  }
}
