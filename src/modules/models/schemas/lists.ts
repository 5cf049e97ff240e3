// Lists: how many items they have, and a value for each.

import { itemsOf } from './check.js';
import { isOnWay, type Leaf } from './choices.js';
import { fail, isLean, type Maker, mostCharacters, type Place, tooLong } from './maker.js';
import { type Node, numberOf, wordOf } from './nodes.js';

const shownAbove = 4;
const mostCounts = 20;
const mostVariations = 200;

interface Shape {
  /** Rules by position, and of all that follow. */
  rules: [Node[], Node | undefined][];
  leaf: Leaf;
  /** How many positions have rules of their own. */
  first: number;
  least: number;
  most: number;
  isUnique: boolean;
  wanted: { node: Node; count: number; isBounded: boolean }[];
}

/** Lists that may fit a leaf, the plainest first. */
export function* lists(maker: Maker, leaf: Leaf, place: Place): Generator<unknown[]> {
  const shape = shapeOf(maker, leaf);
  const { least, most } = shape;
  const [node = maker.schemas.root] = leaf.nodes;
  if (least > most) return fail(maker, node.path, `asks for ${least} items, and allows ${most}`, place.depth);
  if (least > mostCharacters / 2) throw tooLong({ above: node.path, step: 'minItems' });
  for (const count of counts(maker, shape, leaf, place))
    for (const from of new Set([Math.min(shape.first, count), 0])) {
      yield* filled(maker, count, from, shape, place);
      if (shape.wanted.length === 0) break;
    }
}

function shapeOf({ schemas }: Maker, leaf: Leaf): Shape {
  const { nodes } = leaf;
  const rules = nodes.map((node) => itemsOf(schemas, node));
  const last = nodes.flatMap((node) => schemas.child(node, 'unevaluatedItems') ?? []);
  // `unevaluatedItems` holds for the items that no other word covers.
  if (last.length > 0 && rules.every(([, rest]) => rest === undefined)) {
    const first = Math.max(...rules.map(([own]) => own.length));
    rules.push(
      ...last.map((rule): [Node[], Node] => [Array.from({ length: first }, () => schemas.derived(rule, true)), rule]),
    );
  }
  return {
    leaf,
    rules,
    first: Math.max(0, ...rules.map(([own]) => own.length)),
    least: Math.max(0, ...nodes.map((node) => numberOf(node, 'minItems') ?? 0)),
    most: Math.min(Infinity, ...nodes.map((node) => numberOf(node, 'maxItems') ?? Infinity)),
    isUnique: nodes.some((node) => wordOf(node, 'uniqueItems') === true),
    wanted: nodes.flatMap((node) => {
      const wanted = schemas.child(node, 'contains');
      const isBounded = numberOf(node, 'maxContains') !== undefined || numberOf(node, 'minContains') === 0;
      return wanted === undefined ? [] : { node: wanted, count: numberOf(node, 'minContains') ?? 1, isBounded };
    }),
  };
}

function demandsAt({ rules }: Shape, index: number): Node[] {
  return rules.flatMap(([own, rest]) => own[index] ?? rest ?? []);
}

function* counts(maker: Maker, shape: Shape, leaf: Leaf, place: Place): Generator<number> {
  const { first, least, most, wanted } = shape;
  const needed = wanted.reduce((sum, { count }) => sum + count, 0);
  const isAgain = demandsAt(shape, first).some((rule) => isOnWay(maker.schemas, place, rule) || leaf.seen.has(rule));
  const isShort = isAgain || isLean(maker, place) || place.depth > shownAbove;
  const usual = Math.max(least, first, first + needed, isShort ? 0 : 1);
  const all = [
    usual,
    first,
    Math.max(least, needed),
    least,
    ...Array.from({ length: mostCounts }, (_, n) => least + n + 1),
  ];
  const allowed = all.map((count) => Math.min(Math.max(count, least), most));
  yield* new Set(allowed);
}

function* filled(maker: Maker, count: number, from: number, shape: Shape, place: Place): Generator<unknown[]> {
  const { schemas, checker } = maker;
  const { isUnique, wanted, first } = shape;
  const slots = wanted.flatMap(({ node, count: times }) => Array.from({ length: Math.min(times, count) }, () => node));
  const others = wanted
    .filter(({ isBounded }) => isBounded)
    .map(({ node }) => schemas.derived(node, { not: node.schema }));
  const streams: Iterator<unknown>[] = [];
  const items: unknown[] = [];
  const used = new Set<string>();
  const above = { nodes: shape.leaf.seen, above: place.above };
  const streamAt = (index: number): Iterator<unknown> => {
    const slot = slots[index - from];
    const extra = slot === undefined ? others : [slot];
    return maker.values({
      demands: [...demandsAt(shape, index), ...extra],
      name: place.name,
      depth: place.depth + 1,
      above,
    });
  };
  let rest: Iterator<unknown> | undefined;
  let usual: IteratorResult<unknown> | undefined;
  for (let index = 0; index < count; index++) {
    schemas.spend(1);
    const isRest = index >= first && index >= from + slots.length;
    if (isRest && !isUnique && usual !== undefined) {
      items.push(usual.value);
      continue;
    }
    const stream: Iterator<unknown> = (isRest ? rest : undefined) ?? streamAt(index);
    if (isRest) rest = stream;
    let next = stream.next();
    while (isUnique && next.done !== true && used.has(checker.keyOf(next.value))) next = stream.next();
    if (next.done === true) {
      // Items that need not be there are left out.
      if (index < shape.least || index < from + slots.length) return;
      break;
    }
    if (isUnique) used.add(checker.keyOf(next.value));
    if (isRest) usual = next;
    streams.push(stream);
    items.push(next.value);
  }
  yield items;
  for (const [index, stream] of streams.entries())
    for (let n = 0; n < mostVariations; n++) {
      const { done, value } = stream.next();
      if (done === true) break;
      schemas.spend(items.length);
      yield items.with(index, value);
    }
}
