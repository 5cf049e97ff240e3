// The state of a stored container, cached from one change to the next.

import type { World } from '../../world/world.js';
import { type ContainerState, containerAt, versionAt } from './lifecycle.js';
import type { ContainerRecord } from './store.js';

/** The state of a container of a world at an instant. */
export function stateOf(world: World, record: ContainerRecord, now: number): ContainerState {
  const { deployments } = record;
  // A state before the last change is computed anew.
  if (deployments.some(({ interventions: acts }) => (acts.at(-1)?.at ?? now) > now))
    return containerAt(deployments, now);
  return world.db.memo('containers deployments', `state ${record.id} ${versionAt(deployments, now)}`, () =>
    containerAt(deployments, now),
  );
}
