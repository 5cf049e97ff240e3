// Numbers that lie within bounds and are multiples.

import { boundsOf, decimal } from './bounds.js';
import { type Node, numberOf } from './nodes.js';

const most = 1_000;

interface Range {
  low: number;
  high: number;
  /** Whether the bound itself is no value. */
  isAbove: boolean;
  isBelow: boolean;
}

/** Numbers that may fit all these parts, the plainest first: near 1. */
export function* numbersFor(nodes: readonly Node[], isWhole: boolean): Generator<number> {
  const range = nodes
    .map(boundsOf)
    .reduce<Range>(narrower, { low: -Infinity, high: Infinity, isAbove: false, isBelow: false });
  const steps = nodes.flatMap((node) => numberOf(node, 'multipleOf') ?? []);
  if (isWhole) steps.push(1);
  const seen = new Set<number>();
  for (const value of steps.length > 0 ? multiples(range, steps) : between(range)) {
    const { low, high, isAbove, isBelow } = range;
    if (seen.has(value) || !Number.isFinite(value) || value < low || value > high) continue;
    if ((isAbove && value === low) || (isBelow && value === high)) continue;
    seen.add(value);
    // No -0: JSON has none.
    yield value === 0 ? 0 : value;
  }
}

function narrower(a: Range, b: Range): Range {
  const isHigher = b.low > a.low;
  const isLower = b.high < a.high;
  return {
    low: isHigher ? b.low : a.low,
    high: isLower ? b.high : a.high,
    isAbove: isHigher ? b.isAbove : a.isAbove || (b.isAbove && b.low === a.low),
    isBelow: isLower ? b.isBelow : a.isBelow || (b.isBelow && b.high === a.high),
  };
}

function* between({ low, high }: Range): Generator<number> {
  yield Math.min(Math.max(1, low), high);
  const [from, to] = [
    Number.isFinite(low) ? low : Math.min(high, 0) - most,
    Number.isFinite(high) ? high : Math.max(low, 0) + most,
  ];
  yield* [
    from + 1,
    to - 1,
    from / 2 + to / 2,
    low,
    high,
    0,
    0.5,
    -1,
    from + Math.abs(from) * 1e-9,
    to - Math.abs(to) * 1e-9,
  ];
  for (let n = 1; n <= most; n++) yield* [1 + n, from + n, to - n, -n];
  for (let n = 1; n < most; n++) yield from + (to / most - from / most) * n;
}

function* multiples({ low, high }: Range, steps: readonly number[]): Generator<number> {
  const step = commonOf(steps);
  const [least, greatest] = [low > -Infinity ? Math.ceil(low / step.value) : -Infinity, Math.floor(high / step.value)];
  const start = Math.min(Math.max(Math.ceil(1 / step.value), least), greatest);
  for (let n = 0; n <= most; n++) yield step.times(start + n);
  for (let n = 1; n <= most; n++) yield step.times(start - n);
  for (const end of [least, greatest]) for (let n = -2; n <= 2; n++) yield step.times(end + n);
  // If no double represents the step exactly, validators that divide by it accept only few of its multiples.
  for (let n = 1, factor = start; n < 60; n++, factor *= 2) yield step.times(factor);
  yield 0;
}

/** The least number that is a multiple of all, and its multiples without an error that adds up. */
function commonOf(steps: readonly number[]): { value: number; times: (factor: number) => number } {
  const decimals = steps.map(decimal);
  const places = Math.max(...decimals.map((one) => one?.places ?? 0));
  const scaled = decimals.map((one) =>
    one === undefined ? undefined : one.digits * 10n ** BigInt(places - one.places),
  );
  if (scaled.some((one) => one === undefined)) {
    const value = Math.max(...steps);
    return { value, times: (factor) => factor * value };
  }
  const whole = (scaled as bigint[]).reduce((a, b) => (a / divisor(a, b)) * b);
  const text = (digits: bigint): number => Number(`${digits}e-${places}`);
  return {
    value: text(whole),
    times: (factor) => (Number.isFinite(factor) ? text(whole * BigInt(Math.round(factor))) : Number.NaN),
  };
}

function divisor(a: bigint, b: bigint): bigint {
  return b === 0n ? a : divisor(b, a % b);
}
