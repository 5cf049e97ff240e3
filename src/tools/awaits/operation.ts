// Waiting for requests: until the journal holds so many of an operation.

import * as z from 'zod';
import { operationPattern } from '../../config/names.js';
import { invalid } from '../../core/errors.js';
import { fitsPattern } from '../../core/patterns.js';
import { describe } from '../../core/problems.js';
import { platformOperations } from '../../http/platform-operations.js';
import { iso } from '../../http/wire.js';
import type { Look, Subject } from '../../world/waiting.js';
import type { World } from '../../world/world.js';
import { journalOf, recorded } from '../journal/journal.js';
import type { JournalEntry, JournalRecord } from '../journal/journal-entry.js';
import { recordsSince, requireOperation } from '../journal/request-filter.js';

const status = z.lazy(() =>
  z.union([z.int().min(0).max(599), z.string().regex(/^[1-5]xx$/, 'must be a class such as 4xx')]),
);

export const operationCondition = z.lazy(() =>
  z.object({
    operation: operationPattern.max(200).describe('Operation id; `*` matches any text: containers.*'),
    count: z.int().min(1).max(1_000_000).describe('Number of requests to wait for'),
    status: z
      .union([status, z.array(status).min(1).max(20)])
      .optional()
      .describe('Status of the response: 200, "4xx", 0 for none; or a list of these'),
    since: z
      .union([z.string(), z.number()])
      .optional()
      .describe('Time, or point in the journal, from which requests count; by default the last reset'),
  }),
);

/**
 * Holds when so many requests of the operation (an id, or a pattern with `*`) were answered, with one of the statuses
 * (200, "4xx", 0 for none) if they are given: since the world's last reset, or since a place in the journal.
 */
export type OperationCondition = z.input<typeof operationCondition>;

const lastRequest = z.lazy(() =>
  z.object({
    seq: z.int(),
    requestId: z.string(),
    operation: z.string(),
    status: z.int(),
    at: z.string(),
  }),
);

export const operationCount = z.lazy(() =>
  z.object({
    operation: z.string(),
    count: z.int(),
    last: lastRequest.nullable().describe('The latest of them'),
  }),
);

/** How many requests there were. */
export type OperationCount = z.output<typeof operationCount>;

/** The requests of a condition, as something to wait for. */
export function operationSubject(
  world: World,
  { operation, count, status, since }: z.output<typeof operationCondition>,
): Subject {
  const ids = platformOperations.of(world).map(({ id }) => id);
  requireOperation(ids, operation);
  const fits = status === undefined ? () => true : statusFilter([status].flat());
  const { journal: kept } = world.config.data;
  if (count > kept) {
    const message = `must be at most ${kept}: the journal keeps no more (setting data.journal)`;
    throw invalid({ path: 'count', message, received: describe(count) });
  }
  const isCounted = (record: JournalRecord): record is JournalEntry =>
    record.kind === 'request' &&
    record.operation !== null &&
    fitsPattern(operation, record.operation) &&
    fits(record.status);
  const counts = since === undefined ? isAnything : fromPlace(world, since);
  const state: OperationCount = { operation, count: 0, last: null };
  let seen = 0;

  return {
    topics: [recorded],
    look(): Look {
      // Each record is read once, however many arrive during the wait.
      for (const record of journalOf(world).since(seen)) {
        seen = record.seq;
        if (since === undefined && beginsAnew(record)) Object.assign(state, { count: 0, last: null });
        else if (isCounted(record) && counts(record))
          Object.assign(state, { count: state.count + 1, last: view(record) });
      }
      if (state.count >= count) return { holds: state };
      return { yet: `there were ${state.count} of ${count} requests of ${operation}`, state, nextAt: null };
    },
  };
}

function statusFilter(wanted: readonly (number | string)[]): (status: number) => boolean {
  return (status) => wanted.includes(status) || wanted.includes(`${Math.floor(status / 100)}xx`);
}

function isAnything(): boolean {
  return true;
}

function beginsAnew(record: JournalRecord): boolean {
  return record.kind === 'marker' && (record.event === 'reset' || record.event === 'scenario');
}

// Nothing may be there yet; from the first that is, everything counts.
function fromPlace(world: World, since: string | number): (record: JournalRecord) => boolean {
  const now = world.clock.now();
  let first = recordsSince(journalOf(world).records(), since, now)[0]?.seq;
  return (record) => {
    first ??= recordsSince([record], since, now)[0]?.seq;
    return first !== undefined && record.seq >= first;
  };
}

function view({ seq, requestId, operation, status, at }: JournalEntry): OperationCount['last'] {
  return { seq, requestId, operation: operation ?? '', status, at: iso(at) };
}
