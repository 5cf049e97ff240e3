// Controls of rate limits: list, set, exhaust and release them.

import * as z from 'zod';
import { durationUpTo } from '../../config/duration.js';
import { type Feature, features, presetNames } from '../../config/limit-features.js';
import { operationId } from '../../config/names.js';
import { parseDuration } from '../../core/duration.js';
import { type FieldProblem, invalid } from '../../core/errors.js';
import { nearest } from '../../core/nearest.js';
import { describe } from '../../core/problems.js';
import { checkInput } from '../../http/validate.js';
import { waitSeconds } from '../../world/to-client-time.js';
import type { World } from '../../world/world.js';
import { callerNamed } from './callers.js';
import { type Bucket, endpointBucket, featureBucket, keyBucket } from './presets.js';
import { limitOverridesOf } from './store.js';
import { type LimitsView, type LimitWindow, type Operation, viewLimits, viewWindow } from './views.js';

export const limitRequest = z.object({
  preset: z.enum(presetNames).optional().describe('Preset, used by several operations'),
  feature: z
    .enum(Object.keys(features) as [Feature, ...Feature[]])
    .optional()
    .describe('Feature with a limit of its own'),
  operation: operationId.optional().describe('Operation id; the operation gets a limit of its own'),
  limit: z.int().min(1).max(1_000_000_000).describe('Number of requests per window'),
  window: durationUpTo(86_400_000, 'a day', 1)
    .optional()
    .describe('Length of the window, at most a day; by default unchanged'),
});

/** Which limit to set, and its new values; exactly one of preset, feature and operation. */
export type LimitRequest = z.input<typeof limitRequest>;

export const exhaustRequest = z.object({
  key: z.string().optional().describe('A key’s id, its test value or its displayed prefix; without it the seeded one'),
  caller: z.string().optional().describe('Caller without a key, as named in the list of limits'),
  feature: limitRequest.shape.feature,
  operation: limitRequest.shape.operation.describe('Operation whose window is used up'),
  retryAfter: z
    .int()
    .min(0)
    .max(86_400)
    .optional()
    .describe('Retry-After in seconds; 0 rejects one request; by default the rest of the current window'),
});

/** Which window to exhaust; without feature and operation, that of all requests of the key. */
export type ExhaustRequest = z.input<typeof exhaustRequest>;

export type LimitControls = ReturnType<typeof createLimitControls>;

/** Creates the limit controls of a world with these operations. */
export function createLimitControls(world: World, operations: readonly Operation[]) {
  const operationOf = (id: string): Operation => {
    const known = operations.find((candidate) => candidate.id === id);
    if (known !== undefined) return known;
    const suggestion = nearest(
      id,
      operations.map((operation) => operation.id),
    );
    throw invalid({
      path: 'operation',
      message: 'must be the id of an operation, such as containers.create',
      received: describe(id),
      suggestion,
    });
  };
  const list = (): LimitsView => viewLimits(world, operations);

  return {
    /** The limits in force with their sources, and the current windows of callers. */
    list,
    /**
     * Gives a preset, a feature or an operation another size, at once and also for current windows. The number is
     * taken as it is (no multiplier), and it holds even where the settings disable limits. An operation gets a window
     * of its own, apart from its feature's.
     *
     * @example controls.limits.set({ operation: 'containers.create', limit: 2, window: '10s' })
     * @throws ApiError VALIDATION_ERROR
     */
    set(request: LimitRequest): LimitsView {
      const { limit, window, ...selectors } = checkInput(limitRequest, request, { strict: true, warn: () => {} });
      const [kind, name] = onlyOne(selectors, true) ?? (['preset', ''] as const);
      if (kind === 'operation') operationOf(name);
      limitOverridesOf(world).set({
        kind,
        name,
        limit,
        windowMs: window === undefined ? null : (parseDuration(window) ?? null),
      });
      return list();
    },
    /**
     * Exhausts a caller's window: its next request gets a 429, until the window ends or limits are released.
     *
     * @example controls.limits.exhaust({ feature: 'chat', retryAfter: 30 })
     * @throws ApiError VALIDATION_ERROR, or NOT_FOUND for an unknown key
     */
    exhaust(request: ExhaustRequest = {}): LimitWindow & { retryAfter: number } {
      const wanted = checkInput(exhaustRequest, request, { strict: true, warn: () => {} });
      const { key, caller: named, retryAfter, ...selectors } = wanted;
      onlyOne({ key, caller: named }, false);
      const [kind, name] = onlyOne(selectors, false) ?? [];
      const operation = kind === 'operation' ? operationOf(name ?? '') : undefined;
      const { caller, rateLimit } = callerNamed(world, { key, caller: named });
      const bucket =
        operation !== undefined
          ? (endpointBucket(world, operation) ?? giveWindow(world, operation))
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
    },
    /** Releases what was set and exhausted: the settings hold again, and every caller begins a new window. */
    release(): LimitsView {
      world.usage.clear(() => limitOverridesOf(world).clear());
      return list();
    },
  };
}

// An operation without a window of its own cannot be refused apart from other requests of the key.
function giveWindow(world: World, operation: Operation): Bucket {
  const { size, length } = keyBucket(world.config, undefined);
  limitOverridesOf(world).set({ kind: 'operation', name: operation.id, limit: size, windowMs: length });
  return { name: operation.id, size, length, enforced: true };
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
