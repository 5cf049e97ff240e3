// Refusals of what another profile has: they name it, because a client made for another server finds no fault in itself.

import { otherProfiles } from '../config/profiles.js';
import type { Config } from '../config/schema.js';
import { ApiError } from '../core/errors.js';
import { keysAt } from '../core/schema-parts.js';
import { isTree } from '../core/tree.js';
import type { Endpoint } from './endpoint.js';
import type { RequestContext } from './request-context.js';
import { type endpointRoutes, isEndpoint } from './routes.js';

/** The endpoints of the platform under some settings, by their paths. */
export type RoutesOf = (config: Config) => ReturnType<typeof endpointRoutes>;

const missing = new Set(['NOT_FOUND', 'ROUTE_NOT_FOUND', 'METHOD_NOT_ALLOWED', 'NOT_IMPLEMENTED']);

/** Adds the profiles that have another operation at a path to the error that says that nothing is there. */
export function nameProfileOfPath(
  error: unknown,
  { ctx, world, path, endpoint }: RequestContext,
  routesOf: RoutesOf,
): unknown {
  // Where there is no such world, no profile helps.
  if (!(error instanceof ApiError) || !missing.has(error.code) || error === ctx.state.place?.unknown) return error;
  const others = otherProfiles(world.config, (other) => {
    const found = endpointAt(routesOf(other), ctx.method, path);
    return found !== undefined && found.id !== endpoint?.id;
  });
  return others === undefined ? error : withHint(error, `${others} has ${ctx.method} ${path.slice(0, 200)}`);
}

/** Adds the profiles whose names a body has to the error that refuses it. */
export function nameProfileOfBody(error: unknown, { config, routesOf, path, endpoint, body }: BodyRefusal): unknown {
  if (!(error instanceof ApiError) || error.code !== 'VALIDATION_ERROR' || !isTree(body)) return error;
  const known = namesOf(endpoint, config);
  const foreign = Object.keys(body).filter((name) => !known.has(name));
  if (foreign.length === 0) return error;
  const others = otherProfiles(config, (other) => {
    const same = endpointAt(routesOf(other), endpoint.method, path);
    const names = same?.id === endpoint.id ? namesOf(same, other) : undefined;
    return names !== undefined && foreign.every((name) => names.has(name));
  });
  return others === undefined ? error : withHint(error, `these names are those of ${others}`);
}

interface BodyRefusal {
  config: Config;
  routesOf: RoutesOf;
  path: string;
  endpoint: Endpoint;
  body: unknown;
}

function endpointAt(routes: ReturnType<RoutesOf>, method: string, path: string): Endpoint | undefined {
  const target = routes.find(method, path)?.target;
  return target !== undefined && isEndpoint(target) ? target : undefined;
}

// The fields that a body may have.
function namesOf({ body, synonyms }: Endpoint, config: Config): Set<string> {
  const others = synonyms?.accepted(config) === true ? synonyms.names.keys() : [];
  return new Set([...(body === undefined ? [] : keysAt(body, [])), ...others]);
}

function withHint(error: ApiError, hint: string): ApiError {
  const { flat } = error.options;
  return new ApiError(error.code, {
    ...error.options,
    message: `${error.message}; ${hint}`,
    flat: flat === undefined ? undefined : `${flat}; ${hint}`,
  });
}
