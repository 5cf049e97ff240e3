// Finds the last point of a history that has decided how a request ended: what the request has read there is read again at
// each earlier place, and where that was otherwise, the request is sent again.

import type { NotedRead } from '../../db/db.js';
import type { Entry, Point } from '../../db/history-entry.js';
import { changesOfReads } from '../../db/history-reads.js';
import type { World } from '../../world/world.js';
import { historyOf } from '../history/places.js';
import type { JournalEntry } from '../journal/journal-entry.js';

/** A point that may have decided how a request ended. */
export interface Suspect {
  entry: Entry;
  point: Point;
  /** What it has changed of what the request reads. */
  tables: readonly string[];
  /** Where it is equal, the request ends in the same way at the same time. */
  state: string;
}

interface Asked {
  request: JournalEntry;
  /** The world before the request, and what the request has read in it. */
  image: Buffer;
  reads: readonly NotedRead[];
  /** The number of the entry that the request began. */
  begun: number;
}

/** The points that have changed what a request depends on, the newest first. */
export function suspectsOf(world: World, { request, image, reads, begun }: Asked): Suspect[] {
  const entries = historyOf(world).entries();
  const changes = changesOfReads(image, entries, reads, begun, (entry) => isOther(entry, request));
  return changes.flatMap(({ entry, tables, state }) =>
    entry.point === undefined ? [] : [{ entry, point: entry.point, tables, state }],
  );
}

// Time and windows are not read from rows.
function isOther({ point, windows = [] }: Entry, { caller, errorCode }: JournalEntry): boolean {
  return point?.kind === 'clock' || (errorCode === 'RATE_LIMITED' && windows.some(([one]) => one === caller));
}

// As many are looked at one by one; beyond them in growing steps.
const oneByOne = 12;

/**
 * The newest suspect that passes a test.
 *
 * @param test whether the request ends otherwise without it
 */
export async function newestOf(
  suspects: readonly Suspect[],
  test: (suspect: Suspect) => Promise<boolean>,
): Promise<Suspect | undefined> {
  let passed = -1;
  let failed = -1;
  for (let index = 0, step = 1; passed < 0 && failed < suspects.length - 1; index += step) {
    const at = Math.min(index, suspects.length - 1);
    if (await test(suspects[at] as Suspect)) passed = at;
    else failed = at;
    if (at >= oneByOne) step *= 2;
  }
  while (passed - failed > 1 && passed >= 0) {
    const middle = Math.floor((passed + failed) / 2);
    if (await test(suspects[middle] as Suspect)) passed = middle;
    else failed = middle;
  }
  return suspects[passed];
}
