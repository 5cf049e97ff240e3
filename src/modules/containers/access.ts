// What the endpoints of containers share: path, permissions, and that others' containers do not exist.

import { ApiError } from '../../core/errors.js';
import type { Caller } from '../../http/endpoint.js';
import type { World } from '../../world/world.js';
import { type ContainerRecord, findContainer } from './store.js';

export const base = '/api/v1/containers';
export const read = { name: 'apps', level: 'read' } as const;
export const write = { name: 'apps', level: 'write' } as const;

/**
 * The caller's own container of a path.
 *
 * @throws ApiError NOT_FOUND, for another organization's too
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
