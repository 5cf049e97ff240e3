// The state of a stored container, kept from one change to the next.

import type { World } from '../../world/world.js';
import { type ContainerState, containerAt, versionAt } from './lifecycle.js';
import type { ContainerRecord } from './store.js';

/** What a container of a world is at an instant. */
export function stateOf(world: World, record: ContainerRecord, now: number): ContainerState {
  const { deployments } = record;
  // Who looks into the past of something done since gets it computed afresh.
  if (deployments.some(({ acts }) => (acts.at(-1)?.at ?? now) > now)) return containerAt(deployments, now);
  return world.db.memo('containers deployments', `state ${record.id} ${versionAt(deployments, now)}`, () =>
    containerAt(deployments, now),
  );
}
