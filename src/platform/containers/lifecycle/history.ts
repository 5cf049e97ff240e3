// The statuses that a container has had.

import type { Db } from '../../../db/db.js';
import { iso } from '../../../http/wire.js';
import { shownDeployments } from '../deployment-store.js';
import type { ContainerRecord } from '../store.js';
import { type ContainerState, changesAfter, containerAt, runsOf, type StatusChange } from './lifecycle.js';

/** So many changes of status are shown at most: the last ones. */
const mostShownChanges = 1_000;

/** The statuses that a container has had by an instant, oldest first, after a place if one is given. */
export function historyOf(
  db: Db,
  { deployments }: ContainerRecord,
  now: number,
  after?: Pick<StatusChange, 'at' | 'order'>,
): StatusChange[] {
  // A request whose preparation takes time may be older than a container.
  const until = Math.max(now, deployments[0]?.startedAt ?? now);
  const changes = changesAfter(shownDeployments(db, deployments), -Infinity, until).filter(
    ({ status }, index, all) => status !== all[index - 1]?.status,
  );
  if (after === undefined) return changes;
  return changes.filter(({ at, order }) => at > after.at || (at === after.at && order > after.order));
}

/** The last statuses of a container by an instant, as responses show them. */
export function presentHistory(db: Db, record: ContainerRecord, now: number) {
  return historyOf(db, record, now)
    .slice(-mostShownChanges)
    .map(({ status, at }) => ({ status, at: iso(at) }));
}

/** The state of a container with all runs that are shown, also those that affect nothing any more. */
export function wholeStateOf(db: Db, { deployments }: ContainerRecord, now: number): ContainerState {
  const state = containerAt(deployments, now);
  if (deployments[0]?.number === 1) return state;
  return { ...state, runs: runsOf(shownDeployments(db, deployments), now) };
}
