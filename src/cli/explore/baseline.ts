// The command without faults, twice: what differs between the two runs is not tried, and how busy the cores are says how many
// runs fit beside each other.

import { busySoFar, fittingJobs, oneACore } from './jobs.js';
import type { Once } from './once.js';

export interface Twice {
  runs: readonly [Once, Once];
  /** How many runs there are at a time from here on. */
  jobs: number;
}

/**
 * @param plain runs the command
 * @param asked how many runs at a time somebody wants
 * @returns undefined where it was interrupted
 */
export async function runTwice(
  plain: () => Promise<Once | undefined>,
  asked: number | undefined,
): Promise<Twice | undefined> {
  const busyBefore = busySoFar();
  const [first, second] =
    (asked ?? oneACore()) > 1 ? await Promise.all([plain(), plain()]) : [await plain(), await plain()];
  if (first === undefined || second === undefined) return undefined;
  const runMs = (first.seconds + second.seconds) * 1_000;
  return { runs: [first, second], jobs: asked ?? fittingJobs(oneACore(), busySoFar() - busyBefore, runMs) };
}
