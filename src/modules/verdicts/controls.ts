// Controls of verdicts: judge the clients by the journal.

import { wallNow } from '../../core/clock.js';
import { keysAt } from '../../core/problems.js';
import type { World } from '../../world/world.js';
import { pollingAdvice } from '../containers/plan.js';
import { createFaultControls, type Fault } from '../faults/controls.js';
import { journalOf } from '../journal/journal.js';
import { recordsSince, type Since } from '../journal/since.js';
import { endpoints } from '../platform/surface.js';
import { judge } from './rules.js';
import type { FaultHits, Outcome, Verdict } from './verdict.js';

export interface VerdictReport {
  verdicts: Verdict[];
  pass: number;
  fail: number;
  unclear: number;
  notExercised: number;
  /** How many requests were looked at. */
  requests: number;
  /** Whether the journal still holds all that was asked for. */
  complete: boolean;
  /** How many records the journal has let go, as it is bounded. */
  dropped: number;
}

export type VerdictControls = ReturnType<typeof createVerdictControls>;

/** The verdict controls of a world. */
/** What verdicts are made from. */
export interface VerdictContext {
  world: World;
  /** Wall milliseconds since the emulator started. */
  uptimeMs: () => number;
}

export function createVerdictControls({ world, uptimeMs }: VerdictContext) {
  return {
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
    verdicts({ since }: { since?: Since | undefined } = {}): VerdictReport {
      const { clock, config } = world;
      const journal = journalOf(world);
      const all = journal.records();
      const records = recordsSince(all, since, clock.now());
      const verdicts = judge(records, {
        faults: createFaultControls(world).list().map(hitsOf),
        queryNames,
        pollingIntervalMs: pollingAdvice(config.containers.timing).intervalMs,
        runningSince: wallNow() - uptimeMs(),
      });
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
    },
  };
}

function queryNames(operation: string): readonly string[] | undefined {
  const endpoint = endpoints.find(({ id }) => id === operation);
  return endpoint === undefined ? undefined : endpoint.query === undefined ? [] : keysAt(endpoint.query, []);
}

function hitsOf({ id, hits, match, effect }: Fault): FaultHits {
  const where =
    match.operation ?? ([match.method, match.path].filter((part) => part !== undefined).join(' ') || 'any request');
  const what = effect.error ?? effect.network ?? effect.status ?? 'delay';
  return { id, hits, description: `${where}: ${what}` };
}
