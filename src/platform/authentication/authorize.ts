// Checks that the caller may do what the endpoint does.

import { isTodaysServer } from '../../config/profiles.js';
import { ApiError } from '../../core/errors.js';
import { cached } from '../../db/cached-reads.js';
import type { Caller, Endpoint } from '../../http/endpoint.js';
import { assume, type RequestContext, type Routed } from '../../http/request-context.js';
import type { World } from '../../world/world.js';
import { findUser } from '../accounts/store.js';

/**
 * Lets a caller pass, or not.
 *
 * @throws ApiError UNAUTHORIZED where only people with a session may pass; FORBIDDEN naming the permission that is
 * missing, or the role that is too low
 */
export function authorize(context: Routed, caller: Caller): void {
  const { endpoint } = context;
  if (endpoint.auth === 'session' && caller.kind !== 'session') throw sessionRequired(endpoint, context.world);
  if (endpoint.permission === undefined) return;
  checkPermissions(context, endpoint, caller);
  const reads =
    typeof endpoint.permission === 'object' ? endpoint.permission.level === 'read' : endpoint.method === 'GET';
  // However the caller was identified, a viewer's key is a viewer's.
  if (reads || roleOf(context.world.db, caller.userId) !== 'viewer') return;
  assume(context, 'auth.roles');
  throw new ApiError('FORBIDDEN', {
    message: `Insufficient permissions: ${endpoint.id} changes something, and a user with the role viewer may only read`,
  });
}

// Today's server knows the caller, and forbids.
function sessionRequired({ id }: Endpoint, { config }: World): ApiError {
  const forbids = isTodaysServer(config);
  const begin = forbids ? 'Insufficient permissions' : 'Invalid or missing authentication';
  return new ApiError(forbids ? 'FORBIDDEN' : 'UNAUTHORIZED', {
    message: `${begin}: ${id} requires a session; API keys and wallet signatures are not accepted. Sign in at /auth/login, or mint a session with POST /_emulator/sessions`,
    flat: 'This endpoint requires session authentication. API keys and Bearer tokens are not accepted.',
    flatCode: 'session_auth_required',
    details: { reason: 'session-required' },
  });
}

function checkPermissions({ world }: RequestContext, endpoint: Endpoint, caller: Caller): void {
  const { permission } = endpoint;
  if (!world.config.auth.enforcePermissions || caller.permissions === null || permission === undefined) return;
  if (permission === 'unrestricted') {
    throw new ApiError('FORBIDDEN', { message: 'Insufficient permissions: this needs a key without restrictions' });
  }
  const { name, level } = permission;
  const sufficient = level === 'read' ? [name, `${name}:read`, `${name}:write`] : [name, `${name}:write`];
  if (sufficient.some((allowed) => caller.permissions?.includes(allowed))) return;
  throw new ApiError('FORBIDDEN', {
    message: `Insufficient permissions: ${endpoint.id} needs ${name}:${level}, the key has ${caller.permissions.join(', ') || 'none'}`,
  });
}

const roleOf = cached(['users'], (db, userId: string) => findUser(db, userId)?.role);
