// The stream of changes: what kinds of things have changed, gathered, with the clock.

import { expect, it } from 'vitest';
import type { Change } from '../../../src/modules/dashboard/changes.js';
import { call, deploy, startEmulator } from '../../support/emulator.js';

/** What is said to have changed while `act` runs, and until all of `topics` have come. */
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

it('tells a hundred requests in a few words', async () => {
  const emulator = await startEmulator();
  const { said } = await changesDuring(emulator, ['request'], async () => {
    for (let i = 0; i < 100; i++) await call(emulator, 'GET', '/api/v1/containers');
  });
  expect(said.length).toBeLessThan(50);
});

it('tells the clock, containers that move, and control operations over HTTP', async () => {
  const emulator = await startEmulator();
  const { said, seen } = await changesDuring(emulator, ['request', 'container', 'clock', 'control'], async () => {
    await deploy(emulator);
    await call(emulator, 'POST', '/_emulator/clock/advance', { by: '1m' });
  });
  expect(seen).toEqual(new Set(['request', 'container', 'clock', 'control']));
  expect(said.at(-1)?.clock.now).toBe(emulator.controls.clock.get().now);
});

it('tells that everything is another when data were replaced', async () => {
  const emulator = await startEmulator();
  emulator.controls.snapshots.take({ name: 'before' });
  const { seen } = await changesDuring(emulator, ['all'], async () => emulator.controls.snapshots.restore('before'));
  expect(seen).toContain('all');
});

it('tells control operations in process', async () => {
  const emulator = await startEmulator();
  const { seen } = await changesDuring(emulator, ['control'], async () =>
    emulator.controls.keys.create({ name: 'ci' }),
  );
  expect(seen).toContain('control');
});
