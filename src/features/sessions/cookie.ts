// The session cookie: how it is set, ended and found among others.

import type { World } from '../../worlds/world.js';

/**
 * The header that gives a browser a session, or takes it away.
 *
 * @param baseUrl what the world's URLs begin with: the cookie is for nothing else on this host
 */
export function setCookie({ config }: World, token: string | undefined, baseUrl: string): string {
  const { pathname, protocol } = new URL(baseUrl);
  return [
    `${config.auth.cookieName}=${token ?? ''}`,
    `Path=${pathname}`,
    'HttpOnly',
    'SameSite=Lax',
    ...(protocol === 'https:' ? ['Secure'] : []),
    ...(token === undefined ? ['Max-Age=0'] : []),
  ].join('; ');
}

/** The value of a cookie by its name; of several the first, which browsers choose by the longest path. */
export function cookieIn(header: string | undefined, name: string): string | undefined {
  if (header === undefined) return undefined;
  for (const pair of header.split(';')) {
    const equals = pair.indexOf('=');
    if (equals !== -1 && pair.slice(0, equals).trim() === name) {
      const value = pair.slice(equals + 1).trim();
      return value === '' ? undefined : value;
    }
  }
  return undefined;
}
