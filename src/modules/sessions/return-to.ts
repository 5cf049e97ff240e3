// Where a login leads back to: only to the emulator itself and to origins that the settings list.

import { invalid } from '../../core/errors.js';
import { describe } from '../../core/problems.js';
import type { World } from '../../world/world.js';

/**
 * The URL that a client wants to return to, whole.
 *
 * @param path where the field stands in the input
 * @throws ApiError VALIDATION_ERROR for any other origin, however it is written
 */
export function returnUrl(
  { config }: World,
  wanted: string | undefined,
  { baseUrl, path }: { baseUrl: string; path: string },
): URL | undefined {
  if (wanted === undefined || wanted === '') return undefined;
  // Read as a browser reads it, so that nothing means one thing here and another there.
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

// A path alone is one of this world, with or without the world's prefix.
function stayInWorld(url: URL, { origin, pathname }: URL): void {
  const prefix = pathname.replace(/\/+$/, '');
  const isInside = url.pathname === prefix || url.pathname.startsWith(`${prefix}/`);
  if (url.origin === origin && !isInside) url.pathname = prefix + url.pathname;
}
