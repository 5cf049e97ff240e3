// The statuses of a container one after the other, from the timelines of its deployments: what happens in one instant has
// an order too.

import { isStage, type Status } from './phases.js';
import type { Segment } from './timeline.js';

/** A change of status; `order` ranks it among the lines of its instant. */
export interface StatusChange {
  status: Status;
  at: number;
  order: number;
}

/** The data that decide which deployment gives a container its status. */
export interface Choice<Each> {
  /** Its deployments that have begun, oldest first. */
  begun: readonly Each[];
  /** The place of the last one that came to run and that no later one has replaced; -1: none. */
  served: number;
  statusOf: (each: Each) => Status;
}

/**
 * The deployment that gives a container's status: the latest one while it is in progress, and once it has run. After a
 * failed update it is the one that is still in progress, or else the last one that came to run, whatever became of it.
 */
export function chooseRun<Each>({ begun, served, statusOf }: Choice<Each>): Each | undefined {
  for (let place = begun.length - 1; place > served; place--) {
    const each = begun[place];
    if (each !== undefined && isStage(statusOf(each))) return each;
  }
  return begun[served === -1 ? begun.length - 1 : served];
}

/**
 * The changes of a container after an instant, up to another one, from the timelines of its deployments (oldest first), in
 * their order.
 */
export function changesAfter(
  runs: readonly { timeline: readonly Segment[] }[],
  now: number,
  until = Infinity,
): StatusChange[] {
  // By the place of each deployment; empty at those that have not begun.
  const begun: (Segment | undefined)[] = [];
  let served = -1;
  const next: { place: number; segment: Segment }[] = [];
  for (const [place, { timeline }] of runs.entries()) {
    const first = timeline.findLastIndex(({ at }) => at <= now) + 1;
    const current = timeline[first - 1];
    if (current !== undefined) begun[place] = current;
    if (timeline.slice(0, first).some(({ phase }) => phase.status === 'running')) served = place;
    for (const segment of timeline.slice(first)) if (segment.at <= until) next.push({ place, segment });
  }
  next.sort((a, b) => compareSegments(a.segment, b.segment));
  return next.map(({ place, segment }) => {
    begun[place] = segment;
    if (segment.phase.status === 'running') served = Math.max(served, place);
    const chosen = chooseRun({ begun, served, statusOf: (one = segment) => one.phase.status });
    return { status: (chosen ?? segment).phase.status, at: segment.at, order: segment.order };
  });
}

/** Compares two segments of a container by instant, and by what happened first in it. */
export function compareSegments(a: Segment, b: Segment): number {
  return a.at - b.at || a.order - b.order;
}
