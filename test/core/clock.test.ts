// The clock at the end of its time, and where the wall clock is set back.

import { afterEach, describe, expect, it, vi } from 'vitest';
import { Clock, startClock } from '../../src/core/clock.js';
import { lastInstant } from '../../src/core/instant.js';
import { real } from '../../src/core/real-time.js';

it('the clock stands still at the end of the year 9999, as clients cannot read later instants', async () => {
  const clock = new Clock({ state: startClock({ at: lastInstant - 1_000 }) });
  const woken: string[] = [];
  clock.sleepUntil(lastInstant, () => void woken.push('the last'));
  clock.sleepUntil(lastInstant + 1, () => void woken.push('a later one'));
  clock.resume(1_000_000);
  await expect.poll(() => woken).toEqual(['the last']);
  expect(clock.view()).toMatchObject({ now: '9999-12-31T23:59:59.999Z', speed: 1_000_000, frozen: false });
  clock.close();
});

describe('where the wall clock is set back', () => {
  let [wall, elapsed] = [0, 0];
  afterEach(() => void vi.restoreAllMocks());
  /** Real time passes; the wall clock is moved besides. */
  function pass(ms: number, moved = 0): void {
    elapsed += ms;
    wall += ms + moved;
  }
  function begin(): void {
    [wall, elapsed] = [Date.parse('2026-01-01T12:00:00Z'), 1_000];
    vi.spyOn(real, 'now').mockImplementation(() => wall);
    vi.spyOn(real, 'elapsed').mockImplementation(() => elapsed);
    vi.spyOn(real, 'replacedBy').mockReturnValue(0);
  }

  it.each([1, 60])('virtual time goes on at speed %i, never falls, and is shown on the new wall clock', (speed) => {
    begin();
    const saved: unknown[] = [];
    const clock = new Clock({ state: startClock(), save: (state) => saved.push(state) });
    clock.resume(speed);
    const start = clock.now();
    pass(10_000);
    expect(clock.now() - start).toBe(speed * 10_000);
    pass(500, -3_600_000);
    expect(clock.now() - start).toBe(speed * 10_500);
    pass(500);
    expect(clock.now() - start).toBe(speed * 11_000);
    // Clients compare it with the wall clock as it is now.
    expect(clock.toWall(clock.now() + speed * 5_000)).toBe(wall + 5_000);
    expect(clock.fromClient(wall + 5_000)).toBe(clock.now() + speed * 5_000);
    // One that is set ahead, or a laptop that slept, takes virtual time along.
    pass(0, 7_200_000);
    expect(clock.now() - start).toBe(speed * (11_000 + 7_200_000));
    clock.close();
  });

  it('the clock stores where it goes on, so that a process that is killed does not fall back', async () => {
    begin();
    const saved: ReturnType<typeof startClock>[] = [];
    const clock = new Clock({ state: startClock(), save: (state) => saved.push(state) });
    pass(10_000, -3_600_000);
    const reached = clock.now();
    await expect.poll(() => saved.length).toBe(1);
    clock.close();
    pass(1_000);
    const again = new Clock({ state: saved[0] as ReturnType<typeof startClock> });
    expect(again.now()).toBe(reached + 1_000);
    again.close();
  });

  it('a stored clock from a machine that was ahead goes on at once', () => {
    begin();
    const ahead = {
      ...startClock(),
      anchorWall: wall + 86_400_000,
      anchorVirtual: wall + 86_400_000,
      floor: wall + 86_400_000,
    };
    const clock = new Clock({ state: ahead });
    pass(1_000);
    expect(clock.now()).toBe(ahead.floor + 1_000);
    clock.close();
  });
});
