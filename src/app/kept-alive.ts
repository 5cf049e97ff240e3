// Tells a script that forgets to close its emulator why it does not end. The listener stays a reason to stay alive: a script
// that starts an emulator for others is to serve them until it is told to stop.

import { afterWall } from '../core/clock.js';

const listening = 'TCPServerWrap';

/** Streams of the process, which are listed although they keep nothing alive, and connections, which clients leave open. */
const others: readonly string[] = ['PipeWrap', 'TTYWrap', 'TCPSocketWrap'];

/** The number of listeners of this process. */
export function listeners(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === listening).length;
}

export interface KeptAliveOptions {
  /** How many listeners the emulator has. */
  own: number;
  /** How many requests have come so far. */
  requests: () => number;
  tell: () => void;
  /** Milliseconds of wall time between two looks. */
  everyMs: number;
}

/**
 * Looks again and again whether this process lives on for an emulator that nobody uses, and says so once.
 *
 * @returns a function that ends it
 */
export function tellIfKeptAlive({ own, requests, tell, everyMs }: KeptAliveOptions): () => void {
  let seen = requests();
  let cancel = afterWall(everyMs, look);
  function look(): void {
    const reasons = process.getActiveResourcesInfo().filter((kind) => !others.includes(kind));
    const isAlone = reasons.length === own && reasons.every((kind) => kind === listening);
    const isIdle = requests() === seen;
    seen = requests();
    // A forked child stays alive for its parent.
    if (isAlone && isIdle && process.connected !== true) tell();
    else cancel = afterWall(everyMs, look);
  }
  return () => cancel();
}
