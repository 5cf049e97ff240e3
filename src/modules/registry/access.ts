// The first checks of every registry operation: a valid name, and a caller with access.

import { ApiError } from '../../core/errors.js';
import type { HandlerContext } from '../../http/endpoint.js';
import type { World } from '../../world/world.js';
import { type RegistryAccess, readAuthorization } from './credentials.js';
import { isRepository } from './names.js';

/** A request about a repository. */
export type RepositoryCall = HandlerContext<{ name: string; reference: string }, unknown, unknown>;

/**
 * Checks the repository's name and the caller.
 *
 * @throws ApiError UNAUTHORIZED, NAME_INVALID, FORBIDDEN
 */
export function enter(call: RepositoryCall): RegistryAccess {
  const access = readAuthorization(call.world, call.header('authorization'), call.now);
  const repository = call.params.name;
  if (!isRepository(repository))
    throw new ApiError('NAME_INVALID', {
      message: `${JSON.stringify(repository.slice(0, 100))} is no name of a repository: lower-case letters, digits and single . _ - between them, in parts divided by /`,
    });
  if (repository !== access.repository)
    throw new ApiError('FORBIDDEN', {
      message: `The credentials are for ${access.repository}, not for ${repository}. For another project send its projectId to /api/v1/containers/credentials.`,
    });
  return access;
}

/** A repository's name as clients of the world write it. */
export function fullNameOf(world: World, repository: string): string {
  return world.prefix === '' ? repository : `${world.prefix.slice(1)}/${repository}`;
}

/** The path of a repository from the client's side. */
export function pathOf({ world, params }: RepositoryCall): string {
  return `/v2/${fullNameOf(world, params.name)}`;
}
