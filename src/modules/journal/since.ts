// Selects the part of the journal from a request, a number, an instant or a duration ago on.

import { parseDuration } from '../../core/duration.js';
import { invalid } from '../../core/errors.js';
import { parseInstant } from '../../core/instant.js';
import { describe } from '../../core/problems.js';
import type { JournalRecord } from './journal-entry.js';

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
