// How many runs of the command there are at a time.

import { availableParallelism, cpus, freemem } from 'node:os';

const fewestWaiting = 12;
const mostWaiting = 24;
/** What a run of a test runner takes, with its workers. */
const memoryOfRun = 300_000_000;

/** As many as there are cores. */
export const oneACore = (): number => Math.max(1, availableParallelism());

/**
 * How many runs keep the cores busy: as many as there are cores, and more of a command that mostly waits.
 *
 * @param busyMs the time that the cores were busy meanwhile
 * @param runMs how long its runs took, together
 * @param free bytes of memory
 * @example fittingJobs(2, 1_000, 10_000, 5e9); // 16: each uses a tenth of a core, and no more fit into the memory
 */
export function fittingJobs(cores: number, busyMs: number, runMs: number, free = freemem()): number {
  const fitting = Math.floor(cores / Math.max(busyMs / Math.max(runMs, 1), 0.01));
  const most = Math.max(fewestWaiting, Math.min(Math.floor(free / memoryOfRun), mostWaiting));
  return Math.max(cores, Math.min(fitting, most));
}

/** Milliseconds that all cores together have been busy; 0 where the system does not say it. */
export function busySoFar(): number {
  return cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0);
}

export interface Jobs {
  /** How many runs at a time. */
  now(): number;
  /** Notes how long a run took. */
  note(seconds: number): void;
}

/** The number of runs after which it is known how busy they keep the cores. */
const telling = 6;

/**
 * As many as were asked for, or as keep the cores busy: with a fault runs may mostly wait, that do not without one.
 *
 * @param first how many at first
 */
export function createJobs(first: number, asked: number | undefined): Jobs {
  let jobs = asked ?? first;
  let since = { busyMs: busySoFar(), runMs: 0, runs: 0 };
  return {
    now: () => jobs,
    note(seconds) {
      since = { ...since, runMs: since.runMs + seconds * 1_000, runs: since.runs + 1 };
      if (asked !== undefined || since.runs < Math.max(telling, jobs)) return;
      const busyMs = busySoFar();
      // Not at once: each may have to start first.
      jobs = Math.min(fittingJobs(oneACore(), busyMs - since.busyMs, since.runMs), jobs + oneACore());
      since = { busyMs, runMs: 0, runs: 0 };
    },
  };
}
