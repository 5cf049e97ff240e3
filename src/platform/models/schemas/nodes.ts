// The parts of a JSON Schema as a client sends it: each has a path, has its words checked once, and finds what it refers to.

import { invalid } from '../../../core/errors.js';
import { describe, toldPath } from '../../../core/problems.js';
import { isTree, type Tree } from '../../../core/tree.js';

/** The position of a part: a step below another part, or, for the whole schema, the field of the request. */
export interface Path {
  above: Path | undefined;
  step: PropertyKey;
}

/** A part of a schema. */
export interface Node {
  readonly schema: Tree | boolean;
  readonly path: Path;
}

/** OpenAI allows 5,000 properties. */
const mostParts = 20_000;

/** How many parts were read, of all schemas of a request together. */
export interface PartCount {
  parts: number;
}

/** One schema, whose parts are read when they are asked for. Errors name the part that is no schema. */
export class Schema {
  readonly root: Node;
  readonly #count: PartCount;
  readonly #nodes = new Map<object, Node>();

  /** @param field the field of the request that holds it */
  constructor(schema: unknown, field: string, count: PartCount = { parts: 0 }) {
    this.#count = count;
    this.root = this.#nodeOf(schema, { above: undefined, step: field });
  }

  /** The part below another at these steps; undefined where there is none. */
  child(node: Node, ...steps: PropertyKey[]): Node | undefined {
    let value: unknown = node.schema;
    let { path } = node;
    for (const step of steps) {
      if (value === null || typeof value !== 'object' || !Object.hasOwn(value, step)) return undefined;
      value = (value as Record<PropertyKey, unknown>)[step];
      path = { above: path, step };
    }
    return value === null || value === undefined ? undefined : this.#nodeOf(value, path);
  }

  /** The parts of a list or a record below another, in their order. */
  children(node: Node, word: string): Node[] {
    const list = wordOf(node, word);
    if (list === null || typeof list !== 'object') return [];
    const path = { above: node.path, step: word };
    return Array.isArray(list)
      ? list.map((value, step) => this.#nodeOf(value, { above: path, step }))
      : Object.entries(list).map(([step, value]) => this.#nodeOf(value, { above: path, step }));
  }

  /** The part that another refers to. */
  target(node: Node): Node | undefined {
    const reference = wordOf(node, '$ref');
    if (typeof reference !== 'string') return undefined;
    const found = reference === '#' ? this.root : reference.startsWith('#/') ? this.#pointed(reference) : undefined;
    if (found !== undefined) return found;
    throw unfit(
      { above: node.path, step: '$ref' },
      'must refer to a part of the same schema, such as #/$defs/name',
      reference,
    );
  }

  #pointed(reference: string): Node | undefined {
    // A step through a list is its number.
    let value: unknown = this.root.schema;
    const steps = reference
      .slice(2)
      .split('/')
      .map((step) => {
        const name = unescaped(step);
        const key = Array.isArray(value) && /^\d{1,9}$/.test(name) ? Number(name) : name;
        value = Object.hasOwn(Object(value), key) ? (value as Tree)[key] : undefined;
        return key;
      });
    return this.child(this.root, ...steps);
  }

  #nodeOf(value: unknown, path: Path): Node {
    if (typeof value === 'boolean') return { schema: value, path };
    if (!isTree(value)) throw unfit(path, 'must be a schema: an object, or true or false', value);
    const known = this.#nodes.get(value);
    if (known !== undefined) return known;
    if (++this.#count.parts > mostParts)
      throw unfit(path, `asks for too much: the schemas of a request have at most ${mostParts} parts`);
    const node = { schema: value, path };
    checkWords(node);
    this.#nodes.set(value, node);
    return node;
  }
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

/** The error for a part that is no schema, or none that a value is made from. */
export function unfit(path: Path, message: string, received?: unknown): Error {
  const problem = { path: pathOf(path), message };
  return invalid(received === undefined ? problem : { ...problem, received: describe(received) });
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

/** The types of JSON Schema. */
export const typeNames = ['object', 'array', 'string', 'integer', 'number', 'boolean', 'null'] as const;

/** What a word must hold, and which parts are below it. */
interface Word {
  is: (value: unknown) => boolean;
  message: string;
  parts?: 'one' | 'list' | 'record';
}

const isSchema = (value: unknown): boolean => typeof value === 'boolean' || isTree(value);
const isType = (value: unknown): boolean => typeNames.some((name) => name === value);

const aSchema: Word = { is: isSchema, message: 'must be a schema: an object, or true or false', parts: 'one' };
const aRecord: Word = { is: isTree, message: 'must be an object of schemas', parts: 'record' };
const aList: Word = { is: Array.isArray, message: 'must be a list of schemas', parts: 'list' };
const aNumber: Word = { is: Number.isFinite, message: 'must be a number' };
const aBound: Word = { ...aNumber, is: (value) => Number.isFinite(value) || typeof value === 'boolean' };
const aCount: Word = {
  is: (value) => Number.isInteger(value) && (value as number) >= 0,
  message: 'must be a whole number, 0 or more',
};
const aText: Word = { is: (value) => typeof value === 'string', message: 'must be a string' };
const aFlag: Word = { is: (value) => typeof value === 'boolean', message: 'must be true or false' };

/** The words that say something of values. */
export const words = new Map<string, Word>([
  [
    'type',
    {
      is: (value) => isType(value) || (Array.isArray(value) && value.length > 0 && value.every(isType)),
      message: `must be one of ${typeNames.join(', ')}, or a list of them`,
    },
  ],
  ['const', { is: () => true, message: '' }],
  ['enum', { is: Array.isArray, message: 'must be a list of values' }],
  [
    'multipleOf',
    { is: (value) => Number.isFinite(value) && (value as number) > 0, message: 'must be a number above 0' },
  ],
  ['items', { is: (value) => isSchema(value) || Array.isArray(value), message: 'must be a schema' }],
  [
    'required',
    {
      is: (value) => Array.isArray(value) && value.every((name) => typeof name === 'string'),
      message: 'must be a list of names',
    },
  ],
  ['dependentRequired', { is: isTree, message: 'must be an object of lists of names' }],
  ...named(aText, '$ref', 'pattern', 'format'),
  ...named(aFlag, 'uniqueItems', 'nullable'),
  ...named(aNumber, 'minimum', 'maximum'),
  ...named(aBound, 'exclusiveMinimum', 'exclusiveMaximum'),
  ...named(aCount, 'minLength', 'maxLength', 'minItems', 'maxItems', 'minContains', 'maxContains'),
  ...named(aCount, 'minProperties', 'maxProperties'),
  ...named(aRecord, 'properties', 'patternProperties', 'dependentSchemas'),
  ...named(aList, 'allOf', 'anyOf', 'oneOf', 'prefixItems'),
  ...named(aSchema, 'not', 'if', 'then', 'else', 'contains', 'propertyNames', 'additionalProperties'),
  ...named(aSchema, 'additionalItems', 'unevaluatedProperties', 'unevaluatedItems'),
]);

/** Words of JSON Schema that the emulator does not know. */
const unsupported = ['$dynamicRef', '$recursiveRef', 'dependencies'];

function named(word: Word, ...all: string[]): [string, Word][] {
  return all.map((name) => [name, word]);
}

function checkWords(node: Node): void {
  for (const name of Object.keys(node.schema)) {
    const value = wordOf(node, name);
    const path = { above: node.path, step: name };
    if (unsupported.includes(name)) throw unfit(path, 'is a word of JSON Schema that the emulator does not support');
    const word = words.get(name);
    if (word !== undefined && value !== undefined && !word.is(value)) throw unfit(path, word.message, value);
  }
}

// Numbers that lie within bounds and are multiples.

const most = 300;

/** Numbers that fit all these parts, the plainest first: near 1. */
export function* numbersFor(nodes: readonly Node[], isWhole: boolean): Generator<number> {
  const bounds = nodes.map(boundsOf);
  const low = Math.max(...bounds.map((bound) => bound.low));
  const high = Math.min(...bounds.map((bound) => bound.high));
  const steps = nodes.flatMap((node) => numberOf(node, 'multipleOf') ?? []);
  if (isWhole) steps.push(1);
  const seen = new Set<number>();
  for (const value of steps.length > 0 ? multiples(low, high, Math.max(...steps)) : between(low, high)) {
    if (seen.has(value) || !Number.isFinite(value) || value < low || value > high) continue;
    if (bounds.some(({ above, below }) => value <= above || value >= below)) continue;
    if (!steps.every((step) => Number.isInteger(value / step))) continue;
    seen.add(value);
    // No -0: JSON has none.
    yield value === 0 ? 0 : value;
  }
}

/** The bounds that a part sets to numbers; also those of older drafts, whose exclusive bounds are true or false. */
function boundsOf(node: Node): { low: number; high: number; above: number; below: number } {
  const [least, greatest] = [numberOf(node, 'minimum') ?? -Infinity, numberOf(node, 'maximum') ?? Infinity];
  const above = exclusive(node, 'exclusiveMinimum', least) ?? -Infinity;
  const below = exclusive(node, 'exclusiveMaximum', greatest) ?? Infinity;
  return { low: Math.max(least, above), high: Math.min(greatest, below), above, below };
}

/** A bound that is no value itself. */
export function exclusive(node: Node, word: string, bound: number | undefined): number | undefined {
  const value = wordOf(node, word);
  return value === true ? bound : typeof value === 'number' ? value : undefined;
}

function* between(low: number, high: number): Generator<number> {
  yield Math.min(Math.max(1, low), high);
  const [from, to] = [
    Number.isFinite(low) ? low : Math.min(high, 0) - 1_000,
    Number.isFinite(high) ? high : Math.max(low, 0) + 1_000,
  ];
  yield* [from + 1, to - 1, from / 2 + to / 2, low, high, 0, 0.5, -1];
  for (let n = 1; n <= most; n++) yield* [1 + n, from + n, to - n, -n, from + (to / most - from / most) * n];
}

function* multiples(low: number, high: number, step: number): Generator<number> {
  // Without an error that adds up: 3 × 0.1 is 0.3.
  const times = (factor: number): number => Number((step * factor).toPrecision(15));
  const [least, greatest] = [Math.ceil(low / step), Math.floor(high / step)];
  const start = Math.min(Math.max(Math.ceil(1 / step), least), greatest);
  for (let n = 0; n <= most; n++) yield* [times(start + n), times(start - n)];
  for (let n = 0; n <= 2; n++) yield* [times(least + n), times(greatest - n)];
  yield 0;
}
