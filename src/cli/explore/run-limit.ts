// When a run has ended for good, although it goes on: it no longer gets on, or sends requests without end.

import { usualTimeoutMs } from '../../tools/explore/queue.js';
import type { RequestListener } from '../../tools/journal/hooks.js';

export interface RunLimit {
  /** The time in which it must get on: a request ends, or something is printed. */
  idleMs: number;
  /** The time in which its first request must end: many that start at the same time take long. */
  startMs: number;
  /** The time that it may take when it gets on. */
  mostMs: number;
  /** It does not get on with more requests than that: a loop that never ends sends them. */
  mostRequests: number;
  /** The same for each world. */
  mostIn?: (worldId: string) => number;
  /** The time that a world gets from its first request on, however many it sends. */
  leastMs: number;
}

const patience = 3;
const leastMs = 10_000;

/** What a run without faults took, and the longest time in which it did not get on. */
export interface Taken {
  seconds: number;
  gapMs: number;
}

/**
 * The time that each run gets, by those without faults.
 *
 * @param worlds how many have a fault in it: several tests may each wait, one after the other
 */
export function timeOf(plain: readonly Taken[], worlds: number): Omit<RunLimit, 'mostRequests'> {
  const wholeMs = patience * Math.max(0, ...plain.map(({ seconds }) => seconds * 1_000));
  const gapMs = patience * Math.max(0, ...plain.map((one) => one.gapMs));
  const idleMs = Math.max(usualTimeoutMs, gapMs);
  return {
    idleMs,
    startMs: Math.max(idleMs, wholeMs),
    mostMs: wholeMs + idleMs * Math.max(1, worlds / 4),
    leastMs: Math.max(leastMs, gapMs),
  };
}

/** The limit of a run without faults, which others without faults are known of. */
export function usualRunLimit(plain: readonly Taken[]): RunLimit {
  const idleMs = Math.max(leastMs, ...plain.map(({ seconds }) => seconds * patience * 1_000));
  return { idleMs, startMs: idleMs, mostMs: 2 * idleMs, mostRequests: Infinity, leastMs: idleMs };
}

const lookMs = 250;

/** Watches a run from now on. */
export function createWatch(limit: RunLimit | undefined) {
  const begun = performance.now();
  const worlds = new Map<string, { requests: number; firstAt: number }>();
  let requests = 0;
  let lastAt = begun;
  let longestGapMs = 0;
  let isFlood = false;
  const gapMs = (): number => Math.max(longestGapMs, performance.now() - lastAt);
  const getsOn = (): void => {
    longestGapMs = gapMs();
    lastAt = performance.now();
  };
  const hasTooMany = ({ mostRequests, mostIn = () => Infinity, leastMs }: RunLimit): boolean => {
    const used = [...worlds].filter(([, { firstAt }]) => performance.now() - firstAt > leastMs);
    return used.length > 0 && (requests > mostRequests || used.some(([id, world]) => world.requests > mostIn(id)));
  };
  const moreMs = (given: RunLimit): number => {
    isFlood = hasTooMany(given);
    const idleUntil = requests === 0 ? begun + given.startMs : lastAt + given.idleMs;
    const until = Math.min(idleUntil, begun + given.mostMs);
    return isFlood ? 0 : Math.min(until - performance.now(), lookMs);
  };
  /** A request has ended. */
  const request: RequestListener = (_, worldId) => {
    requests++;
    getsOn();
    const { requests: before, firstAt } = worlds.get(worldId) ?? { requests: 0, firstAt: lastAt };
    worlds.set(worldId, { requests: before + 1, firstAt });
  };
  return {
    request,
    /** Something was printed. */
    output: getsOn,
    /** The limit of the command's process. */
    limit: limit === undefined ? {} : { limitMs: lookMs, moreMs: () => moreMs(limit) },
    /** The time that was over when it was ended. */
    usedUpMs: () => (isFlood ? limit?.leastMs : limit?.idleMs) ?? 0,
    /** The longest time until now in which it did not get on. */
    longestGapMs: gapMs,
  };
}
