// Makes values that conform to a schema: for each place, the parts that hold there together are gathered, ways through
// their choices are tried one after another, and what comes of it is checked.

import { hasType } from './check.js';
import { type Leaf, leaves } from './choices.js';
import { lists } from './lists.js';
import { createMaker, fail, type Maker, type Place } from './maker.js';
import { type Node, type Schemas, wordOf } from './nodes.js';
import { numbersFor } from './numbers.js';
import { objects } from './objects.js';
import { textsIn } from './texts.js';

const deepest = 100;
const mostMisses = 300;

/** Creates the maker of a schema's values. */
export function makerOf(schemas: Schemas, now: number): Maker {
  return createMaker(schemas, now, values);
}

/** Values that conform to all that a place demands, the plainest first. */
function* values(maker: Maker, place: Place): Generator<unknown> {
  const { schemas, checker } = maker;
  const { demands, depth } = place;
  const [first = schemas.root] = demands;
  const before = maker.failure;
  schemas.spend(100);
  maker.failure = undefined;
  let count = 0;
  if (depth > deepest) fail(maker, first.path, `must not be nested more deeply than ${deepest} levels`, depth);
  else
    for (const leaf of leaves(maker, place)) {
      let misses = 0;
      for (const value of candidates(maker, leaf, place)) {
        schemas.spend(5);
        if (demands.every((node) => checker.fits(node, value))) {
          if (count++ === 0) maker.failure = before;
          maker.made++;
          misses = 0;
          yield value;
        } else if (++misses > mostMisses && !leaf.isListed) break;
      }
    }
  if (count > 0) return;
  fail(maker, first.path, 'allows no value, or none that is found: its parts exclude each other', depth);
  if (before !== undefined && (maker.failure?.depth ?? 0) <= before.depth) maker.failure = before;
}

function* candidates(maker: Maker, leaf: Leaf, place: Place): Generator<unknown> {
  const listed = leaf.nodes.find((node) => isSet(node, 'const') || wordOf(node, 'enum') !== undefined);
  if (listed !== undefined) {
    leaf.isListed = true;
    if (isSet(listed, 'const')) yield (listed.schema as { const: unknown }).const;
    else yield* wordOf(listed, 'enum') as unknown[];
    return;
  }
  for (const node of leaf.nodes) {
    if (isSet(node, 'default')) yield (node.schema as { default: unknown }).default;
    const examples = wordOf(node, 'examples');
    if (Array.isArray(examples)) yield* examples.slice(0, 20);
  }
  const types = typesOf(leaf);
  if (types.length === 0)
    fail(maker, (leaf.nodes[0] ?? maker.schemas.root).path, 'allows no type of value', place.depth);
  for (const type of types) yield* ofType(type, maker, leaf, place);
}

function isSet({ schema }: Node, word: string): boolean {
  return typeof schema !== 'boolean' && Object.hasOwn(schema, word);
}

const samples: Record<string, unknown> = {
  object: {},
  array: [],
  string: '',
  number: 0.5,
  integer: 1,
  boolean: true,
  null: null,
};
const usual = ['object', 'array', 'string', 'number', 'boolean', 'null'];

/** The types that all parts allow: as the first that names some orders them, null last. */
function typesOf({ nodes }: Leaf): string[] {
  const named = nodes.find((node) => wordOf(node, 'type') !== undefined);
  const order = named === undefined ? guessed(nodes) : ([wordOf(named, 'type')].flat() as string[]);
  const types = order.flatMap((type) => (type === 'number' ? ['number', 'integer'] : [type]));
  const allowed = types.filter((type) => nodes.every((node) => hasType(node, samples[type])));
  const nullable =
    nodes.some((node) => wordOf(node, 'nullable') === true) && nodes.every((node) => hasType(node, null));
  const sorted = allowed.filter((type) => type !== 'null');
  return [...sorted, ...(nullable || allowed.includes('null') ? ['null'] : [])];
}

const hints: [string, RegExp][] = [
  [
    'object',
    /^(properties|required|patternProperties|additionalProperties|propertyNames|m..Properties|dependent.*|unevaluatedProperties)$/,
  ],
  ['array', /^(items|prefixItems|contains|m..Items|m..Contains|uniqueItems|unevaluatedItems)$/],
  ['string', /^(pattern|format|m..Length)$/],
  ['number', /^(multipleOf|(exclusiveM|m)(in|ax)imum)$/],
];

function guessed(nodes: readonly Node[]): string[] {
  const words = nodes.flatMap(({ schema }) => Object.keys(schema));
  const likely = hints.filter(([, hint]) => words.some((word) => hint.test(word))).map(([type]) => type);
  return [...new Set([...likely, ...(likely.length === 0 ? ['string'] : []), ...usual])];
}

function* ofType(type: string, maker: Maker, leaf: Leaf, place: Place): Generator<unknown> {
  switch (type) {
    case 'object':
      return yield* objects(maker, leaf, place);
    case 'array':
      return yield* lists(maker, leaf, place);
    case 'number':
    case 'integer':
      return yield* numbersFor(leaf.nodes, type === 'integer');
    case 'string':
      return yield* textsIn(maker, leaf, place);
    case 'boolean':
      return yield* [true, false];
    default:
      yield null;
  }
}
