// How many levels the smallest value of a part of a schema has: parts that refer to themselves end where there are fewest.

import { isTree } from '../../../core/tree.js';
import { itemsOf } from './check.js';
import { type Node, numberOf, type Schemas, wordOf } from './nodes.js';

// More rounds than this only very deep schemas need, and they are told by it no better.
const mostWork = 60_000;
const guess = 50;

/** The number of levels, as far as references, unions and what is required say; Infinity for what never ends. */
export function createHeights(schemas: Schemas): (node: Node) => number {
  const { spend, child, children, target } = schemas;
  const heights = new Map<Node, number>();
  const settled = new Set<Node>();
  let work = 0;

  /** The parts that a node requires, on the same level and one level below. */
  function parts(node: Node): { same: Node[]; below: Node[]; either: Node[][] } {
    const reference = target(node);
    const same = [...(reference === undefined ? [] : [reference]), ...children(node, 'allOf')];
    const either = [children(node, 'anyOf'), children(node, 'oneOf')].filter((options) => options.length > 0);
    return { same, either, below: isScalar(node) ? [] : needed(node) };
  }

  function needed(node: Node): Node[] {
    const required = wordOf(node, 'required');
    const names = Array.isArray(required) ? required.slice(0, 1_000) : [];
    const [first, rest] = itemsOf(schemas, node);
    const least = numberOf(node, 'minItems') ?? 0;
    return [
      ...names.flatMap((name) => child(node, 'properties', String(name)) ?? []),
      ...first.slice(0, least),
      ...(least > first.length && rest !== undefined ? [rest] : []),
    ];
  }

  function reachable(from: Node): Node[] {
    const nodes = new Set<Node>([from]);
    for (const node of nodes) {
      spend(5);
      if (settled.has(node) || typeof node.schema === 'boolean') continue;
      const { same, below, either } = parts(node);
      for (const part of [...same, ...below, ...either.flat()]) nodes.add(part);
    }
    return [...nodes].reverse();
  }

  function compute(node: Node): number {
    if (node.schema === false) return Infinity;
    if (node.schema === true || Object.hasOwn(node.schema, 'const') || wordOf(node, 'enum') !== undefined) return 0;
    const { same, below, either } = parts(node);
    const heightSoFar = (part: Node): number => heights.get(part) ?? Infinity;
    spend(5 + same.length + below.length);
    work += 1 + same.length + below.length + either.flat().length;
    const own = 1 + Math.max(-1, ...below.map(heightSoFar));
    // A node that names no type may have a value of another type, so its height is at most a guess.
    const height = wordOf(node, 'type') === undefined ? Math.min(own, guess) : own;
    return Math.max(
      height,
      ...same.map(heightSoFar),
      ...either.map((options) => Math.min(...options.map(heightSoFar))),
    );
  }

  return (node) => {
    if (settled.has(node)) return heights.get(node) ?? Infinity;
    const nodes = reachable(node);
    for (let isChanged = true; isChanged && work < mostWork; ) {
      isChanged = false;
      for (const one of nodes) {
        const height = compute(one);
        if (height >= (heights.get(one) ?? Infinity)) continue;
        heights.set(one, height);
        isChanged = true;
      }
    }
    const isWhole = work < mostWork;
    for (const one of nodes) {
      settled.add(one);
      if (!isWhole && !heights.has(one)) heights.set(one, guess);
    }
    return heights.get(node) ?? Infinity;
  };
}

// A value without parts may do.
function isScalar(node: Node): boolean {
  const types = [wordOf(node, 'type') ?? []].flat();
  const isList = types.includes('array');
  const isObject = types.includes('object');
  if (wordOf(node, 'nullable') === true) return true;
  if (types.length === 0) return !isTree(wordOf(node, 'properties')) && wordOf(node, 'items') === undefined;
  return types.length > Number(isList) + Number(isObject);
}
