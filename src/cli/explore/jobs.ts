// How many runs of the command there are at a time.

import { readFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';

const mostWaiting = 12;

/** As many as there are cores. */
export const oneACore = (): number => Math.max(1, availableParallelism());

/**
 * How many runs keep the cores busy: as many as there are cores, and more of a command that mostly waits.
 *
 * @param busyMs the time that the cores were busy with them
 * @param runMs how long its runs took, together
 * @example fittingJobs(2, 1_000, 10_000); // 12: each uses a tenth of a core, and no more than 12 are started
 */
export function fittingJobs(cores: number, busyMs: number, runMs: number): number {
  const fitting = Math.floor(cores / Math.max(busyMs / Math.max(runMs, 1), 0.01));
  return Math.max(cores, Math.min(fitting, mostWaiting));
}

/**
 * Milliseconds that this process and the commands that it ran have kept cores busy, where the system tells it (Linux): what
 * else runs on the machine says nothing of the command. Else those of all cores together; 0: the system does not say it.
 */
export function busySoFar(): number {
  return ownTicks() ?? cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0);
}

/** A hundred of them are a second, on all that Node runs on. */
const tickMs = 10;

function ownTicks(): number | undefined {
  try {
    // The name of the program before them may contain anything, but no further bracket follows it.
    const fields = readFileSync('/proc/self/stat', 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    const [user, system, usedByChildren, systemByChildren] = fields.slice(11, 15).map(Number);
    const ticks = Number(user) + Number(system) + Number(usedByChildren) + Number(systemByChildren);
    return Number.isFinite(ticks) ? ticks * tickMs : undefined;
  } catch {
    return undefined;
  }
}
