// How two requests of a caller relate: whether the later one was sent because of the answer to the earlier one.

import { arrivingMs } from '../faults/connection.js';
import type { JournalEntry } from '../journal/journal-entry.js';
import { begunAt, endedAt, failedForNow, headerOf, knownAt } from './reading.js';

/**
 * `after`: the client knew the earlier response when it sent the later request. `unclear`: the request came after the
 * response, but the client may have decided on it before. `apart`: it was already on its way, or may have been.
 */
export type Relation = 'after' | 'unclear' | 'apart';

/** The key that equal requests share: operation, path, content, and the parameters that the operation knows. */
export function contentOf(entry: JournalEntry, queryNames: (operation: string) => readonly string[] | undefined) {
  const { method, path, query, operation, requestBodyHash, requestBody, seq } = entry;
  // A body that arrived incomplete is unknown, so it equals no other.
  const content = requestBodyHash ?? (requestBody === null ? '' : `request ${seq}`);
  const known = operation === null ? undefined : queryNames(operation);
  return `${method} ${path}${known === undefined ? query : knownQuery(query, known)} ${content}`;
}

/** The contents of many requests. */
export function contentsOf(
  entries: readonly JournalEntry[],
  queryNames: (operation: string) => readonly string[] | undefined,
): Map<JournalEntry, string> {
  const contents = new Map<JournalEntry, string>();
  for (const entry of entries) void contents.set(entry, contentOf(entry, queryNames));
  return contents;
}

// Parameters that the operation does not read, such as those that defeat caches, do not make requests differ.
function knownQuery(query: string, known: readonly string[]): string {
  if (query === '') return '';
  const parts = query.slice(1).split('&');
  return parts
    .filter((part) => known.includes(part.split('=', 1)[0] ?? ''))
    .sort()
    .join('&');
}

/** Requests that a client sends at once arrive within this time, however busy the machine is. */
const atOnceMs = 800;
const advancedMs = 1_000;
/** The first failure in a second is delayed by at least this; a connection is open for as long before it breaks. */
// A little less than that delay, as durations are rounded.
const heldMs = arrivingMs - 10;
const heldForMs = 1_100;
const neighbours = 16;

/** Tells how two requests of one caller relate. */
export type Relate = (before: JournalEntry, after: JournalEntry) => Relation;

/**
 * Tells how those requests of a caller relate that have the same key.
 *
 * Any of these proves that a client knew a response: its next request uses the same connection; or the response was a
 * failure that was delayed, and nothing else arrived during the delay; or no other connection is open. Equal requests
 * that overlap were planned together or come from several workers, and prove nothing.
 */
export function relateIn(
  sequence: readonly JournalEntry[],
  keyOf: (entry: JournalEntry) => string | undefined,
  knownFirstOn?: FirstOn,
): Relate {
  const firstOn = knownFirstOn ?? firstOnConnections(sequence);
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
  // A client that sends many requests within a second was held up before them.
  function wasHeld(before: JournalEntry): boolean {
    const place = places.get(before);
    const held = place?.group[place.index]?.held;
    return held !== undefined && begunAt(held) <= begunAt(before) && isNear(held, before);
  }

  return (before, after) => {
    const gap = begunAt(after) - knownAt(before);
    if (gap < 0) return 'apart';
    if (retriesOf(after) > 0) return 'after';
    const advanced = after.at - before.at - (begunAt(after) - begunAt(before));
    const isLater = gap >= atOnceMs || advanced >= advancedMs;
    const isCrowd = isInCrowd(after) || (!isLater && isInCrowd(before));
    if (isSameConnection(before, after)) {
      const mayBeCrowd = !isLater && isBesideOthers(after) && !isAlone(after) && !wasHeld(before);
      return isCrowd || mayBeCrowd ? 'unclear' : 'after';
    }
    const { others, openedAt } = after.connection ?? { others: 0, openedAt: 0 };
    const isNew = firstOn(after);
    const isPlanned = isNew && openedAt < knownAt(before);
    if (isCrowd) return isLater ? 'unclear' : 'apart';
    if (!isPlanned && !isLater && wasHeld(before)) return 'after';
    if (isLater || !isNew) return isAlone(after) ? 'after' : isLater ? 'unclear' : 'apart';
    return others === 0 && !isPlanned ? 'unclear' : 'apart';
  };
}

/** Whether a request was the first on its connection. */
export type FirstOn = (entry: JournalEntry) => boolean;

/**
 * Tells which requests were the first on their connections, of all callers: a client may change its credentials, and a
 * test may have used its pool to set a fault in this world, or for another world.
 */
export function firstOnConnections(requests: readonly JournalEntry[]): FirstOn {
  const first = new Map<string, JournalEntry>();
  for (const entry of requests) {
    const connection = connectionKey(entry);
    if (!first.has(connection)) first.set(connection, entry);
  }
  return (entry) => first.get(connectionKey(entry)) === entry && (entry.connection?.earlier ?? 0) === 0;
}

/**
 * Tells which requests of a caller were the only ones on their connections: of two such requests that do not overlap,
 * nothing says whether one client sent both.
 */
export function singleOnConnections(sequence: readonly JournalEntry[]): (entry: JournalEntry) => boolean {
  const counts = new Map<string, number>();
  for (const entry of sequence) {
    const connection = connectionKey(entry);
    counts.set(connection, (counts.get(connection) ?? 0) + 1);
  }
  return (entry) =>
    entry.connection !== undefined && (entry.connection.earlier ?? 0) === 0 && counts.get(connectionKey(entry)) === 1;
}

/** Tells whether a caller sent one request at a time: no two of its requests overlap, and it has no second connection. */
export function aloneIn(sequence: readonly JournalEntry[]): (entry: JournalEntry) => boolean {
  const places = placesIn(sequence, () => '');
  const overlaps = [...places.values()].some(({ group, index }) => group[index]?.overlaps);
  return (entry) => {
    const { others } = entry.connection ?? { others: 0 };
    return !overlaps && (others === 0 || (others <= mostOfFetch && isNodeFetch(entry)));
  };
}

/**
 * Tells which requests of a caller came by a connection on which nothing was under way for a while: they had not been
 * waiting for it, so their client began them when it knew the responses that had come by it.
 */
export function afterIdle(sequence: readonly JournalEntry[]): (entry: JournalEntry) => boolean {
  const idle = new Set<JournalEntry>();
  const last = new Map<string, JournalEntry>();
  for (const entry of sequence) {
    const key = connectionKey(entry);
    const former = last.get(key);
    last.set(key, entry);
    const earlier = former?.connection?.earlier;
    // Requests to the control plane come by it, too, and are not in the journal.
    if (former === undefined || earlier === undefined || entry.connection?.earlier !== earlier + 1) continue;
    const gap = begunAt(entry) - endedAt(former);
    const advanced = entry.at - former.at - (begunAt(entry) - begunAt(former));
    if (gap >= atOnceMs || (gap >= 0 && advanced >= advancedMs)) idle.add(entry);
  }
  return (entry) => idle.has(entry);
}

interface Placed {
  entry: JournalEntry;
  /** The request was in progress at the same time as another one of its group. */
  overlaps: boolean;
  /** The last failure of its group until then, itself included, that was delayed. */
  held: JournalEntry | undefined;
}

/** The requests of one key. */
interface Group {
  placed: Placed[];
  /** The request that ends last of those so far. */
  last: Placed | undefined;
}

function placesIn(
  sequence: readonly JournalEntry[],
  keyOf: (entry: JournalEntry) => string | undefined,
): Map<JournalEntry, { group: readonly Placed[]; index: number }> {
  const places = new Map<JournalEntry, { group: readonly Placed[]; index: number }>();
  const groups = new Map<string, Group>();
  for (const entry of sequence) {
    const key = keyOf(entry);
    if (key === undefined) continue;
    const group = groups.get(key) ?? { placed: [], last: undefined };
    groups.set(key, group);
    const held = isHeld(entry) ? entry : group.placed.at(-1)?.held;
    const placed: Placed = { entry, overlaps: false, held };
    places.set(entry, { group: group.placed, index: group.placed.length });
    group.placed.push(placed);
    const { last } = group;
    if (last !== undefined && begunAt(entry) < knownAt(last.entry)) {
      placed.overlaps = true;
      last.overlaps = true;
    }
    if (last === undefined || knownAt(entry) > knownAt(last.entry)) group.last = placed;
  }
  return places;
}

/** The same for requests that came by the same connection. */
export function connectionKey({ connection }: JournalEntry): string {
  return connection === undefined ? '' : `${connection.number} ${connection.openedAt}`;
}

function isHeld(entry: JournalEntry): boolean {
  const isRefusal = failedForNow(entry) || entry.findings.includes('expired-credential');
  return isRefusal && entry.durationMs >= heldMs;
}

// Node's fetch alternates between two connections even for one request at a time, and opens one in advance.
const mostOfFetch = 2;
function isNodeFetch({ requestHeaders }: JournalEntry): boolean {
  return (
    headerOf(requestHeaders, 'sec-fetch-mode') !== undefined && headerOf(requestHeaders, 'sec-fetch-dest') === undefined
  );
}

/** Whether two requests used the same connection; assumed where the journal does not hold the connection. */
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

/** The number of the retry, as SDKs send it in a header (x-stainless-retry-count); 0 without such a header. */
function retriesOf({ requestHeaders }: JournalEntry): number {
  const aws = /\battempt=(\d+)/.exec(headerOf(requestHeaders, 'amz-sdk-request') ?? '')?.[1];
  if (aws !== undefined) return Number(aws) - 1;
  for (const [name, value] of Object.entries(requestHeaders)) {
    if (!/^\d{1,4}$/.test(value)) continue;
    if (counts.test(name)) return Number(value);
    if (attempts.test(name)) return Math.max(0, Number(value) - 1);
  }
  return 0;
}
