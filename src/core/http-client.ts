// Node's client for a URL. TLS is loaded with the first URL that needs it: a start does without.

import * as http from 'node:http';
import { createRequire } from 'node:module';

/** `request` and `get` for the protocol of a URL. */
export function clientFor(url: string | URL): Pick<typeof http, 'request' | 'get'> {
  const isSecure = String(url).startsWith('https:');
  return isSecure ? createRequire(import.meta.url)('node:https') : http;
}
