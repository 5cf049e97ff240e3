// The target of the redirect after a login: only the emulator itself and origins that the settings list.

import { invalid } from '../../core/errors.js';
import { describe } from '../../core/problems.js';
import type { World } from '../../world/world.js';

/**
 * The absolute URL that a client wants to return to.
 *
 * @param path the field's path in the input
 * @throws ApiError VALIDATION_ERROR for any other origin, however it is written
 */
export function returnUrl(
  { config }: World,
  wanted: string | undefined,
  { baseUrl, path }: { baseUrl: string; path: string },
): URL | undefined {
  if (wanted === undefined || wanted === '') return undefined;
  // Parsed as a browser parses it, so that both agree on its meaning.
  const url = URL.canParse(wanted, baseUrl) ? new URL(wanted, `${baseUrl}/`) : undefined;
  if (url !== undefined && !URL.canParse(wanted)) stayInWorld(url, new URL(baseUrl));
  const origins = [new URL(baseUrl).origin, ...config.server.corsOrigins];
  const isWeb = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (url !== undefined && isWeb && origins.includes(url.origin) && url.username === '' && url.password === '')
    return url;
  throw invalid({
    path,
    message: 'must lead to this emulator, or to an origin that the setting server.corsOrigins lists',
    received: describe(wanted),
  });
}

// A path alone belongs to this world, with or without the world's prefix.
function stayInWorld(url: URL, { origin, pathname }: URL): void {
  const prefix = pathname.replace(/\/+$/, '');
  const isInside = url.pathname === prefix || url.pathname.startsWith(`${prefix}/`);
  if (url.origin === origin && !isInside) url.pathname = prefix + url.pathname;
}
