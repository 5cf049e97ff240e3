// The path and permissions of container endpoints; containers of other organizations do not exist for a caller.

import { ApiError } from '../../core/errors.js';
import type { Caller } from '../../http/endpoint.js';
import type { World } from '../../world/world.js';
import { type ContainerRecord, findContainer } from './store.js';

export const base = '/api/v1/containers';
export const read = { name: 'apps', level: 'read' } as const;
export const write = { name: 'apps', level: 'write' } as const;

/**
 * The caller's own container that a path names.
 *
 * @throws ApiError NOT_FOUND, for another organization's container too
 */
export function own({
  world,
  caller,
  params,
}: {
  world: World;
  caller: Caller;
  params: { id: string };
}): ContainerRecord {
  const record = findContainer(world.db, params.id, caller.organizationId);
  if (record === undefined) throw new ApiError('NOT_FOUND', { message: 'Container not found' });
  return record;
}
