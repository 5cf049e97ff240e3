// Deleting a container: at once, or over the time that the settings give it.

import type { Micros } from '../../core/money.js';
import type { World } from '../../world/world.js';
import { forgiveDues } from './billing.js';
import { openRuns } from './lifecycle.js';
import { portsOf } from './local-ports.js';
import type { Intervention } from './phases.js';
import { refundDeleted } from './refunds.js';
import { stateOf } from './state.js';
import { type ContainerRecord, deleteContainer, findContainer, saveActs } from './store.js';

/** The effect that ends a deletion. */
export const deletionEffect = 'containers.deletion';

/** Whether a container is on its way out: it can be looked at, but nothing can be done with it. */
export function isDeleting({ deployments }: ContainerRecord): boolean {
  return deployments.at(-1)?.acts.at(-1)?.kind === 'delete';
}

/** Deletes a container in any state, and returns what was paid back; while it is being deleted, nothing happens. */
export function removeContainer(world: World, record: ContainerRecord, now: number): Micros {
  if (isDeleting(record)) return 0;
  const state = stateOf(world, record, now);
  forgiveDues(world, record, now);
  const refunded = refundDeleted(world, state, now);
  const lasts = world.config.containers.deletion;
  if (lasts === 0) {
    remove(world, record);
    return refunded;
  }
  const act: Intervention = { at: now, kind: 'delete', lasts };
  for (const { deployment } of openRuns(state, now))
    saveActs(world.db, deployment, [...deployment.acts, act], deployment.reads);
  world.schedule(deletionEffect, record.id, now + lasts);
  world.bus.emit(`container:${record.id}`);
  return refunded;
}

/** Lets a container go whose deletion has taken its time. */
export function deletionDue(world: World, id: string): void {
  const record = findContainer(world.db, id);
  if (record !== undefined) remove(world, record);
}

function remove(world: World, record: ContainerRecord): void {
  deleteContainer(world.db, record.seq);
  portsOf(world).closePort(record.id);
  world.bus.emit(`container:${record.id}`);
}
