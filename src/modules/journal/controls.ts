// Controls of the journal: list requests with their responses, look one up, follow, clear.

import { readFeed } from '../../core/async-queue.js';
import { ApiError, invalid } from '../../core/errors.js';
import { describe } from '../../core/problems.js';
import { checkInput } from '../../http/validate.js';
import { closing, type World } from '../../world/world.js';
import { journalOf, recorded } from './journal.js';
import type { JournalEntry, JournalRecord } from './journal-entry.js';
import { createRequestFilter, type RequestFilter, requestFilter } from './request-filter.js';
import { recordsSince, type Since } from './since.js';

export interface RequestList {
  /** The newest first. */
  requests: JournalEntry[];
  /** How many match the filter, beyond its limit too. */
  total: number;
  /** How many records are gone because the journal is bounded (setting data.journal). */
  dropped: number;
}

export interface FollowOptions {
  /** Where to start; without it, only records from now on. */
  since?: Since | undefined;
  /** Instead of `since`: the number of the last record that was read. */
  after?: number | string | undefined;
  /** Ends it. */
  signal?: AbortSignal | undefined;
}

export type RequestControls = ReturnType<typeof createRequestControls>;

/** The journal controls of a world whose operations have these ids. */
export function createRequestControls(world: World, operationIds: readonly string[]) {
  const journal = journalOf(world);
  return {
    requests: {
      /**
       * Requests to the platform with their responses, the newest first. Secrets are masked, bodies cut at 8 KB.
       *
       * @param filter.since a request id, a number of the journal, an ISO 8601 time, or a duration of virtual time ago
       * @example controls.requests.list({ operation: 'containers.*', status: '4xx', limit: 10 })
       * @throws ApiError VALIDATION_ERROR
       */
      list(filter: RequestFilter = {}): RequestList {
        const { since, limit, ...wanted } = checkInput(requestFilter, filter, { strict: true, warn: () => {} });
        const isMeant = createRequestFilter(world, operationIds, wanted);
        const found = recordsSince(journal.records(), since, world.clock.now()).filter(
          (record): record is JournalEntry => record.kind === 'request' && isMeant(record),
        );
        return { requests: found.slice(-limit).reverse(), total: found.length, dropped: journal.dropped() };
      },
      /**
       * One request, by the id in its response's header X-Request-Id.
       *
       * @throws ApiError NOT_FOUND
       */
      get(requestId: string): JournalEntry {
        const found = journal
          .records()
          .findLast((record) => record.kind === 'request' && record.requestId === requestId);
        if (found?.kind === 'request') return found;
        throw new ApiError('NOT_FOUND', {
          message: `The journal holds no request ${describe(requestId)}; it keeps ${world.config.data.journal} records, and ${journal.dropped()} are gone`,
        });
      },
      /**
       * Requests and markers as they come, for `for await`, until the emulator ends, the loop is left or the signal
       * aborts. Numbers (`seq`) follow each other; a gap is what the journal had dropped before it was read.
       *
       * @example
       * for await (const record of controls.requests.follow()) {
       *   if (record.kind === 'request' && record.operation === 'containers.create') break;
       * }
       * @throws ApiError VALIDATION_ERROR; FellBehind, while reading, to a reader with more than 1 MB unread
       */
      follow({ since, after, signal }: FollowOptions = {}): AsyncIterable<JournalRecord> {
        return followJournal(world, startOf(world, since, after), signal);
      },
      /** Deletes all records; numbers go on. */
      clear(): { cleared: number } {
        const cleared = journal.records().length;
        journal.clear();
        return { cleared };
      },
    },
  };
}

/** All records after a number, and new ones as they come. */
export function followJournal(world: World, start: number, signal?: AbortSignal): AsyncIterable<JournalRecord> {
  const { bus } = world;
  const journal = journalOf(world);
  let last = start;
  return readFeed<JournalRecord>((feed) => {
    // While a reader catches up the journal itself buffers new records; then they are passed on at once.
    let live = false;
    const collect = (): void => {
      if (!live) return;
      for (const record of journal.since(last)) {
        last = record.seq;
        feed.push(record, sizeOf(record));
      }
    };
    const stops = [bus.on(recorded, collect), bus.on(closing, feed.end)];
    return {
      more() {
        const batch = journal.since(last, 100);
        last = batch.at(-1)?.seq ?? last;
        live = batch.length === 0;
        return batch;
      },
      close() {
        for (const stop of stops) stop();
      },
    };
  }, signal);
}

/** The approximate size of a record in bytes, for queues. */
export function sizeOf(record: JournalRecord): number {
  if (record.kind === 'marker') return 200;
  return 1_500 + (record.requestBody?.length ?? 0) + (record.responseBody?.length ?? 0);
}

function startOf(world: World, since: Since | undefined, after: number | string | undefined): number {
  const journal = journalOf(world);
  if (after !== undefined) {
    const number = Number(after);
    // A number beyond the last one belongs to another journal.
    if (Number.isInteger(number) && number >= 0 && String(after).trim() !== '') return Math.min(number, journal.last());
    throw invalid({
      path: 'after',
      message: 'must be the number of a record, as in the id of an event (header Last-Event-ID)',
      received: describe(after),
    });
  }
  if (since === undefined) return journal.last();
  const [first] = recordsSince(journal.records(), since, world.clock.now());
  return first === undefined ? journal.last() : first.seq - 1;
}
