// Ids by number: of the layout of random ones, none twice, and in order.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Random } from '../../src/core/random.js';
import { isFull, runsOf } from '../support/campaign.js';

const random = new Random('42');
const layout = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const number = fc.integer({ min: 0, max: 2 ** 32 - 1 });

it('ids are UUIDs of version 4', () => {
  const property = fc.property(number, fc.string(), (n, key) => {
    expect(random.nthUuid('container', n)).toMatch(layout);
    expect(random.uuid(key)).toMatch(layout);
  });
  fc.assert(property);
});

it('ids differ for any two numbers', () => {
  const some = Array.from({ length: runsOf(100_000) }, (_, n) => n);
  const far = some.map((n) => 2 ** 32 - 1 - n);
  for (const make of ['nthUuid', 'nthId'] as const) {
    const ids = [...some, ...far].map((n) => random[make]('container', n));
    expect(new Set(ids).size).toBe(2 * some.length);
  }
});

it('ids differ for another kind and for another seed', () => {
  const ids = [random.nthUuid('a', 1), random.nthUuid('b', 1), new Random('43').nthUuid('a', 1)];
  expect(new Set(ids).size).toBe(3);
  expect(new Random('42').nthUuid('a', 1)).toBe(ids[0]);
});

it('ordered UUIDs rise with their number, but for one turn in each 65,535', () => {
  const ids = Array.from({ length: isFull ? 60_000 : 6_000 }, (_, n) => random.nthUuid('container', n + 1));
  const falls = ids.slice(1).filter((id, at) => id < (ids[at] ?? ''));
  expect(falls.length).toBeLessThanOrEqual(1);
});
