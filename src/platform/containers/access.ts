// Finds the container that a client's path names (containers of other organizations do not exist for a caller), or that a
// person means. Also the path and permissions of container endpoints.

import { ApiError, found, invalid } from '../../core/errors.js';
import { didYouMean } from '../../core/nearest.js';
import { describe } from '../../core/problems.js';
import type { Caller } from '../../http/endpoint.js';
import type { World } from '../../world/world.js';
import { type ContainerRecord, findContainer, listProjects } from './store.js';

export const base = '/api/v1/containers';
export const read = { name: 'apps', level: 'read' } as const;
export const write = { name: 'apps', level: 'write' } as const;

/**
 * The caller's own container that a path names.
 *
 * @throws ApiError NOT_FOUND, for another organization's container too
 */
export function own(
  { world, caller, params }: { world: World; caller: Caller; params: { id: string } },
  options: { flatCode?: string } = {},
): ContainerRecord {
  return found(findContainer(world.db, params.id, caller.organizationId), 'Container not found', options);
}

/**
 * The container of an id, or the newest one of a project_name.
 *
 * @param path the field that holds the name, for the message
 * @throws ApiError NOT_FOUND with the nearest name; VALIDATION_ERROR when several organizations have the project
 */
export function namedContainer(world: World, name: string, path = 'id'): ContainerRecord {
  const { db } = world;
  const ofProject = findContainer(db, name) === undefined ? listProjects(db, name) : [];
  const [first] = ofProject;
  const organizations = new Set(ofProject.map(({ organization_id: of }) => of)).size;
  if (first !== undefined && organizations > 1) {
    const message = `is the project of ${organizations} organizations: give the id of one, such as ${first.id}`;
    throw invalid({ path, message, received: describe(name) });
  }
  const record = findContainer(db, first?.id ?? name);
  if (record !== undefined) return record;
  const all = listProjects(db);
  const projects = all.map(({ project_name }) => project_name);
  throw new ApiError('NOT_FOUND', {
    message: `There is no container with the id or project_name ${describe(name)}${didYouMean(name, projects) || `; ${thereAre(all)}`}`,
  });
}

const mostNamed = 5;

function thereAre(all: readonly Pick<ContainerRecord, 'project_name'>[]): string {
  if (all.length === 0) return 'the world has no containers yet';
  const names = all.slice(0, mostNamed).map(({ project_name }) => describe(project_name));
  const more = all.length > names.length ? ` and ${all.length - names.length} more` : '';
  return `the world has ${names.join(', ')}${more}`;
}
