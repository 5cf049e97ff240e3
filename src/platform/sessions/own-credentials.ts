// Takes the platform's credentials out of requests that go to a process of the user's own.

import type { IncomingHttpHeaders } from 'node:http';
import type { World } from '../../world/world.js';
import { isTokenOf } from './sessions.js';
import { looksLikeToken } from './token.js';

/**
 * Headers without the platform's credentials, which are not for an app to see; the app's own pass.
 *
 * @example withoutPlatformCredentials(world, req.headers).authorization // undefined for a key of this world
 */
export function withoutPlatformCredentials(world: World, headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const { prefix, livePrefix } = world.config.keys;
  const isPlatformKey = (value: string): boolean =>
    value.startsWith(prefix) || value.startsWith(livePrefix) || isSession(world, value);
  const rest = { ...headers };
  // With its scheme, or bare as some clients send it.
  if (rest.authorization?.split(/\s+/).some(isPlatformKey) === true) delete rest.authorization;
  const key = rest['x-api-key'];
  if (typeof key === 'string' && isPlatformKey(key)) delete rest['x-api-key'];
  const cookies = rest.cookie
    ?.split(/;\s*/)
    .filter((cookie) => !isPlatformKey(cookie.slice(cookie.indexOf('=') + 1).trim()));
  if (cookies === undefined || cookies.length === 0) delete rest.cookie;
  else rest.cookie = cookies.join('; ');
  return rest;
}

// Compared by value: an app may have a cookie of the same name.
function isSession(world: World, value: string): boolean {
  return looksLikeToken(value) && (isTokenOf(world, value) || world.ownerOf(value) !== undefined);
}
