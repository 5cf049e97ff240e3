// The forecast of a container: the statuses that its plan still leads to, and when the next change comes.

import type { ContainerRecord } from '../store.js';
import { isDeleting } from './deletion.js';
import { containerAt, viewOf } from './lifecycle.js';
import type { Intervention, Status } from './phases.js';
import { type Deployment, segmentAt, timelineOf } from './timeline.js';

export interface Forecast {
  /** The statuses to come without interventions or, where reads or interventions advance it, with them. */
  statuses: ReadonlySet<Status>;
  /** When time changes something next, or null. */
  nextAt: number | null;
}

// A bound above the number of stages of any plan.
const maxStages = 50;

/** The forecast of a container from an instant on. */
export function forecastAt(record: ContainerRecord, now: number): Forecast {
  const { deployments } = record;
  const instants = instantsAfter(deployments, now);
  const nextAt = instants[0] ?? null;
  // A container has no status after its deletion is complete.
  if (isDeleting(record)) return { statuses: new Set(), nextAt };
  const byTime = instants.map((at) => viewOf(deployments, at).status);
  return { statuses: new Set([...byTime, ...byHand(deployments, now)]), nextAt };
}

/** The statuses that time still leads a container to, each with its instant, the earliest first. */
export function transitionsAhead(record: ContainerRecord, now: number): { at: number; status: Status }[] {
  const { deployments } = record;
  const instants = instantsAfter(deployments, now);
  let last = viewOf(deployments, now).status;
  return instants.flatMap((at) => {
    const status = viewOf(deployments, at).status;
    if (status === last) return [];
    last = status;
    return [{ at, status }];
  });
}

function instantsAfter(deployments: readonly Deployment[], now: number): number[] {
  const instants = deployments.flatMap(({ timeline }) => timeline.map(({ at }) => at)).filter((at) => at > now);
  return [...new Set(instants)].sort((a, b) => a - b);
}

// For plans that time does not advance: what advancing them repeatedly leads to.
function byHand(deployments: readonly Deployment[], now: number): Status[] {
  const { run } = containerAt(deployments, now);
  if (run.deployment.plan.progression === 'clock') return [];
  const { deployment } = run;
  const interventions: Intervention[] = [...deployment.interventions];
  const statuses: Status[] = [];
  let stage = segmentAt(deployment.timeline, now).phase.status;
  while (interventions.length < deployment.interventions.length + maxStages) {
    interventions.push({ at: now, kind: 'advance' });
    const timeline = timelineOf({ ...deployment, interventions });
    const next = segmentAt(timeline, now).phase.status;
    if (next === stage) break;
    stage = next;
    const moved = { ...deployment, interventions: [...interventions], timeline };
    statuses.push(
      containerAt(
        deployments.map((one) => (one.number === moved.number ? moved : one)),
        now,
      ).status,
    );
  }
  return statuses;
}
