// What the endpoints of containers share: path, permissions, and that others' containers do not exist.

import type { Caller } from '../../api/endpoint.js';
import { ApiError } from '../../kernel/errors.js';
import type { World } from '../../worlds/world.js';
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
