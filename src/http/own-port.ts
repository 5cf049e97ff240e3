// Requests that came by a world's own port, where its paths need no prefix.

import type { IncomingMessage } from 'node:http';

const mark = Symbol('by its own port');

interface Marked extends IncomingMessage {
  [mark]?: true;
}

/** Leads a request into a world whatever its path: the prefix may stand there already. */
export function leadInto(prefix: string, req: Marked): void {
  req.url = `${prefix}${req.url ?? '/'}`;
  req[mark] = true;
}

/** Whether a request came by the port of its world. */
export function cameByOwnPort(req: Marked): boolean {
  return req[mark] === true;
}
