// The state of a stored container, cached from one change to the next.

import { cached } from '../../db/cached-reads.js';
import type { World } from '../../world/world.js';
import { shownDeployments } from './history.js';
import { type ContainerState, containerAt, runsOf, versionAt } from './lifecycle.js';
import type { ContainerRecord } from './store.js';
import type { Deployment } from './timeline.js';

/** The state of a container of a world at an instant. */
export function stateOf(world: World, record: ContainerRecord, now: number): ContainerState {
  const { deployments } = record;
  // A state before the last change is computed anew.
  if (isPast(record, now)) return containerAt(deployments, now);
  return stateAt(world.db, `${record.id} ${versionAt(deployments, now)}`, record, now);
}

const stateAt = cached(['containers', 'deployments'], (_db, _version: string, record: ContainerRecord, now: number) =>
  containerAt(record.deployments, now),
);

function isPast({ deployments }: ContainerRecord, now: number): boolean {
  return deployments.some(({ interventions: acts }) => (acts.at(-1)?.at ?? now) > now);
}

/** The state of a container with all runs that are shown, also those that affect nothing any more. */
export function wholeStateOf(world: World, record: ContainerRecord, now: number): ContainerState {
  const state = stateOf(world, record, now);
  const { deployments } = record;
  if (deployments[0]?.number === 1) return state;
  if (isPast(record, now)) return { ...state, runs: runsOf(shownDeployments(world.db, deployments), now) };
  return { ...state, runs: allRuns(world.db, `${record.id} ${state.version}`, deployments, now) };
}

const allRuns = cached(
  ['containers', 'deployments'],
  (db, _version: string, deployments: readonly Deployment[], now: number) =>
    runsOf(shownDeployments(db, deployments), now),
);
