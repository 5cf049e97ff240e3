// The time of the machine, beside what tests put in its place.

import { performance } from 'node:perf_hooks';
import { expect, it, vi } from 'vitest';
import { elapsed, real } from '../../src/core/real-time.js';

it('elapsed time has parts of milliseconds', () => {
  const steps = Array.from({ length: 20 }, () => {
    const before = elapsed();
    let now = before;
    while (now === before) now = elapsed();
    return now - before;
  });
  // Any of them may be longer, where another process has its turn.
  expect(Math.min(...steps)).toBeLessThan(0.5);
  expect(Math.min(...steps)).toBeGreaterThan(0);
});

/** The file as a test loads it that has replaced the time before: an own copy, so that other tests keep theirs. */
async function loadedLate(name: string): Promise<typeof import('../../src/core/real-time.js')> {
  vi.useFakeTimers({ toFake: ['Date', 'performance', 'setTimeout'] });
  vi.spyOn(performance, 'now').mockReturnValue(5);
  try {
    return await import(`${'../../src/core/real-time.js'}?${name}`);
  } finally {
    vi.restoreAllMocks();
    vi.useRealTimers();
  }
}

it('elapsed time goes on where a test has replaced the time before this file was loaded', async () => {
  const { elapsed: late } = await loadedLate('elapsed');
  vi.spyOn(performance, 'now').mockReturnValue(5);
  try {
    const before = late();
    while (late() === before);
    expect(late()).toBeGreaterThan(before);
  } finally {
    vi.restoreAllMocks();
  }
});

it('a time that a test has put back is not ahead, however long reading it takes', async () => {
  const { real: late } = await loadedLate('ahead');
  expect(late.now).not.toBe(real.now);
  const own = vi.spyOn(Date, 'now');
  try {
    own.mockImplementation(() => {
      for (const end = real.elapsed() + 5; real.elapsed() < end; );
      return real.now();
    });
    expect([late.replacedBy(), real.replacedBy()]).toEqual([0, 0]);
    own.mockReturnValue(0);
    expect(late.replacedBy()).toBeLessThan(-1e12);
  } finally {
    vi.restoreAllMocks();
  }
});
