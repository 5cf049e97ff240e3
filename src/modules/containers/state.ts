// The state of a stored container, cached from one change to the next.

import { cached } from '../../db/cached-reads.js';
import type { World } from '../../world/world.js';
import { type ContainerState, containerAt, versionAt } from './lifecycle.js';
import type { ContainerRecord } from './store.js';

/** The state of a container of a world at an instant. */
export function stateOf(world: World, record: ContainerRecord, now: number): ContainerState {
  const { deployments } = record;
  // A state before the last change is computed anew.
  if (deployments.some(({ interventions: acts }) => (acts.at(-1)?.at ?? now) > now))
    return containerAt(deployments, now);
  return stateAt(world.db, `${record.id} ${versionAt(deployments, now)}`, record, now);
}

const stateAt = cached(['containers', 'deployments'], (_db, _version: string, record: ContainerRecord, now: number) =>
  containerAt(record.deployments, now),
);
