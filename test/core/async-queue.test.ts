// A feed: in order, bounded, and closed however its reading ends.

import { expect, it } from 'vitest';
import { type QueueWriter, readQueue } from '../../src/core/async-queue.js';

function open(ready: number[] = [], signal?: AbortSignal) {
  const state = { closed: 0, opened: 0, writer: undefined as QueueWriter<number> | undefined };
  const items = readQueue<number>((writer) => {
    state.opened++;
    state.writer = writer;
    return { more: () => ready.splice(0, 2), close: () => state.closed++ };
  }, signal);
  return { items, state };
}

it('an async queue gives what is ready, then what comes, and is closed when the loop is left', async () => {
  const { items, state } = open([1, 2, 3]);
  const seen: number[] = [];
  for await (const item of items) {
    if (seen.push(item) === 3) setImmediate(() => [4, 5].map((next) => state.writer?.push(next, 1)));
    if (item === 5) break;
  }
  expect(seen).toEqual([1, 2, 3, 4, 5]);
  expect(state.closed).toBe(1);
});

it('an async queue lets others have their turn while it gives what is ready', async () => {
  const { items } = open([1, 2, 3, 4, 5]);
  const order: (number | string)[] = [];
  setImmediate(() => order.push('other'));
  for await (const item of items) if (order.push(item) === 6) break;
  expect(order).toEqual([1, 2, 'other', 3, 4, 5]);
});

it('an async queue opens only when it is read', async () => {
  const { items, state } = open();
  expect(state.opened).toBe(0);
  await items.return();
  expect([state.opened, state.closed]).toEqual([0, 0]);
});

it('an async queue gives what had come before its end', async () => {
  const { items, state } = open();
  const first = items.next();
  state.writer?.push(1, 1);
  state.writer?.push(2, 1);
  state.writer?.end();
  state.writer?.push(3, 1);
  expect([await first, await items.next(), await items.next()]).toEqual([
    { done: false, value: 1 },
    { done: false, value: 2 },
    { done: true, value: undefined },
  ]);
  expect(state.closed).toBe(1);
});

it('an async queue ends when its signal aborts, also one that has aborted before', async () => {
  const abort = new AbortController();
  const { items, state } = open([], abort.signal);
  const next = items.next();
  abort.abort();
  expect(await next).toEqual({ done: true, value: undefined });
  expect(state.closed).toBe(1);
  expect(await open([1], abort.signal).items.next()).toEqual({ done: true, value: undefined });
});

it('an async queue gives up what is unread beyond 1 MB, and says so once', async () => {
  const { items, state } = open();
  const first = items.next();
  state.writer?.push(1, 1_000_000);
  state.writer?.push(2, 40_000);
  expect((await first).value).toBe(1);
  state.writer?.push(3, 1_000_000);
  state.writer?.push(4, 40_000);
  await expect(items.next()).rejects.toThrow(/more than 1 MB behind/);
  expect(await items.next()).toEqual({ done: true, value: undefined });
  expect(state.closed).toBe(1);
});
