// Selects from the journal: requests by operation, status, key and fault; records from a request, a number, an instant or a
// duration ago on.

import * as z from 'zod';
import { operationPattern } from '../../config/names.js';
import { parseDuration } from '../../core/duration.js';
import { invalid } from '../../core/errors.js';
import { parseInstant } from '../../core/instant.js';
import { nearest } from '../../core/nearest.js';
import { fitsPattern } from '../../core/patterns.js';
import { describe } from '../../core/problems.js';
import { findKeysNamed } from '../../platform/keys/store.js';
import type { World } from '../../world/world.js';
import { journalOf } from './journal.js';
import type { JournalEntry, JournalRecord } from './journal-entry.js';

const place = 'a request id, a number of the journal, an ISO 8601 time, or a duration of virtual time such as 10m';

export const sincePlace = z.lazy(() => z.union([z.string(), z.number()]).describe(`Only from this point on: ${place}`));

export const requestFilter = z.lazy(() =>
  z.object({
    operation: operationPattern
      .max(200)
      .describe('Operation id such as containers.create, or a pattern such as containers.*')
      .optional(),
    status: z
      .union([z.string().max(200), z.int()])
      .describe('200, 4xx, or several separated by commas; 0: requests without a response')
      .optional(),
    key: z.string().max(200).describe('A key’s id, its value or its displayed prefix').optional(),
    since: sincePlace.optional(),
    faulted: z.boolean().describe('Only requests on which a fault rule fired').optional(),
    limit: z.int().min(1).max(10_000).default(100).describe('Maximum number of requests; the newest are returned'),
  }),
);

/** A filter of requests; each part may be left out. */
export type RequestFilter = z.input<typeof requestFilter>;

type Wanted = Omit<z.output<typeof requestFilter>, 'since' | 'limit'>;

/**
 * Creates the predicate of a filter.
 *
 * @throws ApiError VALIDATION_ERROR for an operation, status or key that cannot exist
 */
export function createRequestFilter(
  world: World,
  operationIds: readonly string[],
  { operation, status, key, faulted }: Wanted,
): (entry: JournalEntry) => boolean {
  const tests: ((entry: JournalEntry) => boolean)[] = [];
  if (operation !== undefined) {
    requireOperation(operationIds, operation);
    tests.push((entry) => entry.operation !== null && fitsPattern(operation, entry.operation));
  }
  if (status !== undefined) {
    const isMeant = statusTest(status);
    tests.push((entry) => isMeant(entry.status));
  }
  if (key !== undefined) {
    const id = keyIdOf(world, key);
    tests.push((entry) => entry.keyId === id);
  }
  if (faulted !== undefined) tests.push((entry) => (entry.fault !== null) === faulted);
  return (entry) => tests.every((test) => test(entry));
}

/** @throws ApiError VALIDATION_ERROR naming the nearest where no operation fits */
export function requireOperation(ids: readonly string[], operation: string): void {
  if (ids.some((id) => fitsPattern(operation, id))) return;
  throw invalid({
    path: 'operation',
    message: 'must be the id of an operation, such as containers.create, or a pattern that fits some',
    received: describe(operation),
    suggestion: nearest(operation, ids),
  });
}

function statusTest(status: string | number): (status: number) => boolean {
  const words = String(status)
    .split(',')
    .map((word) => word.trim().toLowerCase());
  if (words.every((word) => /^([1-5]\d\d|[1-5]xx|0)$/.test(word)))
    return (met) => words.some((word) => word === String(met) || (met > 0 && word === `${Math.floor(met / 100)}xx`));
  throw invalid({
    path: 'status',
    message: 'must be a status (200), a class (4xx), 0 for none, or several separated by commas (429,5xx)',
    received: describe(status),
  });
}

// The journal may still hold requests of a deleted key.
function keyIdOf(world: World, key: string): string {
  const [named, ...more] = findKeysNamed(world.db, key);
  if (named !== undefined && more.length === 0) return named.id;
  const isKnown = journalOf(world)
    .records()
    .some((record) => record.kind === 'request' && record.keyId === key);
  if (named === undefined && isKnown) return key;
  throw invalid({
    path: 'key',
    message:
      named === undefined
        ? 'must be the id, the value or the shown beginning of a key of this world'
        : `names ${more.length + 1} keys: give the id of one, such as ${named.id}`,
    received: describe(key, true),
  });
}

/** The id of a request, a number of the journal, an ISO 8601 instant, or a duration ago ("10m"), in virtual time. */
export type Since = string | number;

/**
 * The records from a position on, including the one at that position.
 *
 * @param now virtual, for durations
 * @throws ApiError VALIDATION_ERROR for an invalid position, or a request that the journal does not hold
 */
export function recordsSince(
  records: readonly JournalRecord[],
  since: Since | undefined,
  now: number,
): readonly JournalRecord[] {
  if (since === undefined) return records;
  const begins = beginningOf(records, since, now);
  const first = records.findIndex(begins);
  return first === -1 ? [] : records.slice(first);
}

// An instant finds the first record at or after it: virtual time goes back when a snapshot is restored.
function beginningOf(records: readonly JournalRecord[], since: Since, now: number): (record: JournalRecord) => boolean {
  const text = String(since).trim();
  if (/^\d+$/.test(text)) return (record) => record.seq >= Number(text);
  if (text.startsWith('req_')) {
    // After a restore ids repeat; the latest is meant.
    const seq = records.findLast((record) => record.kind === 'request' && record.requestId === text)?.seq;
    if (seq !== undefined) return (record) => record.seq >= seq;
    throw invalid({ path: 'since', message: 'must name a request that the journal holds', received: describe(text) });
  }
  const ago = parseDuration(text);
  const instant = ago !== undefined ? now - ago : parseInstant(text);
  if (instant !== undefined) return (record) => record.at >= instant;
  throw invalid({
    path: 'since',
    message: 'must be a request id, a number of the journal, an ISO 8601 time, or a duration such as "10m"',
    received: describe(since),
  });
}
