// The error of a request that matches no endpoint: the method is wrong, or the path.

import type { Config } from '../config/schema.js';
import { ApiError } from '../core/errors.js';
import type { Endpoint } from './endpoint.js';
import { allowedMethods, nearestPaths, type Routes } from './routes.js';

/** The paths of the OpenAPI document, which has no endpoint. */
const documentPaths = ['/openapi.json', '/api/openapi.json'];

/** Whether a request is for the platform's OpenAPI document. */
export function isDocument(method: string, path: string): boolean {
  return documentPaths.includes(path) && (method === 'GET' || method === 'HEAD');
}

/** The error for a path without an endpoint; under the newer contract a wrong method is no other error. */
export function unmatched(
  list: readonly Endpoint[],
  routes: Routes<unknown>,
  method: string,
  path: string,
  contract: Config['contract'] = 'v1',
): ApiError {
  const others = documentPaths.includes(path) ? (['GET'] as const) : routes.at(path).map((one) => one.method);
  if (others.length > 0) {
    const allow = allowedMethods(others);
    const told = { message: `${method} is not allowed here; allowed: ${allow.join(', ')}`, details: { allow } };
    if (contract === 'v2') return new ApiError('ROUTE_NOT_FOUND', told);
    return new ApiError('METHOD_NOT_ALLOWED', { ...told, headers: { Allow: allow.join(', ') } });
  }
  const nearest = nearestPaths(list, method, path);
  return new ApiError('ROUTE_NOT_FOUND', {
    message: `No such endpoint: ${method} ${path.slice(0, 200)}. Nearest: ${nearest[0] ?? 'none'}`,
    details: { nearest },
  });
}
