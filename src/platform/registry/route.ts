// Routes requests to the image registry under /v2/: finds their world and operation. The pipeline does the rest.

import { ApiError } from '../../core/errors.js';
import type { Endpoint } from '../../http/endpoint.js';
import type { RegistryRequest, RegistrySite } from '../../http/hooks.js';
import { allowedMethods } from '../../http/routes.js';
import type { World } from '../../world/world.js';
import type { Worlds } from '../../world/worlds.js';
import { registryEndpoints } from './api.js';
import { worldOfAuthorization } from './credentials.js';
import { registryPath } from './names.js';

/**
 * Reads a request to the registry.
 *
 * @param world the world of the path's prefix; the repository's own (`w/<world>/…`) overrides it
 */
function registryRequest(
  method: string,
  path: string,
  authorization: string,
  world: World,
  worlds: Worlds,
): RegistryRequest {
  const target = registryPath(path);
  // `docker login` names a host and no repository: the credentials identify the world.
  const named = target?.world ?? (target?.repository === '' ? worldOfAuthorization(authorization) : undefined);
  const other = named === undefined ? world : worlds.find(named);
  const params = { name: target?.repository ?? '', reference: target?.reference ?? '' };
  const request = { world: other ?? world, params, endpoint: undefined, refusal: undefined };
  if (target?.world !== undefined && other === undefined)
    return { ...request, refusal: new ApiError('NAME_UNKNOWN', { message: `There is no world "${target.world}"` }) };
  const candidates = registryEndpoints.filter((one) => one.path === target?.path);
  if (candidates.length === 0)
    return {
      ...request,
      refusal: new ApiError('ROUTE_NOT_FOUND', { message: `The registry has no path ${path.slice(0, 200)}` }),
    };
  const endpoint = candidates.find((candidate) => candidate.method === (method === 'HEAD' ? 'GET' : method));
  if (endpoint !== undefined) return { ...request, endpoint };
  const allow = allowedMethods(candidates.map((candidate) => candidate.method)).join(', ');
  return {
    ...request,
    refusal: new ApiError('METHOD_NOT_ALLOWED', {
      message: `${method} is not allowed here; allowed: ${allow}`,
      headers: { Allow: allow },
    }),
  };
}

/** The image registry, for the application to route to. */
export const registrySite: RegistrySite = {
  isPath: (path) => path === '/v2' || path.startsWith('/v2/'),
  find: registryRequest,
  anyEndpoint: registryEndpoints[0] as Endpoint,
};
