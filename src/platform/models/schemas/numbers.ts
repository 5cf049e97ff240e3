// Numbers that lie within bounds and are multiples.

import { type Node, numberOf, wordOf } from './nodes.js';

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
