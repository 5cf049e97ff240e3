// How many runs of the command there are at a time.

import { readFileSync } from 'node:fs';
import { availableParallelism, freemem } from 'node:os';

/** Runs that mostly wait, for each core. */
const mostOnCore = 2;
/** What a run of a test runner takes, with its workers. */
const memoryOfRun = 300_000_000;

/** As many as there are cores. */
export const oneACore = (): number => Math.max(1, availableParallelism());

/**
 * How many runs there are at a time: as many as keep the cores busy, by the time that the command itself computes. What else
 * the machine does is no matter: a suite that sleeps gets on beside it.
 *
 * @param computedMs how long its runs computed, together; undefined: the system does not say it
 * @param runMs how long they took, together
 * @param free bytes of memory
 * @example fittingJobs(2, 1_000, 10_000, 5e9); // 4: each uses a tenth of a core, and there are at most two for a core
 */
export function fittingJobs(cores: number, computedMs: number | undefined, runMs: number, free = freemem()): number {
  if (computedMs === undefined) return cores;
  const fitting = Math.floor((cores * runMs) / Math.max(computedMs, 1));
  const most = Math.min(mostOnCore * cores, Math.floor(free / memoryOfRun));
  return Math.max(cores, Math.min(fitting, most));
}

/** Milliseconds that this process and those that it has started and that have ended have computed; undefined: not known. */
export function computedSoFar(): number | undefined {
  try {
    // The third field follows the name of the process, which may hold anything.
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    return Number.isFinite(ticks) ? ticks * 10 : undefined;
  } catch {
    return undefined;
  }
}
