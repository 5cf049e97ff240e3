// What lies ahead of a container: the statuses that its plan still holds for it, and when the next one comes.

import { isDeleting } from './deletion.js';
import { containerAt } from './lifecycle.js';
import type { Intervention, Status } from './phases.js';
import type { ContainerRecord } from './store.js';
import { courseOf, type Deployment, segmentAt } from './timeline.js';

export interface Ahead {
  /** Those that it will have if nobody interferes, or, where reads or people move it on, if they do. */
  statuses: ReadonlySet<Status>;
  /** When time changes something next, or null. */
  nextAt: number | null;
}

// No plan has nearly as many stages.
const maxStages = 50;

/** The future of a container as it is planned at an instant. */
export function aheadOf(record: ContainerRecord, now: number): Ahead {
  const { deployments } = record;
  const instants = deployments
    .flatMap((deployment) => deployment.course ?? courseOf(deployment))
    .map(({ at }) => at)
    .filter((at) => at > now)
    .sort((a, b) => a - b);
  const nextAt = instants[0] ?? null;
  // After a deletion has taken its time there is nothing that could have a status.
  if (isDeleting(record)) return { statuses: new Set(), nextAt };
  const byTime = [...new Set(instants)].map((at) => containerAt(deployments, at).status);
  return { statuses: new Set([...byTime, ...byHand(deployments, now)]), nextAt };
}

// Plans that time does not move: what moving them on, again and again, would lead to.
function byHand(deployments: readonly Deployment[], now: number): Status[] {
  const { run } = containerAt(deployments, now);
  if (run.deployment.plan.progression === 'clock') return [];
  const { course: _, ...deployment } = run.deployment;
  const acts: Intervention[] = [...deployment.acts];
  const statuses: Status[] = [];
  let stage = segmentAt(courseOf(run.deployment), now).phase.status;
  while (acts.length < deployment.acts.length + maxStages) {
    acts.push({ at: now, kind: 'advance' });
    const moved = { ...deployment, acts: [...acts] };
    const next = segmentAt(courseOf(moved), now).phase.status;
    if (next === stage) break;
    stage = next;
    statuses.push(
      containerAt(
        deployments.map((one) => (one.number === moved.number ? moved : one)),
        now,
      ).status,
    );
  }
  return statuses;
}
