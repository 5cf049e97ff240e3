// How two requests of a caller relate: whether the later one was sent because of the answer to the earlier one.

import type { JournalEntry } from '../journal/journal-entry.js';
import { begunAt, endedAt, failedForNow, groupedBy, headerOf } from './reading.js';

/**
 * `after`: it was sent when the answer was known. `unclear`: it came after the answer, but may have been planned before.
 * `apart`: it was on its way already, or nobody can say that it was not.
 */
export type Relation = 'after' | 'unclear' | 'apart';

/** What makes two requests the same: operation, path, content, and the parameters that the operation knows. */
export function contentOf(entry: JournalEntry, queryNames: (operation: string) => readonly string[] | undefined) {
  const { method, path, query, operation, requestBodyHash, requestBody, seq } = entry;
  // Of a body that did not come to its end nobody knows what it was.
  const content = requestBodyHash ?? (requestBody === null ? '' : `request ${seq}`);
  const known = operation === null ? undefined : queryNames(operation);
  return `${method} ${path}${known === undefined ? query : knownQuery(query, known)} ${content}`;
}

// A parameter that nobody reads, as those against caches, does not make a request another one.
function knownQuery(query: string, known: readonly string[]): string {
  if (query === '') return '';
  const parts = query.slice(1).split('&');
  return parts
    .filter((part) => known.includes(part.split('=', 1)[0] ?? ''))
    .sort()
    .join('&');
}

/** What a client sends at once arrives within this time, however busy the machine is. */
export const atOnceMs = 800;
const advancedMs = 1_000;
/** The first failure in a second is held back for so long at least, and a connection that breaks lives so long. */
const heldMs = 20;
const heldForMs = 1_100;
const neighbours = 16;

/** Tells how two requests of one caller relate. */
export type Relate = (before: JournalEntry, after: JournalEntry) => Relation;

/**
 * Tells how requests of a caller relate that have the same key.
 *
 * What proves that a client knew an answer: its next request comes by the same connection; or it comes a while after a
 * failure that was held back, during which nothing else arrived; or no other connection is open. Where equal requests
 * overlap, they were planned together or belong to several workers, and nothing is proved.
 */
export function relateIn(
  sequence: readonly JournalEntry[],
  keyOf: (entry: JournalEntry) => string | undefined,
  firstOn: FirstOn = firstOnConnections(sequence),
): Relate {
  const places = placesIn(sequence, keyOf);
  const isAlone = aloneIn(sequence);
  function around(entry: JournalEntry): readonly Placed[] {
    const place = places.get(entry);
    if (place === undefined) return [];
    const { group, index } = place;
    return group
      .slice(Math.max(0, index - neighbours), index + neighbours + 1)
      .filter((other) => isNear(other.entry, entry));
  }
  const isInCrowd = (entry: JournalEntry): boolean => around(entry).some(({ overlaps }) => overlaps);
  const isBesideOthers = (entry: JournalEntry): boolean =>
    around(entry).some((other) => !isSameConnection(other.entry, entry));
  function wasHeld(before: JournalEntry): boolean {
    const from = begunAt(before) - heldForMs;
    return around(before).some(
      ({ entry }) => isHeld(entry) && begunAt(entry) >= from && begunAt(entry) <= begunAt(before),
    );
  }

  return (before, after) => {
    const gap = begunAt(after) - endedAt(before);
    if (gap < 0) return 'apart';
    if (retriesOf(after) > 0) return 'after';
    const isLater = gap >= atOnceMs || after.at - before.at - gap >= advancedMs;
    const isCrowd = isInCrowd(after) || (!isLater && isInCrowd(before));
    if (isSameConnection(before, after)) {
      const mayBeCrowd = !isLater && isBesideOthers(after) && !isAlone(after) && !wasHeld(before);
      return isCrowd || mayBeCrowd ? 'unclear' : 'after';
    }
    const { others, openedAt } = after.connection ?? { others: 0, openedAt: 0 };
    const isNew = firstOn(after);
    const isPlanned = isNew && openedAt < endedAt(before);
    if (isCrowd) return isLater ? 'unclear' : 'apart';
    if (!isPlanned && !isLater && wasHeld(before)) return 'after';
    if (isLater || !isNew) return isAlone(after) ? 'after' : isLater ? 'unclear' : 'apart';
    return others === 0 && !isPlanned ? 'unclear' : 'apart';
  };
}

/** Whether a request was the first by its connection. */
export type FirstOn = (entry: JournalEntry) => boolean;

/** Tells which requests were the first by their connections, whoever sent them: a client may change its credentials. */
export function firstOnConnections(requests: readonly JournalEntry[]): FirstOn {
  const first = new Map<string, JournalEntry>();
  for (const entry of requests) {
    const connection = connectionKey(entry);
    if (!first.has(connection)) first.set(connection, entry);
  }
  return (entry) => first.get(connectionKey(entry)) === entry;
}

/** Tells whether a caller did one thing after the other: no two of its requests overlap, and no connection is spare. */
export function aloneIn(sequence: readonly JournalEntry[]): (entry: JournalEntry) => boolean {
  const overlaps = [...placesIn(sequence, () => '').values()].some(({ group, index }) => group[index]?.overlaps);
  return (entry) => {
    const { others } = entry.connection ?? { others: 0 };
    return !overlaps && (others === 0 || (others <= mostOfFetch && isNodeFetch(entry)));
  };
}

interface Placed {
  entry: JournalEntry;
  /** It was under way together with another one of its group. */
  overlaps: boolean;
}

function placesIn(sequence: readonly JournalEntry[], keyOf: (entry: JournalEntry) => string | undefined) {
  const places = new Map<JournalEntry, { group: Placed[]; index: number }>();
  for (const entries of groupedBy(sequence, keyOf)) {
    const group = entries.map((entry): Placed => ({ entry, overlaps: false }));
    // The one that ends last of those that have begun.
    let last: Placed | undefined;
    for (const [index, placed] of group.entries()) {
      places.set(placed.entry, { group, index });
      if (last !== undefined && begunAt(placed.entry) < endedAt(last.entry)) {
        placed.overlaps = true;
        last.overlaps = true;
      }
      if (last === undefined || endedAt(placed.entry) > endedAt(last.entry)) last = placed;
    }
  }
  return places;
}

function connectionKey({ connection }: JournalEntry): string {
  return connection === undefined ? '' : `${connection.number} ${connection.openedAt}`;
}

function isHeld(entry: JournalEntry): boolean {
  const isRefusal = failedForNow(entry) || entry.findings.includes('expired-credential');
  return isRefusal && entry.durationMs >= heldMs;
}

// The fetch of Node sends one request after the other by two connections in turn, and opens one that it may need.
const mostOfFetch = 2;
function isNodeFetch({ requestHeaders }: JournalEntry): boolean {
  return (
    headerOf(requestHeaders, 'sec-fetch-mode') !== undefined && headerOf(requestHeaders, 'sec-fetch-dest') === undefined
  );
}

/** Whether two requests came by one connection; where nobody has noted that, they did. */
export function isSameConnection({ connection: a }: JournalEntry, { connection: b }: JournalEntry): boolean {
  return a === undefined || b === undefined || (a.number === b.number && a.openedAt === b.openedAt);
}

// In wall time, without an advance of the clock between them.
function isNear(one: JournalEntry, other: JournalEntry): boolean {
  const ms = Math.abs(begunAt(one) - begunAt(other));
  return ms <= heldForMs && Math.abs(one.at - other.at) - ms < advancedMs;
}

const counts = /^(?:x-)?(?:[a-z]+-)*retry-(?:count|attempt|number)$/;
const attempts = /^(?:x-)?(?:[a-z]+-)*attempt(?:-(?:count|number))?$/;

/** The how many-th repetition a request says that it is, as SDKs do (x-stainless-retry-count); 0 when it says nothing. */
export function retriesOf({ requestHeaders }: JournalEntry): number {
  const aws = /\battempt=(\d+)/.exec(headerOf(requestHeaders, 'amz-sdk-request') ?? '')?.[1];
  if (aws !== undefined) return Number(aws) - 1;
  for (const [name, value] of Object.entries(requestHeaders)) {
    if (!/^\d{1,4}$/.test(value)) continue;
    if (counts.test(name)) return Number(value);
    if (attempts.test(name)) return Math.max(0, Number(value) - 1);
  }
  return 0;
}
