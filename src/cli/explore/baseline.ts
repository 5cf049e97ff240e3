// The command without faults, twice: what differs between the two runs is not tried, and how much they compute says how many
// fit beside each other.

import { computedSoFar, fittingJobs, oneACore } from './jobs.js';
import type { Once } from './once.js';

export interface Twice {
  runs: readonly [Once, Once];
  /** How many runs there are at a time. */
  jobs: number;
  /** Whether each test has a world of its own without a fixture. */
  worldPerTest: boolean;
}

/**
 * Runs it with a world for each test first. Tests that need what others leave behind fail so: they share one.
 *
 * @param plain runs the command
 * @param asked how many runs at a time somebody wants
 * @returns undefined where it was interrupted
 */
export async function runTwice(
  plain: (worldPerTest: boolean) => Promise<Once | undefined>,
  asked: number | undefined,
): Promise<Twice | undefined> {
  const apart = await twice(() => plain(true), asked);
  if (apart === undefined || apart.runs.every(isSeparated)) return apart && { ...apart, worldPerTest: true };
  // Where no test used the world that it was given, they have been as they are without.
  if (apart.runs.every(({ separated }) => separated === 0)) return { ...apart, worldPerTest: false };
  const together = await twice(() => plain(false), asked);
  return together && { ...together, worldPerTest: false };
}

function isSeparated({ exitCode, separated = 0 }: Once): boolean {
  return exitCode === 0 && separated > 1;
}

async function twice(
  plain: () => Promise<Once | undefined>,
  asked: number | undefined,
): Promise<Omit<Twice, 'worldPerTest'> | undefined> {
  const before = computedSoFar();
  const [first, second] =
    (asked ?? oneACore()) > 1 ? await Promise.all([plain(), plain()]) : [await plain(), await plain()];
  if (first === undefined || second === undefined) return undefined;
  const runMs = (first.seconds + second.seconds) * 1_000;
  const now = computedSoFar();
  const computedMs = before === undefined || now === undefined ? undefined : now - before;
  return { runs: [first, second], jobs: asked ?? fittingJobs(oneACore(), computedMs, runMs) };
}
