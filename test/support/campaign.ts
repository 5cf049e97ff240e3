// Cases that only `npm run test:full` tries: variants of what `npm test` checks, and most cells of matrices and rows of tables.
// A quick run draws the same cells every time; `TEST_SEED=1 npm test` draws others.

import { test } from 'vitest';
import { testSeed } from './seed.js';

export const isFull = process.env.CLOUDEMU_TEST_FULL === '1';

/** A test of the full run; the quick run reports it as skipped. */
export const itFull = test.runIf(isFull);

const share = 8;

/** How often a property is tried that the full run tries so many times. */
export function runsOf(full: number): number {
  return isFull ? full : Math.ceil(full / share);
}

/** Whether the case of these places is tried: one of so many of each row and of each column, where it is not all of them. */
export function isTried(row: number, column: number, every = share): boolean {
  return isFull || (row + column + testSeed) % every === 0;
}

/** The rows of a table that are tried: one of so many, where it is not all of them. */
export function sampleOf<Row>(rows: readonly Row[], every = share): Row[] {
  return rows.filter((_, index) => isTried(index, 0, every));
}
