// Objects: which names they have, and a value for each.

import type { Tree } from '../../../core/tree.js';
import { isTree } from '../../../core/tree.js';
import type { Leaf } from './choices.js';
import { isOnWay } from './choices.js';
import { fail, isLean, type Maker, type Place } from './maker.js';
import { type Node, numberOf, wordOf } from './nodes.js';

const shownAbove = 1;
const mostSelections = 30;
const mostVariations = 500;

interface Shape {
  /** Names that the parts know. */
  known: string[];
  required: Set<string>;
  least: number;
  most: number;
  demandsOf: (name: string) => readonly Node[];
  /** Names that another name brings with it. */
  follow: Map<string, string[]>;
}

/** Objects that may fit a leaf, the plainest first. */
export function* objects(maker: Maker, leaf: Leaf, place: Place): Generator<Tree> {
  const shape = shapeOf(maker, leaf);
  if (shape.required.size > shape.most || shape.least > shape.most) {
    const [first = maker.schemas.root] = leaf.nodes;
    return fail(maker, first.path, 'asks for more properties than it allows', place.depth);
  }
  for (const names of selections(maker, shape, leaf, place)) yield* filled(maker, names, shape, leaf, place);
}

function shapeOf(maker: Maker, { nodes }: Leaf): Shape {
  const known = new Set<string>();
  const required = new Set<string>();
  const follow = new Map<string, string[]>();
  for (const node of nodes) {
    const properties = wordOf(node, 'properties');
    const names = wordOf(node, 'required');
    if (isTree(properties)) for (const name of Object.keys(properties)) known.add(name);
    if (Array.isArray(names)) for (const name of names) required.add(name);
    for (const word of ['dependentRequired', 'dependencies'])
      for (const [name, others] of Object.entries(wordOf(node, word) ?? {}))
        if (Array.isArray(others)) follow.set(name, [...(follow.get(name) ?? []), ...others.map(String)]);
    maker.schemas.spend(known.size + required.size);
  }
  const demands = new Map<string, readonly Node[]>();
  const least = Math.max(0, ...nodes.map((node) => numberOf(node, 'minProperties') ?? 0));
  const most = Math.min(Infinity, ...nodes.map((node) => numberOf(node, 'maxProperties') ?? Infinity));
  return {
    known: [...known],
    required: closed([...required], follow),
    least,
    most,
    follow,
    demandsOf(name) {
      const found = demands.get(name) ?? demandsOf(maker, nodes, name);
      demands.set(name, found);
      return found;
    },
  };
}

function demandsOf({ schemas, checker }: Maker, nodes: readonly Node[], name: string): readonly Node[] {
  const demands: Node[] = [];
  const open: Node[] = [];
  let isKnown = false;
  for (const node of nodes) {
    schemas.spend(1);
    const patterns = Object.keys(wordOf(node, 'patternProperties') ?? {});
    const fitting = patterns.filter((pattern) => checker.matchesPattern(node, 'patternProperties', pattern, name));
    const own = [
      schemas.child(node, 'properties', name),
      ...fitting.map((pattern) => schemas.child(node, 'patternProperties', pattern)),
    ].filter((part) => part !== undefined);
    const rest = own.length > 0 ? undefined : schemas.child(node, 'additionalProperties');
    const last = schemas.child(node, 'unevaluatedProperties');
    demands.push(...own, ...(rest === undefined ? [] : [rest]));
    if (own.length > 0 || rest !== undefined) isKnown = true;
    if (last !== undefined) open.push(last);
  }
  return isKnown ? demands : [...demands, ...open];
}

/** The names, and those that they bring with them. */
function closed(names: readonly string[], follow: Shape['follow']): Set<string> {
  const all = new Set(names);
  for (const name of all) for (const other of follow.get(name) ?? []) all.add(other);
  return all;
}

function isDead(shape: Shape, name: string): boolean {
  return shape.demandsOf(name).some(({ schema }) => schema === false);
}

function* selections(maker: Maker, shape: Shape, leaf: Leaf, place: Place): Generator<string[]> {
  const { known, required, most } = shape;
  const optional = known.filter((name) => !required.has(name) && !isDead(shape, name));
  const isAgain = leaf.nodes.some((node) => isOnWay(maker.schemas, place, node));
  const isShown = place.depth <= shownAbove && !isAgain && !isLean(maker, place);
  const isKnown = new Set(known);
  const seen = new Set<string>();
  const choices = function* (): Generator<string[]> {
    if (isShown) yield optional;
    yield [];
    for (const name of optional.slice(0, mostSelections)) yield [name];
    yield optional;
  };
  for (const more of choices()) {
    maker.schemas.spend(2 * (known.length + required.size));
    let all = closed([...required, ...more], shape.follow);
    // Names beyond the maximum are dropped from the end.
    if (all.size > most) all = closed([...required, ...more.slice(0, most - required.size)], shape.follow);
    if (all.size > most) continue;
    const ordered = [...known.filter((name) => all.has(name)), ...[...all].filter((name) => !isKnown.has(name))];
    const key = ordered.join('\n');
    if (seen.has(key)) continue;
    seen.add(key);
    yield ordered;
  }
}

function* filled(maker: Maker, names: readonly string[], shape: Shape, leaf: Leaf, place: Place): Generator<Tree> {
  const streams = new Map<string, Iterator<unknown>>();
  const object = new Map<string, unknown>();
  const add = (name: string): boolean => {
    const stream = maker.values(below(shape, leaf, place, name));
    const { done, value } = stream.next();
    if (done === true) return false;
    streams.set(name, stream);
    object.set(name, value);
    return true;
  };
  for (const name of names) if (!add(name) && shape.required.has(name)) return;
  if (object.size < shape.least)
    for (const name of moreNames(maker, shape, leaf, place)) {
      if (!object.has(name) && !isDead(shape, name)) add(name);
      if (object.size >= shape.least) break;
    }
  yield Object.fromEntries(object);
  for (const [name, stream] of streams)
    for (let n = 0; n < mostVariations; n++) {
      const { done, value } = stream.next();
      if (done === true) break;
      maker.schemas.spend(object.size);
      yield Object.fromEntries([...object, [name, value]]);
    }
}

function below(shape: Shape, leaf: Leaf, place: Place, name: string): Place {
  return {
    demands: shape.demandsOf(name),
    name,
    depth: place.depth + 1,
    above: { nodes: leaf.seen, above: place.above },
  };
}

/** Names for what only a count asks for: known ones, then new ones that the parts allow. */
function* moreNames(maker: Maker, shape: Shape, leaf: Leaf, place: Place): Generator<string> {
  yield* shape.known;
  const { schemas } = maker;
  const rules = leaf.nodes.flatMap((node) => schemas.child(node, 'propertyNames') ?? []);
  const namesOf = (rule: Tree, node: Node): Generator<string> =>
    maker.values({
      demands: [...rules, schemas.derived(node, { type: 'string', ...rule })],
      name: 'key',
      depth: place.depth + 1,
      above: { nodes: leaf.seen, above: place.above },
    }) as Generator<string>;
  const isClosed = leaf.nodes.some(
    (node) => wordOf(node, 'additionalProperties') === false || wordOf(node, 'unevaluatedProperties') === false,
  );
  if (!isClosed) yield* namesOf({}, schemas.root);
  for (const node of leaf.nodes)
    for (const pattern of Object.keys(wordOf(node, 'patternProperties') ?? {})) yield* namesOf({ pattern }, node);
}
