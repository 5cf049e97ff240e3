// The stream of changes: what kinds of things have changed, gathered, with the clock.

import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Change, ChangeTopic } from '../../../src/tools/events/changes.js';
import { call, deploy, startEmulator } from '../../support/emulator.js';
import { fakeTimeouts } from '../../support/fake-wall.js';

/** The topics that are said to have changed while `act` runs, and until all of `topics` have come. */
async function changesDuring(
  emulator: Awaited<ReturnType<typeof startEmulator>>,
  topics: readonly string[],
  act: () => Promise<unknown>,
): Promise<{ said: Change[]; seen: Set<string> }> {
  const said: Change[] = [];
  const seen = new Set<string>();
  const ended = new AbortController();
  for await (const change of emulator.controls.changes({ signal: ended.signal })) {
    said.push(change);
    for (const topic of change.topics) seen.add(topic);
    // The first item comes at once, before anything has happened.
    if (said.length === 1) await act();
    if (topics.every((topic) => seen.has(topic))) ended.abort();
  }
  return { said, seen };
}

it('the stream of changes reports a hundred requests in a few messages', async () => {
  const emulator = await startEmulator();
  const { said } = await changesDuring(emulator, ['request'], async () => {
    for (let i = 0; i < 100; i++) await call(emulator, 'GET', '/api/v1/containers');
  });
  expect(said.length).toBeLessThan(50);
});

it('the stream of changes reports changes of the clock, of containers, and by control operations over HTTP', async () => {
  const emulator = await startEmulator();
  const { said, seen } = await changesDuring(emulator, ['request', 'container', 'clock', 'control'], async () => {
    await deploy(emulator);
    await call(emulator, 'POST', '/_emulator/clock/advance', { by: '1m' });
  });
  expect(seen).toEqual(new Set(['request', 'container', 'clock', 'control']));
  expect(said.at(-1)?.clock.now).toBe(emulator.controls.clock.get().now);
});

it('the stream of changes reports that everything changed when the data were replaced', async () => {
  const emulator = await startEmulator();
  emulator.controls.snapshots.take({ name: 'before' });
  const { seen } = await changesDuring(emulator, ['all'], async () => emulator.controls.snapshots.restore('before'));
  expect(seen).toContain('all');
});

it('the stream of changes reports control operations that are called in process', async () => {
  const emulator = await startEmulator();
  const { seen } = await changesDuring(emulator, ['control'], async () =>
    emulator.controls.keys.create({ name: 'ci' }),
  );
  expect(seen).toContain('control');
});

describe('while changes come without a pause', () => {
  let ended: AbortController;
  let restore: () => void;
  afterEach(() => {
    ended.abort();
    restore();
  });

  /** An emulator whose changes are read, after the first item; only `pass` lets wall time pass. */
  async function startReading() {
    const emulator = await startEmulator();
    restore = fakeTimeouts();
    ended = new AbortController();
    const items = emulator.controls.changes({ signal: ended.signal })[Symbol.asyncIterator]();
    await items.next();
    const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
    return { emulator, items, pass, change: () => emulator.controls.keys.create() };
  }

  it('the stream of changes reports them at most three times a second, and a single change promptly again afterwards', async () => {
    const { items, pass, change } = await startReading();
    const told: ChangeTopic[][] = [];
    const reading = (async () => {
      for (let item = await items.next(); item.done !== true; item = await items.next()) told.push(item.value.topics);
    })();
    for (let i = 0; i < 60; i++) {
      change();
      await pass(50);
    }
    expect(told.length).toBeGreaterThan(5);
    expect(told.length).toBeLessThan(10);
    await pass(1_000);
    const before = told.length;
    change();
    await pass(100);
    expect(told.length).toBe(before + 1);
    ended.abort();
    await reading;
  });

  it('the stream of changes sends a slow reader all of them in one message', async () => {
    const { emulator, items, pass, change } = await startReading();
    const next = items.next();
    change();
    await pass(100);
    await next;
    change();
    await pass(500);
    emulator.controls.clock.freeze();
    await pass(500);
    const later = items.next();
    await pass(500);
    expect((await later).value.topics.sort()).toEqual(['clock', 'control']);
    let isMore = false;
    void items.next().then(({ done }) => {
      isMore = done !== true;
    });
    await pass(1_000);
    expect(isMore).toBe(false);
  });
});
