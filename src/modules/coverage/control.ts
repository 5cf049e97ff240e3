// The control operation that says what the client has encountered of the platform: operations, statuses, error codes.

import * as z from 'zod';
import { operation } from '../../control/operation.js';
import { type ErrorCode, errorTable } from '../../core/errors.js';
import { forEach, type Sliced } from '../../core/slices.js';
import type { Endpoint } from '../../http/endpoint.js';
import { errorsOf } from '../../http/openapi.js';
import { journalOf } from '../journal/journal.js';
import type { JournalEntry } from '../journal/journal-entry.js';
import { sincePlace } from '../journal/request-filter.js';
import { recordsSince, type Since } from '../journal/since.js';
import { faultable } from '../platform/surface.js';
import { groupedBy, requestsOf } from '../verdicts/reading.js';

/** An endpoint with the errors that it declares or that its gates imply. */
export type CoverableEndpoint = Pick<Endpoint, 'id' | 'method' | 'path' | 'summary'> & { errors: ErrorCode[] };

/** An error code that the client has met. */
export interface MetError {
  code: string;
  count: number;
  /** How many of these a fault has forced. */
  forced: number;
}

export interface CoveredOperation {
  operation: string;
  /** Method and path. */
  routes: string[];
  summary: string;
  requests: number;
  /** How often each status was answered; 0 stands for none. */
  statuses: Record<string, number>;
  errors: MetError[];
  /** What it can answer that the client has not met. */
  neverMet: string[];
}

export interface CoverageReport {
  operations: CoveredOperation[];
  /** Every error code of the platform, met or not. */
  errors: (MetError & { status: number })[];
  totals: Record<'operations' | 'errors', { met: number; all: number }>;
  /** Requests that no endpoint answers. */
  unmatched: number;
  /** Whether the journal still holds all that was asked for. */
  complete: boolean;
  /** How many records the journal has let go, as it is bounded. */
  dropped: number;
}

// Only the control plane answers it.
const notOfThePlatform: readonly string[] = ['REQUEST_TIMEOUT'];

const metError = z.object({ code: z.string(), count: z.int(), forced: z.int() });
const share = z.object({ met: z.int(), all: z.int() });

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
    query: z.object({ since: sincePlace.optional() }),
    output: z.object({
      operations: z.array(
        z.object({
          operation: z.string(),
          routes: z.array(z.string()),
          summary: z.string(),
          requests: z.int(),
          statuses: z.record(z.string(), z.int()),
          errors: z.array(metError),
          neverMet: z.array(z.string()),
        }),
      ),
      errors: z.array(metError.extend({ status: z.int() })),
      totals: z.object({ operations: share, errors: share }),
      unmatched: z.int(),
      complete: z.boolean(),
      dropped: z.int(),
    }),
    *run({ world }, { since }: { since?: Since | undefined } = {}): Sliced<CoverageReport> {
      const now = world.clock.now();
      const all = yield* journalOf(world).read();
      const records = recordsSince(all, since, now);
      const dropped = journalOf(world).dropped();
      const surface = faultable(world.config).map((one) => ({ ...one, errors: errorsOf(one) }));
      return {
        ...(yield* cover(requestsOf(records), surface)),
        complete: dropped === 0 || records.length < all.length,
        dropped,
      };
    },
  }),
};

/** What requests have met of a surface. */
export function* cover(
  requests: readonly JournalEntry[],
  surface: readonly CoverableEndpoint[],
): Sliced<Omit<CoverageReport, 'complete' | 'dropped'>> {
  // An operation may have several methods.
  const byOperation = new Map<string | null, JournalEntry[]>();
  yield* forEach(requests, (entry) => {
    const known = byOperation.get(entry.operation);
    if (known === undefined) byOperation.set(entry.operation, [entry]);
    else known.push(entry);
  });
  const operations: CoveredOperation[] = [];
  for (const declared of groupedBy(surface, ({ id }) => id)) {
    operations.push(coverOperation(declared, byOperation.get(declared[0]?.id ?? '') ?? []));
    yield;
  }
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
    unmatched: byOperation.get(null)?.length ?? 0,
  };
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
