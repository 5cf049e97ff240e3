// The clock at the end of its time.

import { expect, it } from 'vitest';
import { createClock, startClock } from '../../src/core/clock.js';
import { lastInstant } from '../../src/core/instant.js';

it('stands still at the end of the year 9999, as clients cannot read later instants', async () => {
  const clock = createClock({ state: startClock({ at: lastInstant - 1_000 }) });
  const woken: string[] = [];
  clock.sleepUntil(lastInstant, () => void woken.push('the last'));
  clock.sleepUntil(lastInstant + 1, () => void woken.push('a later one'));
  clock.resume(1_000_000);
  await expect.poll(() => woken).toEqual(['the last']);
  expect(clock.view()).toMatchObject({ now: '9999-12-31T23:59:59.999Z', speed: 1_000_000, frozen: false });
  clock.close();
});
