// The control operation that says what the client has encountered of the platform: operations, statuses, error codes.

import * as z from 'zod';
import { operation } from '../../control/operation.js';
import { type ErrorCode, errorTable } from '../../core/errors.js';
import type { Endpoint } from '../../http/endpoint.js';
import { errorsOf } from '../../http/openapi.js';
import { missingRoutes } from '../../http/routes.js';
import { faultable } from '../../platform/surface.js';
import { journalOf } from '../journal/journal.js';
import type { JournalEntry } from '../journal/journal-entry.js';
import { recordsSince, type Since, sincePlace } from '../journal/request-filter.js';
import { groupedBy, requestsOf } from '../verdicts/reading.js';

/** An endpoint with the errors that it declares or that its gates imply. */
export type CoverableEndpoint = Pick<Endpoint, 'id' | 'method' | 'path' | 'summary'> & { errors: ErrorCode[] };

// Only the control plane answers it.
const notOfThePlatform: readonly string[] = ['REQUEST_TIMEOUT'];

export const metError = z.lazy(() =>
  z.object({
    code: z.string(),
    count: z.int(),
    forced: z.int().describe('How many of these a fault has forced'),
  }),
);

/** An error code that the client has met. */
export type MetError = z.output<typeof metError>;

export const coveredOperation = z.lazy(() =>
  z.object({
    operation: z.string(),
    routes: z.array(z.string()).describe('Method and path'),
    summary: z.string(),
    requests: z.int(),
    statuses: z.record(z.string(), z.int()).describe('How often each status was answered; 0 stands for none'),
    errors: z.array(metError),
    neverMet: z.array(z.string()).describe('Responses of the operation that the client has not encountered'),
  }),
);

export type CoveredOperation = z.output<typeof coveredOperation>;

const share = z.lazy(() => z.object({ met: z.int(), all: z.int() }));

export const coverageReport = z.lazy(() =>
  z.object({
    operations: z.array(coveredOperation),
    errors: z
      .array(metError.unwrap().extend({ status: z.int() }))
      .describe('Every error code of the platform, met or not'),
    totals: z.object({ operations: share, errors: share }),
    notImplemented: z
      .array(z.object({ operation: z.string().describe('Method and path'), requests: z.int() }))
      .describe('Operations that the platform has and the emulator does not, which the client has called'),
    unmatched: z.int().describe('Requests that match no endpoint, and no operation of the platform either'),
    complete: z.boolean().describe('Whether the journal still holds all that was asked for'),
    dropped: z.int().describe('Number of records that the journal no longer holds, as its size is limited'),
  }),
);

export type CoverageReport = z.output<typeof coverageReport>;

export const coverageOperations = {
  /**
   * Reports what the world's clients have encountered of the platform, and with it what a test leaves out.
   *
   * @param options.since a request id, a number of the journal, an ISO 8601 time, or a duration of virtual time
   * @example controls.coverage().operations.filter(({ requests }) => requests === 0)
   * @throws ApiError VALIDATION_ERROR
   */
  coverage: operation({
    id: 'control.coverage',
    route: 'GET /coverage',
    summary: 'List the operations and error codes that the client has and has not encountered',
    query: z.lazy(() => z.object({ since: sincePlace.optional() })),
    output: coverageReport,
    run({ world }, { since }: { since?: Since | undefined } = {}): CoverageReport {
      const now = world.clock.now();
      const all = journalOf(world).records();
      const records = recordsSince(all, since, now);
      const dropped = journalOf(world).dropped();
      const surface = faultable(world.config).map((one) => ({ ...one, errors: errorsOf(one) }));
      return {
        ...cover(requestsOf(records), surface),
        complete: dropped === 0 || records.length < all.length,
        dropped,
      };
    },
  }),
};

/** The operations, statuses and error codes of a surface that requests have met. */
export function cover(
  requests: readonly JournalEntry[],
  surface: readonly CoverableEndpoint[],
): Omit<CoverageReport, 'complete' | 'dropped'> {
  // An operation may have several methods.
  const byOperation = new Map<string | null, JournalEntry[]>();
  for (const entry of requests) {
    const known = byOperation.get(entry.operation);
    if (known === undefined) byOperation.set(entry.operation, [entry]);
    else known.push(entry);
  }
  const operations: CoveredOperation[] = [];
  for (const declared of groupedBy(surface, ({ id }) => id)) {
    operations.push(coverOperation(declared, byOperation.get(declared[0]?.id ?? '') ?? []));
  }
  const notImplemented = missedIn(byOperation.get(null) ?? []);
  const missed = notImplemented.reduce((sum, one) => sum + one.requests, 0);
  const met = errorsMet(requests);
  const errors = Object.entries(errorTable)
    .filter(([code]) => !notOfThePlatform.includes(code))
    .map(([code, { status }]) => ({
      status,
      ...(met.find((one) => one.code === code) ?? { code, count: 0, forced: 0 }),
    }));
  return {
    operations,
    errors,
    totals: {
      operations: { met: operations.filter((one) => one.requests > 0).length, all: operations.length },
      errors: { met: errors.filter(({ count }) => count > 0).length, all: errors.length },
    },
    notImplemented,
    unmatched: (byOperation.get(null)?.length ?? 0) - missed,
  };
}

// The journal has no operation for these: nothing can be set, faulted or limited by such a name.
function missedIn(unmatched: readonly JournalEntry[]): CoverageReport['notImplemented'] {
  const refused = unmatched.filter(({ errorCode }) => errorCode === 'NOT_IMPLEMENTED');
  if (refused.length === 0) return [];
  const routes = missingRoutes();
  const counts = new Map<string, number>();
  for (const { method, path } of refused) {
    const found = routes.find(method, path)?.target;
    const operation = found === undefined ? `${method} ${path}` : `${found.method} ${found.path}`;
    counts.set(operation, (counts.get(operation) ?? 0) + 1);
  }
  return [...counts].map(([name, requests]) => ({ operation: name, requests }));
}

function coverOperation(declared: readonly CoverableEndpoint[], requests: readonly JournalEntry[]): CoveredOperation {
  const { id: operation = '', summary = '' } = declared[0] ?? {};
  const errors = errorsMet(requests);
  const possible = new Set(declared.flatMap((endpoint) => endpoint.errors));
  const statuses: Record<string, number> = {};
  for (const { status } of requests) statuses[status] = (statuses[status] ?? 0) + 1;
  return {
    operation,
    routes: declared.map(({ method, path }) => `${method} ${path}`),
    summary,
    requests: requests.length,
    statuses,
    errors,
    neverMet: [...possible].filter((code) => !errors.some((met) => met.code === code)),
  };
}

function errorsMet(requests: readonly JournalEntry[]): MetError[] {
  const met = new Map<string, MetError>();
  for (const { errorCode, fault } of requests) {
    if (errorCode === null) continue;
    const { count = 0, forced = 0 } = met.get(errorCode) ?? {};
    met.set(errorCode, { code: errorCode, count: count + 1, forced: forced + (fault === null ? 0 : 1) });
  }
  return [...met.values()];
}
