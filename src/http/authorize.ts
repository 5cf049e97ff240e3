// Whether the caller may do what the endpoint does.

import type { Caller, Endpoint } from '../api/endpoint.js';
import type { Config } from '../config/schema.js';
import { ApiError } from '../kernel/errors.js';

/**
 * Lets a caller pass, or not.
 *
 * @throws ApiError FORBIDDEN naming the permission that is missing
 */
export function authorize(config: Config, endpoint: Endpoint, caller: Caller): void {
  if (!config.auth.enforcePermissions || caller.permissions === null || endpoint.permission === undefined) return;
  if (endpoint.permission === 'unrestricted') {
    throw new ApiError('FORBIDDEN', { message: 'Insufficient permissions: this needs a key without restrictions' });
  }
  const { name, level } = endpoint.permission;
  const sufficient = level === 'read' ? [name, `${name}:read`, `${name}:write`] : [name, `${name}:write`];
  if (sufficient.some((permission) => caller.permissions?.includes(permission))) return;
  throw new ApiError('FORBIDDEN', {
    message: `Insufficient permissions: ${endpoint.id} needs ${name}:${level}, the key has ${caller.permissions.join(', ') || 'none'}`,
  });
}
