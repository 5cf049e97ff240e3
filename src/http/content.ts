// The body of a request as it comes, for operations whose bodies may be larger than memory.

import type { IncomingMessage } from 'node:http';
import { ApiError } from '../core/errors.js';

/** How much of a rejected body is read and discarded, so that the client can receive the response. */
const maxLeftover = 256 * 1_024 * 1_024;

/**
 * The pieces of a body. Whoever stops reading leaves the connection whole, so that the answer arrives.
 *
 * @throws ApiError SIZE_INVALID when the client leaves before the end
 */
export async function* contentOf(req: IncomingMessage): AsyncGenerator<Buffer> {
  try {
    yield* req.iterator({ destroyOnReturn: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ECONNRESET') throw error;
    throw new ApiError('SIZE_INVALID', { message: 'The body ended before all of it had come' });
  } finally {
    throwAway(req);
  }
}

/** Calls `tell` as soon as more bytes of a body have come than so many. */
export function countBytes(req: IncomingMessage, most: number, tell: () => void): void {
  let bytes = 0;
  req.on('data', (piece: Buffer) => {
    bytes += piece.length;
    if (bytes > most) tell();
  });
}

/** Reads the rest of a body, because the connection's next request follows it. */
export function throwAway(req: IncomingMessage): void {
  if (req.readableEnded || req.destroyed) return;
  countBytes(req, maxLeftover, () => req.destroy());
  req.resume();
}
