// How many runs there are at a time, and the time that each gets, on a machine that may be slower now than it was without
// faults.

import type { Once } from './once.js';
import type { RunLimit } from './run-limit.js';

/** How long a run took, and the longest time in which it did not get on. */
type Taken = Pick<Once, 'seconds' | 'gapMs'>;

export interface Pace {
  /** Notes a run that came to its end. */
  note(run: Taken): void;
  /**
   * The time that a run gets now.
   *
   * @param worlds how many have a fault in it: several tests may each wait, one after the other
   * @param isAgain it confirms what another run has shown: a client that gives up on its own must not be said to never end
   */
  limit(worlds: number, isAgain: boolean): Pick<RunLimit, 'idleMs' | 'startMs' | 'mostMs' | 'leastMs'>;
  /** The longest of the last runs. */
  longestMs(): number;
}

const remembered = 6;
const patience = 3;
const patienceAgain = 3;
/** Many clients give up after 30 s. */
const usualTimeoutMs = 32_000;
const fewestWaits = 4;

/**
 * @param plain runs without faults
 * @param leastMs what a run gets at least
 */
export function createPace(plain: readonly Taken[], leastMs: number): Pace {
  const last: Taken[] = [];
  const longestOf = (runs: readonly Taken[]): number => Math.max(0, ...runs.map(({ seconds }) => seconds * 1_000));
  const gapMs = (): number => Math.max(0, ...[...plain, ...last].map((run) => run.gapMs));
  return {
    note(run) {
      last.push(run);
      if (last.length > remembered) last.shift();
    },
    limit(worlds, isAgain) {
      const soonMs = Math.max(leastMs, patience * gapMs());
      const idleMs = isAgain ? Math.max(patienceAgain * soonMs, usualTimeoutMs) : soonMs;
      const wholeMs = (isAgain ? patienceAgain : 1) * patience * longestOf([...plain, ...last]);
      const startMs = Math.max(idleMs, wholeMs);
      return {
        idleMs,
        startMs,
        mostMs: startMs * Math.max(fewestWaits, worlds),
        leastMs: isAgain ? 2 * soonMs : soonMs,
      };
    },
    longestMs: () => longestOf(last),
  };
}

/** Does something as often as there is something to do, several at a time: as many as `jobs` says by then. */
export async function inParallel(jobs: () => number, work: () => Promise<boolean>): Promise<void> {
  let working = 0;
  // A worker that finds nothing to do ends; the others do the work that they add later themselves.
  const worker = async (): Promise<void> => {
    working++;
    try {
      while (working <= jobs() && (await work())) while (working < jobs()) more.push(worker());
    } finally {
      working--;
    }
  };
  const more: Promise<void>[] = Array.from({ length: jobs() }, worker);
  for (let one = more.shift(); one !== undefined; one = more.shift()) await one;
}
