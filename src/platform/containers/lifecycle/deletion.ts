// Deleting a container: at once, or over the time that the settings give it.

import type { Micros } from '../../../core/money.js';
import { placeNow } from '../../../world/place.js';
import type { World } from '../../../world/world.js';
import { portsOf } from '../address/open-addresses.js';
import { type ContainerRecord, deleteContainer, findContainer, saveIntervention } from '../store.js';
import { forgiveDues } from './billing.js';
import { containerAt, openRuns } from './lifecycle.js';
import { refundDeleted } from './refunds.js';

/** The effect that ends a deletion. */
export const deletionEffect = 'containers.deletion';

/** Whether a container is being deleted: it can be read, but not changed. */
export function isDeleting({ deployments }: ContainerRecord): boolean {
  return deployments.some(({ interventions }) => interventions.at(-1)?.kind === 'delete');
}

/** Deletes a container in any state, and returns the refund; a container that is being deleted stays as it is. */
export function removeContainer(world: World, record: ContainerRecord, now: number): Micros {
  if (isDeleting(record)) return 0;
  const state = containerAt(record.deployments, now);
  forgiveDues(world, record, now);
  const refunded = refundDeleted(world, state, now);
  const { timing, deletion } = world.config.containers;
  const lasts = timing === 'instant' ? 0 : deletion;
  if (lasts === 0) {
    remove(world, record);
    return refunded;
  }
  for (const { deployment } of openRuns(state, now)) {
    saveIntervention(world.db, deployment, { ...placeNow(world, now), kind: 'delete', lasts });
  }
  world.schedule(deletionEffect, record.id, now + lasts);
  world.bus.emit(`container:${record.id}`);
  return refunded;
}

/** Removes a container whose deletion is complete. */
export function deletionDue(world: World, id: string): void {
  const record = findContainer(world.db, id);
  if (record !== undefined) remove(world, record);
}

function remove(world: World, record: ContainerRecord): void {
  deleteContainer(world.db, record);
  portsOf(world).closePort(record.id);
  world.bus.emit(`container:${record.id}`);
}
