// The grace of a container whose day was not covered by credits: its length, whether it was paid, and its log lines.

import { formatDuration } from '../../core/duration.js';
import { type Micros, toCredits } from '../../core/money.js';
import type { Intervention, LogLine, Phase } from './phases.js';

/** Stored with the container, so that changing settings or catalogue later never rewrites history. */
export interface Grace {
  at: number;
  /** When the container stops. */
  until: number;
  owed: Micros;
  /** When it was paid or cancelled. */
  endedAt?: number;
  /** The phase of the container after it has been stopped. */
  stopped: Phase;
}

/** A line of the log at its instant. */
export interface GraceLine {
  at: number;
  level: LogLine['level'];
  message: string;
}

/** The grace that is open at an instant. */
export function openGrace(graces: readonly Grace[], now: number): Grace | undefined {
  const last = graces.at(-1);
  return last !== undefined && last.endedAt === undefined && last.until > now ? last : undefined;
}

/** The instants at which expired graces (or those that will expire) stop a deployment that began at an instant. */
export function stopsOf(graces: readonly Grace[], startedAt: number): Intervention[] {
  return graces
    .filter((grace) => ranOut(grace) && grace.until > startedAt)
    .map(({ until, stopped }): Intervention => ({ at: until, kind: 'suspend', phase: { ...stopped, logs: [] } }));
}

/** The log lines of graces, in order of time. */
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

// A payment at the very end comes too late: the container is already stopped.
function ranOut({ until, endedAt }: Grace): boolean {
  return endedAt === undefined || endedAt >= until;
}
