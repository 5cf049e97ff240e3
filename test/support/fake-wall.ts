// Wall time of the emulator that passes only when a test says so: fake timers of a test do not reach it.

import { vi } from 'vitest';
import { real } from '../../src/core/real-time.js';

/** Replaces the timeouts of the emulator in this process by fake ones; `vi.advanceTimersByTime` lets them pass. */
export function fakeTimeouts(): () => void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const spies = [
    vi.spyOn(real, 'setTimeout').mockImplementation(setTimeout as never),
    vi.spyOn(real, 'clearTimeout').mockImplementation(clearTimeout as never),
  ];
  return () => {
    for (const spy of spies) spy.mockRestore();
    vi.useRealTimers();
  };
}
