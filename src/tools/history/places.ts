// Places in a world's history: before or after a point.

import { ApiError } from '../../core/errors.js';
import { describe } from '../../core/problems.js';
import type { History } from '../../db/history.js';
import { type Entry, type Point, textOfAnyPoint, textOfPoint, textOfRequest } from '../../db/history-entry.js';
import type { World } from '../../world/world.js';

export const sides = ['after', 'before'] as const;

export type Side = (typeof sides)[number];

/** A point of a history with its entry. */
export interface FoundPoint {
  entry: Entry;
  point: Point;
}

/** A place: everything up to an entry has happened, at a virtual instant. */
export interface Place {
  seq: number;
  at: number;
}

/**
 * The history of a world.
 *
 * @throws ApiError CONFLICT where none is recorded
 */
export function historyOf(world: World): History {
  const { history } = world.remembered;
  if (history !== undefined) return history;
  throw new ApiError('CONFLICT', {
    message: 'This world has no history: it was started with data.history off. Set it to on, and start again',
  });
}

/** The numbers of the oldest and the newest point; null: there is none. */
export function endsOf(history: History): { first: number | null; last: number | null } {
  const entries = history.entries();
  return { first: nextPoint(entries.after(0)), last: nextPoint(entries.backwards(textOfAnyPoint)) };
}

function nextPoint(entries: Iterable<Entry>): number | null {
  for (const { point } of entries) if (point !== undefined) return point.point;
  return null;
}

/**
 * A point by its number, or the last one of a request by the request's id.
 *
 * @throws ApiError NOT_FOUND
 */
export function findPoint(history: History, name: string | number): FoundPoint {
  const meant = String(name);
  const isNumber = /^\d+$/.test(meant);
  const entries = history.entries();
  const part = isNumber ? textOfPoint(Number(meant)) : textOfRequest(meant);
  for (const entry of entries.backwards(part)) {
    const { point } = entry;
    if (point !== undefined && (isNumber || point.request === meant)) return { entry, point };
  }
  const { first: oldest, last: newest } = endsOf(history);
  const there =
    newest === null
      ? 'nothing has changed in this world yet'
      : `it has points ${oldest} to ${newest}${isNumber && Number(meant) < (oldest ?? 0) ? '; older ones are gone' : ''}`;
  throw new ApiError('NOT_FOUND', {
    message: `The history has no ${isNumber ? 'point' : 'request'} ${describe(name)}: ${there}`,
  });
}

/**
 * The place before or after a point.
 *
 * @throws ApiError CONFLICT where the world cannot be exactly as it was there
 */
export function placeOf(history: History, { entry, point }: FoundPoint, side: Side): Place {
  const from = point.from ?? entry.seq;
  const place = side === 'after' ? { seq: entry.seq, at: entry.at } : { seq: from - 1, at: beginningOf(history, from) };
  const reason = history.whyNot(place.seq);
  if (reason === undefined) return place;
  throw new ApiError('CONFLICT', {
    message: `Nobody can go ${side === 'after' ? 'to' : 'before'} point ${point.point}: ${reason}`,
  });
}

function beginningOf(history: History, seq: number): number {
  for (const entry of history.entries().after(seq - 1)) return entry.from;
  return 0;
}
