// Polling cloning jobs no quicker than the answer to the clone advised, judged over what a real client did.

import { expect, it } from 'vitest';
import { call, startWorld } from '../../support/emulator.js';
import { base, clone } from '../../support/voice.js';

const rule = (world: Awaited<ReturnType<typeof startWorld>>) =>
  world.controls.verdicts().verdicts.find(({ rule: id }) => id === 'poll-interval-obeyed');

it.each([`${base}/jobs`, 'voice'])('poll-interval-obeyed judges polls of jobs at %s', async (where) => {
  const world = await startWorld();
  const { id, polling } = (await clone(world)).body;
  const look = () => call(world, 'GET', where === 'voice' ? `${base}/${id}` : where);
  await look();
  expect(rule(world)?.verdict).toBe('not-exercised');
  await world.controls.clock.advance(polling.intervalMs);
  await look();
  expect(rule(world)?.verdict).toBe('pass');
  await world.controls.clock.advance(100);
  await look();
  expect(rule(world)?.verdict, 'one extra read').toBe('pass');
  for (let n = 0; n < 3; n++) await look();
  expect(rule(world)).toMatchObject({ verdict: 'fail' });
  const early = rule(world)?.evidence ?? [];
  for (const { message } of early) expect(message).toContain('500 ms is advised');
  await world.controls.clock.advance('1m');
  await look();
  await look();
  expect(rule(world)?.evidence).toHaveLength(early.length);
});
