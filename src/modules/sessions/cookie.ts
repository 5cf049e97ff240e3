// The session cookie: how it is set, deleted and read.

import type { HandlerContext } from '../../http/endpoint.js';

/** The header that sets or deletes a browser's session cookie, valid for `cookiePath` only. */
export function setCookie(
  { world, cookiePath, baseUrl }: Pick<HandlerContext, 'world' | 'cookiePath' | 'baseUrl'>,
  token: string | undefined,
): string {
  return [
    `${world.config.auth.cookieName}=${token ?? ''}`,
    `Path=${cookiePath}`,
    'HttpOnly',
    'SameSite=Lax',
    ...(baseUrl.startsWith('https:') ? ['Secure'] : []),
    ...(token === undefined ? ['Max-Age=0'] : []),
  ].join('; ');
}

/** The value of a cookie by its name; of several the first, which browsers order by the longest path. */
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
