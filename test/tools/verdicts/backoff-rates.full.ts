// How often clients whose waits are random are failed by chance, and how often constant ones are caught.

import { expect, it } from 'vitest';
import { backoffGrows } from '../../../src/tools/verdicts/backoff.js';
import { type Draws, drawsOf } from '../../support/draws.js';
import { failure, judgedBy, timeline } from '../../support/records.js';

type Waits = (count: number, base: number, draws: Draws) => number[];

const most = 20_000;
const doubled = (base: number, index: number): number => Math.min(most, base * 2 ** index);
const each = (count: number, wait: (index: number) => number): number[] =>
  Array.from({ length: count }, (_, index) => wait(index));

const random: Record<string, Waits> = {
  'full jitter': (count, base, draws) => each(count, (index) => draws.between(0, doubled(base, index))),
  'full jitter with a low limit': (count, base, draws) =>
    each(count, (index) => draws.between(0, doubled(base, Math.min(index, 3)))),
  'equal jitter': (count, base, draws) =>
    each(count, (index) => doubled(base, index) / 2 + draws.between(0, doubled(base, index) / 2)),
  'decorrelated jitter': (count, base, draws) => {
    let last = base;
    return each(count, () => {
      last = Math.min(most, draws.between(base, last * 3));
      return last;
    });
  },
  'the default of urllib3, with jitter': (count, base, draws) =>
    each(count, (index) => (index === 0 ? 0 : doubled(base, index) + draws.between(0, base))),
};

const constant: Record<string, Waits> = {
  'a timer': (count, base) => each(count, () => base),
  'a timer of a busy machine': (count, base, draws) => each(count, () => base + Math.abs(draws.normal(base / 100))),
};

/** The part of all clients that fail; what a timer and the network add makes each wait a little longer. */
function failed(name: string, waits: Waits, counts: readonly number[], runs: number): number {
  const draws = drawsOf(name);
  let wrong = 0;
  for (let run = 0; run < runs; run++) {
    const journal = timeline();
    for (const wait of waits(draws.oneOf(counts), draws.oneOf([100, 200, 500, 1_000]), draws)) {
      journal.request(failure());
      journal.wait(Math.round(wait + draws.between(0, 3)));
    }
    journal.request(failure());
    if (judgedBy(backoffGrows, journal.records).verdict === 'fail') wrong++;
  }
  return wrong / runs;
}

it.each(Object.entries(random))('backoff-grows fails fewer than one in 200 clients with %s', (name, waits) => {
  expect(failed(name, waits, [2, 3, 4, 5, 6, 8], 20_000)).toBeLessThan(0.005);
});

it.each(Object.entries(constant))(
  'backoff-grows fails at least 19 of 20 clients with %s between constant waits',
  (name, waits) => {
    expect(failed(name, waits, [3, 4, 5, 6, 8], 4_000)).toBeGreaterThan(0.95);
  },
);
