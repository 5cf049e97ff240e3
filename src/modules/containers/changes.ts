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

/** Which of a container's deployments gives its status. */
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

/** All segments of a container's deployments (oldest first) in their order, each with the container's status from then on. */
export function* changesOf(runs: readonly { timeline: readonly Segment[] }[]): Generator<StatusChange> {
  const steps = runs.flatMap(({ timeline }, place) => timeline.map((segment) => ({ place, segment })));
  if (runs.length > 1) steps.sort((a, b) => compareSegments(a.segment, b.segment));
  const begun: Segment[] = [];
  let served = -1;
  for (const { place, segment } of steps) {
    begun[place] = segment;
    if (segment.phase.status === 'running') served = Math.max(served, place);
    const chosen = chooseRun({ begun, served, statusOf: ({ phase }) => phase.status });
    yield { status: (chosen ?? segment).phase.status, at: segment.at, order: segment.order };
  }
}

/** Compares two segments of a container by instant, and by what happened first in it. */
export function compareSegments(a: Segment, b: Segment): number {
  return a.at - b.at || a.order - b.order;
}

/** The statuses that a container has had by an instant, oldest first; at least the one of its creation. */
export function historyOf(runs: readonly { timeline: readonly Segment[] }[], now: number): StatusChange[] {
  const history: StatusChange[] = [];
  for (const change of changesOf(runs))
    if (change.at > now && history.length > 0) break;
    else if (change.status !== history.at(-1)?.status) history.push(change);
  return history;
}
