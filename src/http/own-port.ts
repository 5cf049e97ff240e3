// Requests that came by a world's own port, where its paths need no prefix.

import type { IncomingMessage } from 'node:http';

const mark = Symbol('by its own port');

interface Marked extends IncomingMessage {
  [mark]?: string;
}

/**
 * Routes a request to a world whatever its path, which may already have the prefix.
 *
 * @param origin where the emulator itself answers, for all worlds
 */
export function leadInto(prefix: string, origin: string, req: Marked): void {
  req.url = `${prefix}${req.url ?? '/'}`;
  req[mark] = origin;
}

/** Whether a request came by the port of its world. */
export function cameByOwnPort(req: Marked): boolean {
  return req[mark] !== undefined;
}

/** Under which other worlds are reached by whoever sent a request to `origin`: a world's own port leads to no other. */
export function sharedOrigin(req: Marked, origin: string): string {
  return req[mark] ?? origin;
}
