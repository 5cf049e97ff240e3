// Requests that overlap: nothing in a recording says on which of them the platform acted first.

import { type Exchange, isWrite } from './exchange.js';

/** Two requests, in the order in which they were sent. */
export type Pair = readonly [earlier: Exchange, later: Exchange];

/** The pairs that overlap, where another order may change a disputed answer. */
export function* overlapping(exchanges: readonly Exchange[], disputed: ReadonlySet<number>): Generator<Pair> {
  for (const [place, earlier] of exchanges.entries())
    for (let next = place + 1; next < exchanges.length; next++) {
      const later = exchanges[next] as Exchange;
      if (later.sentAt >= earlier.sentAt + earlier.ms) break;
      const isDisputed = disputed.has(earlier.index) || disputed.has(later.index);
      if (isDisputed && (isWrite(earlier) || isWrite(later))) yield [earlier, later];
    }
}

/** The recording as it was if the platform acted on the later one first. */
export function reordered(exchanges: readonly Exchange[], [earlier, later]: Pair): Exchange[] {
  const moved = { ...earlier, actedAt: Math.max(earlier.actedAt, later.actedAt) };
  return exchanges.flatMap((one) => (one === earlier ? [] : one === later ? [later, moved] : [one]));
}
