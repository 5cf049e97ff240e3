// The time and the timers of the machine, taken when this file loads: tests in the same process may put others in their
// place (`vi.useFakeTimers()`, Jest's, Sinon's), under which no request would ever be answered.

import { performance } from 'node:perf_hooks';
import { clearInterval, clearTimeout, setImmediate, setInterval, setTimeout } from 'node:timers';
import { runInNewContext } from 'node:vm';

// Jest can replace it before any file of a test is loaded; a fresh context has its own. Proxies and bound functions are
// native code, too, but have no name there.
const isOwn = Function.prototype.toString.call(Date.now) === 'function now() { [native code] }';
const { now: dateNow } = isOwn ? Date : (runInNewContext('Date') as DateConstructor);
// What replaces it does so on the object itself.
const { now: performanceNow } = Object.getPrototypeOf(performance) as Performance;
const { timeOrigin } = performance;

/** The machine's clock and its timers. */
export const real = {
  /** Wall milliseconds since the epoch; it may be set back. */
  now: (): number => dateNow(),
  /** Milliseconds since the process began; it never falls. */
  elapsed: (): number => performanceNow.call(performance),
  timeOrigin,
  setTimeout,
  clearTimeout,
  setInterval,
  clearInterval,
  setImmediate,
  queueMicrotask: (act: () => void): void => void Promise.resolve().then(act),
  /** By how much `Date` is ahead for the rest of this process, where a test has replaced it: 0 where none has. */
  replacedBy(): number {
    if (Date.now === dateNow) return 0;
    const before = dateNow();
    const there = Date.now();
    // Another function may still tell the same time: one that was put back after this file was loaded.
    return there >= before && there <= dateNow() ? 0 : there - before;
  },
};

/** Milliseconds since the process began; it never falls. */
export const elapsed = (): number => real.elapsed();
