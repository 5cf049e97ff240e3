// Control operations of the journal: list requests with their responses, find one, follow, clear.

import * as z from 'zod';
import { byId, operation } from '../../control/operation.js';
import { readQueue } from '../../core/async-queue.js';
import { ApiError, invalid } from '../../core/errors.js';
import { packageVersion } from '../../core/files.js';
import { describe } from '../../core/problems.js';
import { platformOperations } from '../../http/platform-operations.js';
import { closing } from '../../world/topics.js';
import type { World } from '../../world/world.js';
import { type Har, har, harOf } from './har.js';
import { journalOf, recorded } from './journal.js';
import { type JournalEntry, type JournalRecord, journalEntry } from './journal-entry.js';
import {
  createRequestFilter,
  type RequestFilter,
  recordsSince,
  requestFilter,
  type Since,
  sincePlace,
} from './request-filter.js';
import { changedTable, changesOfRequest } from './row-changes.js';

export interface FollowOptions {
  /** The place to start at; by default only new records are read. */
  since?: Since | undefined;
  /** Instead of `since`: the number of the last record that was read. */
  after?: number | string | undefined;
  /** Ends it. */
  signal?: AbortSignal | undefined;
}

export const requestList = z.lazy(() =>
  z.object({
    requests: z.array(journalEntry).describe('The newest first'),
    total: z.int().describe('How many match the filter, beyond its limit too'),
    dropped: z.int().describe('How many records are gone because the journal is bounded (setting data.journal)'),
  }),
);

export type RequestList = z.output<typeof requestList>;

/** A filter of requests to export. */
export interface ExportFilter extends RequestFilter {
  /** As HAR 1.2, which is the only form. */
  har?: boolean | undefined;
}

export const requestDetails = z.lazy(() =>
  journalEntry.unwrap().extend({
    changes: z
      .array(changedTable)
      .nullable()
      .describe('The rows that it changed, as its transaction left them; null: the history does not hold them'),
  }),
);

export type RequestDetails = z.output<typeof requestDetails>;

export const requestOperations = {
  /**
   * Lists requests to the platform with their responses, the newest first. Secrets are masked, and bodies are cut at
   * 8 KB.
   *
   * @param filter.since a request id, a number of the journal, an ISO 8601 time, or a duration of virtual time ago
   * @example controls.requests.list({ operation: 'containers.*', status: '4xx', limit: 10 })
   * @throws ApiError VALIDATION_ERROR
   */
  list: operation({
    id: 'control.requests.list',
    route: 'GET /requests',
    summary: 'List requests and their responses, newest first, without secrets',
    query: requestFilter,
    output: requestList,
    command: {
      line: 'requests list',
      prints: 'requests',
      untrusted: 'requests',
      examples: [
        [
          'requests',
          'the last hundred, the newest at the bottom; --json has them in the order of HTTP, the newest first',
        ],
        ['requests list --operation "containers.*" --status 4xx,5xx', 'requests that failed'],
      ],
    },
    run({ world }, filter: RequestFilter = {}): RequestList {
      const { limit = 100 } = filter;
      const matching = requestsOf(world, filter);
      return {
        requests: matching.slice(-limit).reverse(),
        total: matching.length,
        dropped: journalOf(world).dropped(),
      };
    },
  }),
  /**
   * Returns requests as HAR 1.2, the oldest first, which other tools and `cloudemu import` read. Secrets are masked; a
   * body of more than 8 KB is left out.
   *
   * @example writeFileSync('tests.har', JSON.stringify(controls.requests.export()))
   * @throws ApiError VALIDATION_ERROR
   */
  export: operation({
    id: 'control.requests.export',
    route: 'GET /requests/export',
    summary: 'Export requests and their responses as HAR 1.2, without secrets',
    query: z.lazy(() =>
      requestFilter.unwrap().extend({
        har: z.boolean().optional().describe('As HAR 1.2, which is the only form'),
        limit: requestFilter.unwrap().shape.limit.unwrap().optional().describe('The newest ones only; by default all'),
      }),
    ),
    output: har,
    command: {
      line: 'requests export',
      prints: 'indented-json',
      examples: [['requests export --har > tests.har', 'for other tools, and for `cloudemu import`']],
    },
    run({ world }, { har: _, limit, ...filter }: ExportFilter = {}): Har {
      const matching = requestsOf(world, filter);
      return harOf(limit === undefined ? matching : matching.slice(-limit), packageVersion());
    },
  }),
  /**
   * Reads requests and markers as they arrive, with `for await`, until the emulator ends, the loop ends or the signal
   * aborts. Their numbers (`seq`) are consecutive; a gap stands for records that the journal had dropped.
   *
   * @example
   * for await (const record of controls.requests.follow()) {
   *   if (record.kind === 'request' && record.operation === 'containers.create') break;
   * }
   * @throws ApiError VALIDATION_ERROR; SlowConsumerError, while reading, to a reader with more than 1 MB unread
   */
  follow: operation({
    id: 'control.requests.stream',
    route: 'GET /requests/stream',
    summary: 'Stream requests and markers as server-sent events; Last-Event-ID resumes the stream',
    query: z.lazy(() => z.object({ since: sincePlace.optional() })),
    extras: ['signal', 'after'],
    idOf: (record) => String((record as JournalRecord).seq),
    command: {
      line: 'requests follow',
      untrusted: 'whole',
      describe: 'Print requests and markers as they arrive, until Ctrl-C',
      examples: [
        ['requests follow', 'what your client does, in a second terminal'],
        ['requests follow --since 10m --json', 'starts ten minutes back, one JSON object per line'],
      ],
    },
    run({ world }, { since, after, signal }: FollowOptions = {}): AsyncIterable<JournalRecord> {
      return followJournal(world, startOf(world, since, after), signal);
    },
  }),
  /**
   * Returns a request, by the id in its response's header X-Request-Id, with the rows that it changed, as far as
   * the history of the world goes back (settings data.history and data.historyBytes).
   *
   * @example controls.requests.get(requestId).changes?.map(({ table, added }) => `${table} +${added}`)
   * @throws ApiError NOT_FOUND
   */
  get: operation({
    id: 'control.requests.get',
    route: 'GET /requests/{id}',
    summary: 'Show a request by its X-Request-Id, and the rows that it changed',
    params: byId('request: its X-Request-Id'),
    output: requestDetails,
    errors: ['NOT_FOUND'],
    command: {
      line: 'requests show <id>',
      prints: 'request',
      untrusted: 'whole',
      examples: [['requests show req_7820e0a…', 'headers, bodies and changed rows, without secrets']],
    },
    run({ world }, requestId: string): RequestDetails {
      const journal = journalOf(world);
      const found = journal.records().findLast((record) => record.kind === 'request' && record.requestId === requestId);
      if (found?.kind === 'request') return { ...found, changes: changesOfRequest(world, requestId) };
      const dropped = journal.dropped();
      const gone = dropped === 0 ? 'a reset empties it' : `${dropped} are gone`;
      throw new ApiError('NOT_FOUND', {
        message: `The journal holds no request ${describe(requestId)}; it keeps ${world.config.data.journal} records, and ${gone}`,
      });
    },
  }),
  /** Deletes all records; the numbers of new ones continue after theirs. */
  clear: operation({
    id: 'control.requests.clear',
    route: 'DELETE /requests',
    summary: 'Empty the journal',
    output: z.lazy(() => z.object({ cleared: z.int() })),
    command: { line: 'requests clear', examples: [['requests clear', 'empties the journal']] },
    run({ world }): { cleared: number } {
      const journal = journalOf(world);
      const cleared = journal.size();
      journal.clear();
      return { cleared };
    },
  }),
};

/** The requests that a filter selects, the oldest first. */
function requestsOf(world: World, { since, limit: _, ...wanted }: RequestFilter): JournalEntry[] {
  const operationIds = platformOperations.of(world).map(({ id }) => id);
  const isMeant = createRequestFilter(world, operationIds, wanted);
  const records = recordsSince(journalOf(world).records(), since, world.clock.now());
  return [...records].flatMap((record) => (record.kind === 'request' && isMeant(record) ? record : []));
}

/** All records after a number, and new ones as they come. */
function followJournal(world: World, start: number, signal?: AbortSignal): AsyncIterable<JournalRecord> {
  const { bus } = world;
  const journal = journalOf(world);
  let last = start;
  return readQueue<JournalRecord>((queue) => {
    // While a reader catches up the journal itself buffers new records; then they are passed on at once.
    let live = false;
    const collect = (): void => {
      if (!live) return;
      for (const record of journal.since(last)) {
        last = record.seq;
        queue.push(record, sizeOf(record));
      }
    };
    const stops = [bus.on(recorded, () => queue.attempt(collect)), bus.on(closing, queue.end)];
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
  const now = world.clock.now();
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
  const last = journal.last();
  const [first] = recordsSince(journal.records(), since, now);
  return first === undefined ? last : first.seq - 1;
}
