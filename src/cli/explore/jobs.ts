// How many runs of the command there are at a time.

import { availableParallelism, cpus } from 'node:os';

const mostWaiting = 12;

/** As many as there are cores. */
export const oneACore = (): number => Math.max(1, availableParallelism());

/**
 * How many runs keep the cores busy: as many as there are cores, and more of a command that mostly waits.
 *
 * @param busyMs the time that the cores were busy meanwhile
 * @param runMs how long its runs took, together
 * @example fittingJobs(2, 1_000, 10_000); // 12: each uses a tenth of a core, and no more than 12 are started
 */
export function fittingJobs(cores: number, busyMs: number, runMs: number): number {
  const fitting = Math.floor(cores / Math.max(busyMs / Math.max(runMs, 1), 0.01));
  return Math.max(cores, Math.min(fitting, mostWaiting));
}

/** Milliseconds that all cores together have been busy; 0 where the system does not say it. */
export function busySoFar(): number {
  return cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0);
}
