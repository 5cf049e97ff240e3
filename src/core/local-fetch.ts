// Node's fetch for one emulator or world: a path is one of its own.

import { describe } from './problems.js';

/** A Response whose JSON may be given a type: `await response.json<ResponseBody<'containers.get'>>()`. */
export interface PlatformResponse extends Response {
  // biome-ignore lint/suspicious/noExplicitAny: as lib.dom says it, whichever types of fetch a project has.
  json<Body = any>(): Promise<Body>;
}

/** Node's fetch, where a path means this emulator (or this world of it). Nothing else is added: send the key yourself. */
export type LocalFetch = (input: string | URL | Request, init?: RequestInit) => Promise<PlatformResponse>;

/**
 * Fetches paths from `base`, and everything else from where it is.
 *
 * @param requireOpen throws, or rejects, where nothing answers at `base` any more, or not whom the caller means
 */
export function fetchFrom(base: string, requireOpen: () => void | Promise<void> = () => {}): LocalFetch {
  return async (input, init) => {
    const isPath = typeof input === 'string' && input.startsWith('/');
    const isObject = typeof input === 'object' && input !== null;
    if (!isPath && !isObject && !URL.canParse(String(input)))
      throw new TypeError(`input must be a path that begins with "/", or a URL, got ${describe(input)}`);
    if (!isPath) return fetch(input, init);
    await requireOpen();
    return fetch(base + input, init);
  };
}
