// Stops what costs credits as time passes.

import { ApiError } from '../../core/errors.js';
import type { HandlerContext } from '../../http/endpoint.js';
import { removeContainer } from '../containers/lifecycle/deletion.js';
import { intervene } from '../containers/lifecycle/interventions.js';
import { containerAt } from '../containers/lifecycle/lifecycle.js';
import { findContainer } from '../containers/store.js';
import { cancelAgent } from './agents.js';
import type { Cancelled, Resource } from './resources.js';

/**
 * Stops or deletes a resource of the caller's organization, within his transaction. One that is stopped already stays so.
 *
 * @throws ApiError NOT_FOUND, also where the id is that of another type
 */
export function cancelResource(
  call: HandlerContext,
  id: string,
  { type, mode }: { type: Resource['resourceType'] | undefined; mode: 'stop' | 'delete' },
): Cancelled {
  const { world, caller, now } = call;
  const record = type === 'agent_sandbox' ? undefined : findContainer(world.db, id, caller.organizationId);
  if (record === undefined) {
    const cancelled = type === 'container' ? undefined : cancelAgent(call, id, mode);
    if (cancelled === undefined) throw new ApiError('NOT_FOUND', { message: 'Billable resource not found' });
    return cancelled;
  }
  const named = { resourceType: 'container', resourceId: id, action: mode } as const;
  if (mode === 'delete') {
    removeContainer(world, record, now);
    const left = findContainer(world.db, id);
    const status = left === undefined ? 'deleted' : containerAt(left.deployments, now).status;
    return { ...named, status, message: 'The container is being deleted' };
  }
  const isStopped = containerAt(record.deployments, now).status === 'stopped';
  const stopped = isStopped ? record : intervene(world, id, { kind: 'stop' });
  // The intervention takes effect at the present instant, which may be later than that of the request.
  const { status } = containerAt(stopped.deployments, world.clock.now());
  return { ...named, status, message: 'The container is stopped' };
}
