// The grace of a container whose day was not covered by credits: its length, whether it was paid, and its log lines.

import { formatDuration } from '../../../core/duration.js';
import { type Micros, toCredits } from '../../../core/money.js';
import type { Intervention, LogLine, Phase } from './phases.js';

/** Stored with the container, so that changing settings or catalogue later never rewrites history. */
export interface Grace {
  at: number;
  /** The number of its beginning among all that happens in its world, where a payment began it. */
  turn?: number;
  /** When the container stops. */
  until: number;
  owed: Micros;
  /** When it was paid or cancelled. */
  endedAt?: number;
  /** The number of that among all that happens in its world. */
  endedTurn?: number;
  /** The phase of the container after it has been stopped. */
  stopped: Phase;
}

/** Lines of the log at one instant. */
export interface GraceLines {
  at: number;
  /** The place of what they tell of among what happened to the container, where that was a payment. */
  turn?: number | undefined;
  lines: readonly Pick<LogLine, 'level' | 'message'>[];
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
export function linesOfGraces(graces: readonly Grace[]): GraceLines[] {
  return graces.flatMap(linesOf).sort((a, b) => a.at - b.at);
}

function linesOf(grace: Grace): GraceLines[] {
  const { at, turn, until, owed, endedAt, endedTurn, stopped } = grace;
  const warning = `Billing: the balance does not cover the daily charge of ${toCredits(owed)} credits, shutdown in ${formatDuration(until - at)} unless credits are added`;
  const told: GraceLines[] = [{ at, turn, lines: [{ level: 'warn', message: warning }] }];
  if (ranOut(grace)) told.push({ at: until, lines: stopped.logs ?? [] });
  else if (endedAt !== undefined) {
    const message = 'Billing: the daily charge is paid, the shutdown is called off';
    told.push({ at: endedAt, turn: endedTurn, lines: [{ level: 'info', message }] });
  }
  return told;
}

// A payment at the very end comes too late: the container is already stopped.
function ranOut({ until, endedAt }: Grace): boolean {
  return endedAt === undefined || endedAt >= until;
}
