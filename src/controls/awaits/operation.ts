// Waiting for requests: until the journal holds so many of an operation.

import * as z from 'zod';
import { iso } from '../../api/wire.js';
import { invalid } from '../../kernel/errors.js';
import { nearest } from '../../kernel/nearest.js';
import { fitsPattern } from '../../kernel/patterns.js';
import { describe } from '../../kernel/problems.js';
import type { JournalEntry, JournalRecord } from '../../store/journal-entry.js';
import type { World } from '../../worlds/world.js';
import { recordsSince } from '../since.js';
import type { Look, Subject } from './waiting.js';

const status = z.union([z.int().min(0).max(599), z.string().regex(/^[1-5]xx$/)]);

export const operationCondition = z.object({
  operation: z.string(),
  count: z.int().min(1).max(1_000_000),
  status: z.union([status, z.array(status).min(1).max(20)]).optional(),
  since: z.union([z.string(), z.number()]).optional(),
});

/**
 * Holds when so many requests of the operation (an id, or a pattern with `*`) were answered, with one of the statuses
 * (200, "4xx", 0 for none) if they are given: since the world's last reset, or since a place in the journal.
 */
export type OperationCondition = z.input<typeof operationCondition>;

/** How many requests there were. */
export interface OperationCount {
  operation: string;
  count: number;
  /** The latest of them. */
  last: { seq: number; requestId: string; operation: string; status: number; at: string } | null;
}

/** The requests of a condition, as something to wait for. */
export function operationSubject(
  world: World,
  operationIds: readonly string[],
  { operation, count, status, since }: z.output<typeof operationCondition>,
): Subject {
  const isMeant = operationFilter(operationIds, operation);
  const fits = status === undefined ? () => true : statusFilter([status].flat());
  const { journal: kept } = world.config.data;
  if (count > kept) {
    const message = `must be at most ${kept}: the journal keeps no more requests (setting data.journal)`;
    throw invalid({ path: 'count', message, received: describe(count) });
  }
  const counting = since === undefined ? sinceReset : sincePlace(world, since);
  const isCounted = (record: JournalRecord): record is JournalEntry =>
    record.kind === 'request' && record.operation !== null && isMeant(record.operation) && fits(record.status);

  return {
    topics: ['journal'],
    look(): Look {
      const counted = counting(world.journal.records()).filter(isCounted);
      const state: OperationCount = { operation, count: counted.length, last: lastOf(counted) };
      if (counted.length >= count) return { holds: state };
      return { yet: `there were ${counted.length} of ${count} requests of ${operation}`, state, nextAt: null };
    },
  };
}

function operationFilter(ids: readonly string[], pattern: string): (id: string) => boolean {
  if (ids.some((id) => fitsPattern(pattern, id))) return (id) => fitsPattern(pattern, id);
  throw invalid({
    path: 'operation',
    message: 'must be the id of an operation, such as containers.create, or a pattern that fits some',
    received: describe(pattern),
    suggestion: nearest(pattern, ids),
  });
}

function statusFilter(wanted: readonly (number | string)[]): (status: number) => boolean {
  return (status) => wanted.includes(status) || wanted.includes(`${Math.floor(status / 100)}xx`);
}

function sinceReset(records: readonly JournalRecord[]): readonly JournalRecord[] {
  const reset = records.findLastIndex(
    (record) => record.kind === 'marker' && (record.event === 'reset' || record.event === 'scenario'),
  );
  return records.slice(reset + 1);
}

// A duration is meant from the beginning of the waiting; an id is looked for now, as the journal may let it go later.
function sincePlace(
  world: World,
  since: string | number,
): (records: readonly JournalRecord[]) => readonly JournalRecord[] {
  const now = world.clock.now();
  const [first] = recordsSince(world.journal.records(), since, now);
  const place = String(since).trim().startsWith('req_') ? (first?.seq ?? since) : since;
  return (records) => recordsSince(records, place, now);
}

function lastOf(counted: readonly JournalEntry[]): OperationCount['last'] {
  const last = counted.at(-1);
  if (last === undefined) return null;
  const { seq, requestId, operation, status, at } = last;
  return { seq, requestId, operation: operation ?? '', status, at: iso(at) };
}
