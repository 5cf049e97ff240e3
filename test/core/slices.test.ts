// Work in slices: the same result at once and in turns, others served between, and an end when it has become pointless.

import { expect, it } from 'vitest';
import { createTurns, finish, forEach, type Sliced, sorted } from '../../src/core/slices.js';

function* busy(done: number[]): Sliced<number> {
  for (let part = 0; part < 4; part++) {
    const until = performance.now() + 6;
    while (performance.now() < until);
    done.push(part);
    yield;
  }
  return done.length;
}

it('work in slices serves others between its slices', async () => {
  const order: string[] = [];
  const parts: number[] = [];
  const next = (): void => {
    order.push(`other after ${parts.length}`);
    if (parts.length < 4) setImmediate(next);
  };
  setImmediate(next);
  expect(await createTurns().inTurns(busy(parts), () => {})).toBe(4);
  expect(order.slice(0, 3)).toEqual(['other after 1', 'other after 2', 'other after 3']);
});

it('work in slices is done at once for a caller in process', () => {
  expect(finish(busy([]))).toBe(4);
});

it('work in slices ends when it has become pointless', async () => {
  const parts: number[] = [];
  const refuse = (): void => {
    throw new Error('the world was reset');
  };
  await expect(createTurns().inTurns(busy(parts), refuse)).rejects.toThrow('the world was reset');
  expect(parts).toEqual([0]);
});

it('work in slices yields every few hundred items', () => {
  const seen: number[] = [];
  const work = forEach(
    Array.from({ length: 1_000 }, (_, index) => index),
    (item) => seen.push(item),
  );
  work.next();
  expect(seen.length).toBe(200);
  finish(work);
  expect(seen).toEqual(Array.from({ length: 1_000 }, (_, index) => index));
});

it('one slice is shared among all work in slices', async () => {
  const parts: number[] = [];
  const betweenOthers: number[] = [];
  let seen = 0;
  let isOver = false;
  const turns = createTurns();
  const all = Promise.all(Array.from({ length: 20 }, () => turns.inTurns(busy(parts), () => {})));
  const look = (): void => {
    betweenOthers.push(parts.length - seen);
    seen = parts.length;
    if (!isOver) setImmediate(look);
  };
  seen = parts.length;
  look();
  await all;
  isOver = true;
  expect(parts.length).toBe(80);
  // The longest slice has room for five parts: twenty of them come between others where each has a slice of its own.
  expect(Math.max(...betweenOthers)).toBeLessThanOrEqual(5);
});

it('a long list is sorted in slices, and what is equal stays in its order', () => {
  const items = Array.from({ length: 3_500 }, (_, index) => ({ key: (index * 7_919) % 500, index }));
  const byKey = (a: { key: number }, b: { key: number }): number => a.key - b.key;
  expect(finish(sorted(items, byKey))).toEqual([...items].sort(byKey));
  expect(finish(sorted([], byKey))).toEqual([]);
});
