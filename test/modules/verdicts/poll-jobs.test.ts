// Polling cloning jobs no quicker than the answer to the clone advised, judged over what a real client did.

import { expect, it } from 'vitest';
import { call, startEmulator } from '../../support/emulator.js';
import { base, clone } from '../../support/voice.js';

const rule = (emulator: Awaited<ReturnType<typeof startEmulator>>) =>
  emulator.controls.verdicts().verdicts.find(({ rule: id }) => id === 'poll-interval-obeyed');

it.each([`${base}/jobs`, 'voice'])('judges looks at %s', async (where) => {
  const emulator = await startEmulator();
  const { id, polling } = (await clone(emulator)).body;
  const look = () => call(emulator, 'GET', where === 'voice' ? `${base}/${id}` : where);
  await look();
  expect(rule(emulator)?.verdict).toBe('not-exercised');
  await emulator.controls.clock.advance(polling.intervalMs);
  await look();
  expect(rule(emulator)?.verdict).toBe('pass');
  await emulator.controls.clock.advance(100);
  await look();
  expect(rule(emulator)).toMatchObject({
    verdict: 'fail',
    evidence: [{ message: expect.stringContaining('500 ms is advised') }],
  });
  await emulator.controls.clock.advance('1m');
  await look();
  await look();
  expect(rule(emulator)?.evidence).toHaveLength(1);
});
