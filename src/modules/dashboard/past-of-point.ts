// What had been noted of a world by a place of its history: requests, restores, changes of the clock.

import type { Sliced } from '../../core/slices.js';
import type { History } from '../../db/history.js';
import { inSlices } from '../../db/history-store.js';
import type { World } from '../../world/world.js';
import type { Place } from '../history/places.js';
import { journalOf } from '../journal/journal.js';
import type { JournalRecord } from '../journal/journal-entry.js';
import type { Notes } from './past.js';

/** The requests, the restores and the changes of the clock before a place. */
export function* notesBy(world: World, history: History, { seq }: Place): Sliced<Notes> {
  const later = yield* requestsAfter(world, history, seq);
  const restored = yield* restoresAfter(world, history, seq);
  return {
    world,
    isRecord: (record) => (record.kind === 'request' ? !later.has(record.requestId) : record.seq < restored),
    isChange: ({ entry, goneBy = Infinity }) => entry <= seq && goneBy > seq,
  };
}

// The ids of requests follow from their numbers.
function* requestsAfter(world: World, history: History, seq: number): Sliced<Set<string>> {
  let first = Infinity;
  yield* inSlices(history.entries().after(seq), ({ request }) => {
    first = request ?? first;
    return first === Infinity;
  });
  const ids = new Set<string>();
  for (let number = world.usage.requests(); number >= first; number--) ids.add(world.requestId(number));
  return ids;
}

// The number of the first record of the journal that tells of a restore after the place.
function* restoresAfter(world: World, history: History, seq: number): Sliced<number> {
  let count = 0;
  yield* inSlices(history.entries().after(seq), ({ replaced }) => {
    if (replaced === true) count++;
    return true;
  });
  if (count === 0) return Infinity;
  const isRestore = (record: JournalRecord): boolean => record.kind === 'marker' && record.event === 'restored';
  const numbers = yield* journalOf(world).read((record) => (isRestore(record) ? record.seq : 0));
  return numbers.filter((number) => number > 0).at(-count) ?? 0;
}
