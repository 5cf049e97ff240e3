// Control operations of rate limits: list, set, use up and release them.

import * as z from 'zod';
import { type Feature, features, presetNames } from '../../config/limit-features.js';
import { operationId } from '../../config/names.js';
import { operation } from '../../control/operation.js';
import { parseDuration } from '../../core/duration.js';
import { durationUpTo, seconds } from '../../core/duration-schemas.js';
import { type FieldProblem, invalid } from '../../core/errors.js';
import { nearest } from '../../core/nearest.js';
import { describe } from '../../core/problems.js';
import { type PlatformOperation, platformOperations } from '../../http/platform-operations.js';
import { waitSeconds } from '../../world/to-client-time.js';
import type { World } from '../../world/world.js';
import { callerNamed } from './callers.js';
import { type Bucket, endpointBucket, featureBucket, keyBucket } from './presets.js';
import { insertLimit, removeLimits } from './store.js';
import { type LimitsView, limitsView, limitWindow, viewLimits, viewWindow } from './views.js';

export const limitRequest = z.lazy(() =>
  z.object({
    preset: z.enum(presetNames).optional().describe('Preset, used by several operations'),
    feature: z
      .enum(Object.keys(features) as [Feature, ...Feature[]])
      .optional()
      .describe('Feature with a limit of its own'),
    operation: operationId.optional().describe('Operation id; the operation gets a limit of its own'),
    limit: z.int().min(1).max(1_000_000_000).describe('Number of requests per window'),
    window: durationUpTo(86_400_000, 'a day', 1)
      .optional()
      .describe('Length of the window: "10s" or milliseconds, at most a day; by default unchanged'),
  }),
);

/** The limit to set, and its new values; exactly one of preset, feature and operation. */
export type LimitRequest = z.input<typeof limitRequest>;

export const exhaustRequest = z.lazy(() =>
  z.object({
    key: z
      .string()
      .optional()
      .describe('A key’s id, its test value or its displayed prefix; without it the seeded one'),
    caller: z.string().optional().describe('Caller without a key, as named in the list of limits'),
    feature: limitRequest.unwrap().shape.feature,
    operation: limitRequest.unwrap().shape.operation.describe('Operation whose window is used up'),
    retryAfter: seconds(86_400)
      .optional()
      .describe('Retry-After in seconds; 0 rejects one request; by default the rest of the current window'),
  }),
);

/** The window to exhaust; without feature and operation, that of all requests of the key. */
export type ExhaustRequest = z.input<typeof exhaustRequest>;

export const exhaustedWindow = limitWindow.extend({ retryAfter: z.int() });

export type ExhaustedWindow = z.output<typeof exhaustedWindow>;

export const limitOperations = {
  /** Lists the limits in force, the source of each, and the current windows of callers. */
  list: operation({
    id: 'control.limits.list',
    route: 'GET /limits',
    summary: 'List the limits in force, and the current windows of callers',
    output: limitsView,
    command: {
      line: 'limits list',
      examples: [['limits', 'the limits, where they come from, and how much each caller has used']],
    },
    run: ({ world }): LimitsView => viewLimits(world),
  }),
  /**
   * Changes the limit of a preset, a feature or an operation, at once and for current windows, too. The limit is used
   * unchanged (without the multiplier), even if the settings turn limits off. An operation gets a window of its own,
   * separate from that of its feature.
   *
   * @example controls.limits.set({ operation: 'containers.create', limit: 2, window: '10s' })
   * @throws ApiError VALIDATION_ERROR
   */
  set: operation({
    id: 'control.limits.set',
    route: 'POST /limits',
    summary: 'Change the limit of a preset, a feature or an operation',
    body: limitRequest,
    output: limitsView,
    command: {
      line: 'limits set',
      examples: [
        ['limits set --operation containers.create --limit 2 --window 10s', 'the third create in ten seconds is a 429'],
      ],
    },
    run: ({ world }, request: LimitRequest): LimitsView => {
      setLimit(world, request);
      return viewLimits(world);
    },
  }),
  /**
   * Exhausts a caller's window: its next request gets a 429, until the window ends or limits are released.
   *
   * @example controls.limits.exhaust({ feature: 'chat', retryAfter: 30 })
   * @throws ApiError VALIDATION_ERROR, or NOT_FOUND for an unknown key
   */
  exhaust: operation({
    id: 'control.limits.exhaust',
    route: 'POST /limits/exhaust',
    summary: 'Use up a key’s limit: its requests get a 429 until the window ends, with any Retry-After',
    body: exhaustRequest,
    bodyOptional: true,
    errors: ['NOT_FOUND'],
    output: exhaustedWindow,
    command: {
      line: 'limits exhaust',
      examples: [
        ['limits exhaust --retry-after 30', 'all requests of the test key are refused for 30 s'],
        ['limits exhaust --operation containers.create', 'only creates are refused'],
      ],
    },
    run: ({ world }, request: ExhaustRequest = {}): ExhaustedWindow =>
      world.usage.undoable(() => exhaustLimit(world, request)),
  }),
  /** Undoes all changes to limits: the settings apply again, and every caller begins a new window. */
  release: operation({
    id: 'control.limits.release',
    route: 'DELETE /limits',
    summary: 'Undo all changes to limits and start new windows',
    output: limitsView,
    command: {
      line: 'limits release',
      examples: [['limits release', 'restores the limits of the settings']],
    },
    run: ({ world }): LimitsView => {
      world.usage.clear(() => removeLimits(world.db));
      return viewLimits(world);
    },
  }),
};

/**
 * Gives a preset, a feature or an operation another limit.
 *
 * @throws ApiError VALIDATION_ERROR for an unknown operation, or for several of them
 */
export function setLimit(world: World, { limit: size, window, ...selectors }: LimitRequest): void {
  const [kind, name] = onlyOne(selectors, true) ?? (['preset', ''] as const);
  if (kind === 'operation') operationNamed(world, name);
  insertLimit(world.db, {
    kind,
    name,
    limit: size,
    windowMs: window === undefined ? null : (parseDuration(window) ?? null),
  });
}

/**
 * Uses up a caller's window.
 *
 * @throws ApiError VALIDATION_ERROR, or NOT_FOUND for an unknown key
 */
export function exhaustLimit(world: World, request: ExhaustRequest): ExhaustedWindow {
  const { key, caller: callerName, retryAfter, ...selectors } = request;
  onlyOne({ key, caller: callerName }, false);
  const [kind, name] = onlyOne(selectors, false) ?? [];
  const target = kind === 'operation' ? operationNamed(world, name ?? '') : undefined;
  const { caller, rateLimit } = callerNamed(world, { key, caller: callerName });
  const bucket =
    target !== undefined
      ? (endpointBucket(world, target) ?? giveWindow(world, target))
      : kind === 'feature'
        ? featureBucket(world, name as Feature)
        : keyBucket(world.config, rateLimit);
  const now = world.clock.now();
  const until =
    retryAfter === undefined
      ? endOfWindow(world, caller, bucket, now)
      : now + Math.ceil(world.clock.fromWallDuration(retryAfter * 1_000));
  world.usage.fill(caller, bucket, until, now);
  const full = { used: bucket.size, endsAt: until, exhausted: true };
  return { ...viewWindow(caller, bucket, full), retryAfter: waitSeconds(world, until - now) };
}

function operationNamed(world: World, id: string): PlatformOperation {
  const operations = platformOperations.of(world);
  const known = operations.find((candidate) => candidate.id === id);
  if (known !== undefined) return known;
  const ids = operations.map((candidate) => candidate.id);
  throw invalid({
    path: 'operation',
    message: 'must be the id of an operation, such as containers.create',
    received: describe(id),
    suggestion: nearest(id, ids),
  });
}

// An operation without a window of its own cannot be refused apart from other requests of the key.
function giveWindow(world: World, { id }: PlatformOperation): Bucket {
  const { size, length } = keyBucket(world.config, undefined);
  insertLimit(world.db, { kind: 'operation', name: id, limit: size, windowMs: length });
  return { name: id, size, length, enforced: true };
}

function endOfWindow(world: World, caller: string, { name, length }: Bucket, now: number): number {
  const { endsAt } = world.usage.window(caller, name, length, now);
  // A window for a single request has no time left.
  return endsAt > now ? endsAt : now + length;
}

function onlyOne<Name extends string>(
  selectors: Partial<Record<Name, string | undefined>>,
  needed: boolean,
): [Name, string] | undefined {
  const problems = selectionProblems(selectors, needed);
  if (problems.length > 0) throw invalid(...problems);
  const [first] = Object.entries<string | undefined>(selectors).filter(([, value]) => value !== undefined);
  return first as [Name, string] | undefined;
}

/** The problems of selectors of which exactly one must be given. */
export function selectionProblems(selectors: Record<string, unknown>, needed: boolean): FieldProblem[] {
  const [first, second] = Object.keys(selectors).filter((name) => selectors[name] !== undefined);
  if (second !== undefined) return [{ path: second, message: `cannot be combined with \`${first}\`` }];
  if (first !== undefined || !needed) return [];
  return [{ path: 'preset', message: 'or `feature` or `operation` must be given, and only one of them' }];
}
