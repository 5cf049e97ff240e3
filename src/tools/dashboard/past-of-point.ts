// What had been noted of a world by a place of its history: requests, restores, changes of the clock.

import type { History } from '../../db/history.js';
import type { Entry } from '../../db/history-entry.js';
import type { World } from '../../world/world.js';
import type { Place } from '../history/places.js';
import { journalOf } from '../journal/journal.js';
import type { JournalRecord } from '../journal/journal-entry.js';
import type { Notes } from './past.js';

/** The requests, the restores and the changes of the clock before a place. */
export function notesBy(world: World, history: History, { seq }: Place): Notes {
  const later = requestsAfter(world, history, seq);
  const restored = restoresAfter(world, history, seq);
  return {
    world,
    isRecord: (record) => (record.kind === 'request' ? !later.has(record.requestId) : record.seq < restored),
    isChange: ({ entry, goneBy = Infinity }) => entry <= seq && goneBy > seq,
  };
}

// The ids of requests follow from their numbers.
function requestsAfter(world: World, history: History, seq: number): Set<string> {
  const first = firstRequest(history.entries().after(seq));
  const ids = new Set<string>();
  for (let number = world.usage.requests(); number >= first; number--) ids.add(world.requestId(number));
  return ids;
}

function firstRequest(entries: Iterable<Entry>): number {
  for (const { request } of entries) if (request !== undefined) return request;
  return Infinity;
}

// The number of the first record of the journal that tells of a restore after the place.
function restoresAfter(world: World, history: History, seq: number): number {
  let count = 0;
  for (const { replaced } of history.entries().after(seq)) if (replaced === true) count++;
  if (count === 0) return Infinity;
  const isRestore = (record: JournalRecord): boolean => record.kind === 'marker' && record.event === 'restored';
  const numbers = journalOf(world)
    .records()
    .map((record) => (isRestore(record) ? record.seq : 0));
  return numbers.filter((number) => number > 0).at(-count) ?? 0;
}
