// Controls of the clock: freeze, resume, advance, skew.

import type { ClockView } from '../../core/clock.js';
import { parseDuration } from '../../core/duration.js';
import { invalid } from '../../core/errors.js';
import { lastInstant, parseTimestamp } from '../../core/instant.js';
import { describe } from '../../core/problems.js';
import type { World } from '../../world/world.js';

const maxAdvanceMs = 366 * 86_400_000;

export interface ClockControls {
  /** Where time stands. */
  get(): ClockView;
  /**
   * Moves time forward and resolves when everything due has happened and open streams have heard of it.
   *
   * @param target a duration ("10m", 1500), or an instant {to}
   * @throws ApiError VALIDATION_ERROR for no duration, going back, or more than a year
   * @example await controls.clock.advance('10m')
   */
  advance(target: string | number | { by?: string | number | undefined; to?: string | undefined }): Promise<ClockView>;
  /** Lets time stand still. */
  freeze(): ClockView;
  /** Lets time run, `speed` times as fast as the wall clock. */
  resume(options?: { speed?: number | undefined }): ClockView;
  /** Sets what the emulator takes for a client's own clock: an instant, or null for the wall clock. */
  skew(options: { to: string | null }): ClockView;
}

/** The clock controls of a world. */
export function createClockControls(world: World): ClockControls {
  const { clock } = world;
  return {
    get: () => clock.view(),
    async advance(target) {
      const wanted = typeof target === 'object' ? target : { by: target };
      await world.advanceTo(instantOf(wanted, clock.now()));
      return clock.view();
    },
    freeze() {
      clock.freeze();
      return clock.view();
    },
    resume(options = {}) {
      clock.resume(options.speed ?? 1);
      return clock.view();
    },
    skew({ to }) {
      const instant = to === null ? undefined : timestamp(to);
      clock.setSkew(0);
      if (instant !== undefined) clock.setSkew(instant - clock.clientNow());
      return clock.view();
    },
  };
}

function instantOf({ by, to }: { by?: string | number | undefined; to?: string | undefined }, now: number): number {
  if ((by === undefined) === (to === undefined))
    throw invalid({ path: 'by', message: 'or `to` must be given, and only one of them' });
  if (by !== undefined) {
    const ms = parseDuration(by);
    if (ms === undefined)
      throw invalid({
        path: 'by',
        message: 'must be a duration: "90s", "10m" or milliseconds',
        received: describe(by),
      });
    if (ms > maxAdvanceMs) throw invalid({ path: 'by', message: 'must be at most a year', received: describe(by) });
    return withinTime(now + ms, 'by', by);
  }
  const instant = timestamp(to);
  if (instant < now)
    throw invalid({
      path: 'to',
      message: `must not lie in the past: it is ${new Date(now).toISOString()}`,
      received: describe(to),
    });
  if (instant - now > maxAdvanceMs)
    throw invalid({ path: 'to', message: 'must be at most a year ahead', received: describe(to) });
  return withinTime(instant, 'to', to);
}

function timestamp(to: unknown): number {
  const instant = typeof to === 'string' ? parseTimestamp(to) : undefined;
  if (instant !== undefined) return instant;
  throw invalid({
    path: 'to',
    message: 'must be an ISO 8601 time with its zone, such as 2026-01-31T12:00:00Z',
    received: describe(to),
  });
}

function withinTime(instant: number, path: string, given: unknown): number {
  if (instant <= lastInstant) return instant;
  throw invalid({ path, message: 'must not lead beyond the year 9999', received: describe(given) });
}
