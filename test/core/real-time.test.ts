// The time of the machine, beside what tests put in its place.

import { performance } from 'node:perf_hooks';
import { expect, it, vi } from 'vitest';
import { elapsed } from '../../src/core/real-time.js';

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

it('elapsed time goes on where a test has replaced the time before this file was loaded', async () => {
  vi.resetModules();
  vi.useFakeTimers({ toFake: ['Date', 'performance', 'setTimeout'] });
  vi.spyOn(performance, 'now').mockReturnValue(5);
  try {
    const { elapsed: fresh } = await import('../../src/core/real-time.js');
    const before = fresh();
    while (fresh() === before);
    expect(fresh()).toBeGreaterThan(before);
  } finally {
    vi.restoreAllMocks();
    vi.useRealTimers();
  }
});
