// Draws of generated tests: the same on every run, so that a failure comes again; another `TEST_SEED` draws others.

import { numberSeries, Random } from '../../src/core/random.js';
import { testSeed } from './seed.js';

/** A source of random numbers, by name. */
export interface Draws {
  /** A number from one to another. */
  between(least: number, most: number): number;
  /** A whole number from one to another, both included. */
  whole(least: number, most: number): number;
  /** One of some things. */
  oneOf<Thing>(things: readonly Thing[]): Thing;
  /** Whether something is so that is so in this part of all cases. */
  isSo(part: number): boolean;
  /** A number of the normal distribution. */
  normal(deviation: number): number;
}

export function drawsOf(name: string): Draws {
  const series = numberSeries(new Random(String(testSeed)), name);
  let drawn = 0;
  const next = (): number => series(drawn++);
  return {
    between: (least, most) => least + next() * (most - least),
    whole: (least, most) => least + Math.floor(next() * (most - least + 1)),
    oneOf: (things) => things[Math.floor(next() * things.length)] as (typeof things)[number],
    isSo: (part) => next() < part,
    normal: (deviation) => deviation * Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()),
  };
}

/** Whole numbers below a bound, the same for the same seed. */
export function numbersOf(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
