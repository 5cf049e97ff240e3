// The control operation that judges the clients by the journal.

import * as z from 'zod';
import { isTodaysServer } from '../../config/profiles.js';
import type { Config } from '../../config/schema.js';
import { operation } from '../../control/operation.js';
import { wallNow } from '../../core/clock.js';
import { memoizeMany } from '../../core/memoize-last.js';
import { keysAt } from '../../core/schema-parts.js';
import type { Endpoint } from '../../http/endpoint.js';
import { pollingAdvice } from '../../platform/containers/lifecycle/plan.js';
import { surfaceOf } from '../../platform/surface.js';
import { emulatorFacts } from '../../world/given.js';
import type { World } from '../../world/world.js';
import { changesFields } from '../faults/rule.js';
import { type Fault, listFaults } from '../faults/views.js';
import { journalOf } from '../journal/journal.js';
import type { JournalRecord } from '../journal/journal-entry.js';
import { recordsSince, type Since, sincePlace } from '../journal/request-filter.js';
import { judge } from './rules.js';
import { type FaultHits, type Outcome, type Verdict, verdict } from './verdict.js';

export const verdictReport = z.lazy(() =>
  z.object({
    verdicts: z.array(verdict),
    pass: z.int(),
    fail: z.int(),
    unclear: z.int(),
    notExercised: z.int(),
    requests: z.int().describe('Number of requests that were judged'),
    complete: z.boolean().describe('Whether the journal still holds all requests of the period'),
    dropped: z.int().describe('Number of records that the journal no longer holds, as its size is limited'),
  }),
);

export type VerdictReport = z.output<typeof verdictReport>;

export const verdictOperations = {
  /**
   * Judges the clients of the world by its journal: each rule is passed, failed, unclear or not exercised, with
   * evidence.
   *
   * @param options.since a request id, a number of the journal, an ISO 8601 time, or a duration of virtual time
   * @example
   * const { fail, verdicts } = controls.verdicts();
   * expect(fail, JSON.stringify(verdicts, null, 2)).toBe(0);
   * @throws ApiError VALIDATION_ERROR
   */
  verdicts: operation({
    id: 'control.verdicts',
    route: 'GET /verdicts',
    summary: 'Judge the client by the rules of good behaviour: passed, failed, unclear or not exercised, with evidence',
    query: z.lazy(() => z.object({ since: sincePlace.optional() })),
    output: verdictReport,
    run({ world }, { since }: { since?: Since | undefined } = {}): VerdictReport {
      return judgeClients(world, since);
    },
  }),
};

/**
 * Judges the clients of a world by its journal.
 *
 * @throws ApiError VALIDATION_ERROR for an invalid place in the journal
 */
export function judgeClients(world: World, since: Since | undefined): VerdictReport {
  const { clock, config } = world;
  const journal = journalOf(world);
  const all = journal.records();
  const records = recordsSince(all, since, clock.now());
  const runningSince = wallNow() - emulatorFacts.of(world).uptimeMs();
  const verdicts = judgeRecords(records, config, listFaults(world), runningSince);
  const count = (outcome: Outcome): number => verdicts.filter(({ verdict }) => verdict === outcome).length;
  const dropped = journal.dropped();
  return {
    verdicts,
    pass: count('pass'),
    fail: count('fail'),
    unclear: count('unclear'),
    notExercised: count('not-exercised'),
    requests: records.filter(({ kind }) => kind === 'request').length,
    complete: dropped === 0 || records.length < all.length,
    dropped,
  };
}

/** The verdict of every rule on the clients that sent these requests to a world with these settings and faults. */
export function judgeRecords(
  records: readonly JournalRecord[],
  config: Config,
  faults: readonly Fault[],
  runningSince: number,
): Verdict[] {
  const byId = endpointsById(surfaceOf(config));
  return judge(records, {
    faults: faults.filter(({ hits, optional }) => hits > 0 || optional !== true).map(hitsOf),
    endpointOf: (operation) => byId.get(operation),
    queryNames: (operation) => queryNames(byId.get(operation)),
    pollingIntervalMs: pollingAdvice(config.containers.timing, isTodaysServer(config)).intervalMs,
    runningSince,
  });
}

const endpointsById = memoizeMany(
  20,
  (surface: readonly Endpoint[]): ReadonlyMap<string, Endpoint> => new Map(surface.map((one) => [one.id, one])),
);

function queryNames(endpoint: Endpoint | undefined): readonly string[] | undefined {
  return endpoint === undefined ? undefined : endpoint.query === undefined ? [] : keysAt(endpoint.query, []);
}

function hitsOf({ id, hits, match, effect }: Fault): FaultHits {
  const where =
    match.operation ?? ([match.method, match.path].filter((part) => part !== undefined).join(' ') || 'any request');
  const what = effect.error ?? effect.network ?? effect.status ?? (changesFields(effect) ? 'other fields' : 'delay');
  return { id, hits, description: `${where}: ${what}` };
}
