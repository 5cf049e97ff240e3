// The grace of a container whose day was not covered by credits: how long, whether it was paid, and what its log says.

import { formatDuration } from '../../core/duration.js';
import { type Micros, toCredits } from '../../core/money.js';
import type { Intervention, LogLine, Phase } from './phases.js';

/** Stored with the container: changing settings or catalogue later never rewrites history. */
export interface Grace {
  at: number;
  /** When the container stops. */
  until: number;
  owed: Micros;
  /** When it was paid, or called off. */
  endedAt?: number;
  /** How the container is when it has been stopped. */
  stopped: Phase;
}

/** A line of the log at its instant. */
export interface GraceLine {
  at: number;
  level: LogLine['level'];
  message: string;
}

/** The grace that runs at an instant. */
export function openGrace(graces: readonly Grace[], now: number): Grace | undefined {
  const last = graces.at(-1);
  return last !== undefined && last.endedAt === undefined && last.until > now ? last : undefined;
}

/** When graces that ran out (or will) stop a deployment that began at an instant. */
export function stopsOf(graces: readonly Grace[], startedAt: number): Intervention[] {
  return graces
    .filter((grace) => ranOut(grace) && grace.until > startedAt)
    .map(({ until, stopped }): Intervention => ({ at: until, kind: 'suspend', phase: { ...stopped, logs: [] } }));
}

/** What the log tells of graces, in order of time. */
export function linesOfGraces(graces: readonly Grace[]): GraceLine[] {
  return graces.flatMap(linesOf).sort((a, b) => a.at - b.at);
}

function linesOf(grace: Grace): GraceLine[] {
  const { at, until, owed, endedAt, stopped } = grace;
  const lines: GraceLine[] = [
    {
      at,
      level: 'warn',
      message: `Billing: the balance does not cover the daily charge of ${toCredits(owed)} credits, shutdown in ${formatDuration(until - at)} unless credits are added`,
    },
  ];
  if (ranOut(grace)) {
    for (const { level, message } of stopped.logs ?? []) lines.push({ at: until, level, message });
  } else if (endedAt !== undefined) {
    lines.push({
      at: endedAt,
      level: 'info',
      message: 'Billing: the daily charge is paid, the shutdown is called off',
    });
  }
  return lines;
}

// What is paid at the very end comes too late: the container has been stopped by then.
function ranOut({ until, endedAt }: Grace): boolean {
  return endedAt === undefined || endedAt >= until;
}
