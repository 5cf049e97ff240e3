// Control operations of the clock: freeze, resume, advance, skew.

import * as z from 'zod';
import { operation } from '../../control/operation.js';
import type { ClockView } from '../../core/clock.js';
import { parseDuration } from '../../core/duration.js';
import { anyDuration } from '../../core/duration-schemas.js';
import { invalid } from '../../core/errors.js';
import { dayMs, hourMs, lastInstant, parseTimestamp } from '../../core/instant.js';
import { describe } from '../../core/problems.js';
import { clockView } from '../../http/wire.js';
import { containerAt } from '../../platform/containers/lifecycle/lifecycle.js';
import { type ContainerRecord, listContainers } from '../../platform/containers/store.js';
import { lastLedgerNumber, mostMovements } from '../../platform/credits/store.js';
import { isShared } from '../../platform/hosted-agents/lifecycle.js';
import { listHostedAgents } from '../../platform/hosted-agents/store.js';
import type { World } from '../../world/world.js';

/** The clock after it was advanced. */
export interface AdvancedClock extends ClockView {
  /** By how much it was advanced, in milliseconds. */
  advancedMs: number;
}

const maxAdvanceMs = 366 * 86_400_000;
const forward = 'a duration ("90s", "10m" or milliseconds): time goes forward only';

export const clockOperations = {
  /** The virtual time. */
  get: operation({
    id: 'control.clock.get',
    route: 'GET /clock',
    summary: 'Show the virtual time',
    output: clockView,
    command: {
      line: 'clock get',
      bare: true,
      examples: [['clock', 'the virtual time, its speed, and the skew of clients’ clocks']],
    },
    run: ({ world }): ClockView => world.clock.view(),
  }),
  /**
   * Advances time, and resolves when everything that is due has happened and open streams have been told.
   *
   * @param target a duration ("10m", or milliseconds), or a point in time: `{ to }`
   * @throws ApiError VALIDATION_ERROR if it is not a duration, leads back in time, or is more than a year
   * @example await controls.clock.advance('10m')
   */
  advance: operation({
    id: 'control.clock.advance',
    route: 'POST /clock/advance',
    summary: 'Advance time by a duration, or to a point in time',
    body: z.lazy(() =>
      z.object({
        by: anyDuration(forward).optional().describe('A duration such as 10m, or milliseconds; at most a year'),
        to: z.string().optional().describe('An ISO 8601 time with its zone'),
      }),
    ),
    shorthand: 'by',
    output: z.lazy(() =>
      clockView.extend({ advancedMs: z.number().describe('By how much this has advanced the time, in milliseconds') }),
    ),
    command: {
      line: 'clock advance [by]',
      examples: [
        ['clock advance 10m', 'ten minutes pass, with everything that is due in them'],
        ['clock advance --to 2026-02-01T00:00:00Z', 'advances to that time'],
      ],
    },
    runs: 'async',
    run: async (
      { world },
      target: string | number | { by?: string | number | undefined; to?: string | undefined },
    ): Promise<AdvancedClock> => {
      const wanted = typeof target === 'object' ? target : { by: target };
      const now = world.clock.now();
      const instant = instantOf(wanted, now);
      requireMovements(world, instant - now, wanted.by === undefined ? 'to' : 'by');
      await world.clock.advanceTo(instant);
      return { ...world.clock.view(), advancedMs: instant - now };
    },
  }),
  /** Stops time. */
  freeze: operation({
    id: 'control.clock.freeze',
    route: 'POST /clock/freeze',
    summary: 'Freeze the clock',
    output: clockView,
    command: {
      line: 'clock freeze',
      examples: [['clock freeze', 'time stops until `clock resume`; `clock advance` still moves it']],
    },
    run: ({ world }): ClockView => {
      world.clock.freeze();
      return world.clock.view();
    },
  }),
  /** Lets time run, `speed` times as fast as the wall clock. */
  resume: operation({
    id: 'control.clock.resume',
    route: 'POST /clock/resume',
    summary: 'Run the clock, at any speed',
    body: z.lazy(() =>
      z.object({
        speed: z.number().gt(0).max(1_000_000).optional().describe('Speed relative to the wall clock'),
      }),
    ),
    bodyOptional: true,
    output: clockView,
    command: {
      line: 'clock resume',
      valueIs: 'speed',
      examples: [['clock resume --speed 60', 'a minute passes each second']],
    },
    run: ({ world }, options: { speed?: number | undefined } = {}): ClockView => {
      world.clock.resume(options.speed ?? 1);
      return world.clock.view();
    },
  }),
  /** Sets the time that clients’ own clocks are assumed to show; null: the wall clock. */
  skew: operation({
    id: 'control.clock.skew',
    route: 'POST /clock/skew',
    summary: 'Set the time that clients’ own clocks are assumed to show; null: the wall clock',
    body: z.lazy(() =>
      z.object({
        to: z.iso
          .datetime({ offset: true })
          .nullable()
          .describe('An ISO 8601 time with its zone; null: the wall clock'),
      }),
    ),
    output: clockView,
    command: {
      line: 'clock skew',
      valueIs: 'to',
      examples: [
        [
          'clock skew --to 2026-01-01T00:00:00Z',
          'signatures of clients are checked as if their clocks showed this time',
        ],
        ['clock skew --to null', 'clients’ clocks show the wall time again'],
      ],
    },
    run: ({ world: { clock } }, { to }: { to: string | null }): ClockView => {
      const instant = to === null ? undefined : timestamp(to);
      clock.setSkew(0);
      if (instant !== undefined) clock.setSkew(instant - clock.clientNow());
      return clock.view();
    },
  }),
};

// Time charges by itself: hosted agents by the hour, containers by the day. Whatever lists these movements has its bound.
function requireMovements(world: World, ms: number, path: string): void {
  const now = world.clock.now();
  const mayRun = ({ deployments }: ContainerRecord): boolean =>
    !['failed', 'stopped'].includes(containerAt(deployments, now).status);
  const agents = listHostedAgents(world.db).filter((agent) => !isShared(agent) && agent.billing === 'active').length;
  const containers = world.config.billing.daily ? listContainers(world.db).filter(mayRun).length : 0;
  const charges = agents * Math.ceil(ms / hourMs) + containers * Math.ceil(ms / dayMs);
  const before = lastLedgerNumber(world.db);
  if (charges === 0 || before + charges <= mostMovements) return;
  throw invalid({
    path,
    message: `must be shorter: ${agents} hosted agents and ${containers} containers would be charged up to ${charges} times, and a world, which has ${before} movements of credits, holds at most ${mostMovements}`,
  });
}

function instantOf({ by, to }: { by?: string | number | undefined; to?: string | undefined }, now: number): number {
  if ((by === undefined) === (to === undefined))
    throw invalid({ path: 'by', message: 'or `to` must be given, and only one of them' });
  if (by !== undefined) {
    const ms = parseDuration(by);
    if (ms === undefined)
      throw invalid({
        path: 'by',
        message: /^\s*-/.test(String(by)) ? `must be ${forward}` : 'must be a duration: "90s", "10m" or milliseconds',
        received: describe(by),
      });
    if (ms > maxAdvanceMs) throw invalid({ path: 'by', message: 'must be at most a year', received: describe(by) });
    return withinTime(now + ms, 'by', by);
  }
  const instant = timestamp(to);
  if (instant < now)
    throw invalid({
      path: 'to',
      message: `must not lie in the past: it is ${new Date(now).toISOString()}`,
      received: describe(to),
    });
  if (instant - now > maxAdvanceMs)
    throw invalid({ path: 'to', message: 'must be at most a year ahead', received: describe(to) });
  return withinTime(instant, 'to', to);
}

function timestamp(to: unknown): number {
  const instant = typeof to === 'string' ? parseTimestamp(to) : undefined;
  if (instant !== undefined) return instant;
  throw invalid({
    path: 'to',
    message: 'must be an ISO 8601 time with its zone, such as 2026-01-31T12:00:00Z',
    received: describe(to),
  });
}

function withinTime(instant: number, path: string, given: unknown): number {
  if (instant <= lastInstant) return instant;
  throw invalid({ path, message: 'must not lead beyond the year 9999', received: describe(given) });
}
