// How long the transaction that requests share waits for more of them.

import { afterThisTick } from '../core/clock.js';

/** The transaction that requests of one moment share. */
export interface Group {
  /** Why a part of it has failed last. */
  reason: unknown;
  parts: number;
  committed: Promise<void>;
  commit(): void;
}

// As many take some milliseconds.
const mostParts = 50;

/**
 * Commits a group once a turn of the event loop has brought no further part. Clients that wait for their answers send
 * their next requests together then, so that these share a commit, too: 10 of them, where 5 did when each turn ended with
 * one (test/bench/README.md). A request that comes alone waits for a turn that has nothing to do.
 */
export function commitWhenQuiet(group: Group): void {
  let before = 0;
  const look = (): void => {
    if (group.parts === before || group.parts >= mostParts) group.commit();
    else afterThisTick(look);
    before = group.parts;
  };
  afterThisTick(look);
}
