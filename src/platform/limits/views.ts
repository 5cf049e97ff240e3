// The list of limits: presets, features, operations, and the current windows of callers.

import * as z from 'zod';
import { type Feature, features, presetNames } from '../../config/limit-features.js';
import { configSchema } from '../../config/schema.js';
import { type PlatformOperation, platformOperations } from '../../http/platform-operations.js';
import { iso } from '../../http/wire.js';
import type { World } from '../../world/world.js';
import { findOrganization } from '../accounts/store.js';
import { keyOfCaller } from './callers.js';
import {
  addressBucket,
  type Bucket,
  endpointBucket,
  featureBucket,
  keyBucket,
  operationBucket,
  planBucket,
  presetBucket,
} from './presets.js';
import { findLimit } from './store.js';

const limit = z.object({
  limit: z.int(),
  windowMs: z.int(),
  from: z.enum(['default', 'settings', 'control']).describe('Its source'),
});
const named = limit.extend({ name: z.string() });

/** A limit in force, and its source. */
export type LimitView = z.output<typeof limit>;

export const limitWindow = z.object({
  caller: z.string().describe('`key:<id>`, `address:<ip>` and so on'),
  bucket: z.string().describe('`all` requests of a key, a feature, an operation, `address` or `plan`'),
  used: z.int(),
  limit: z.int(),
  exhausted: z.boolean().describe('Exhausted by a control: nothing passes before it ends'),
  resetsAt: z.string(),
});

/** The current window of a caller. */
export type LimitWindow = z.output<typeof limitWindow>;

export const limitsView = z.object({
  enabled: z
    .boolean()
    .describe('Whether the settings enable limits; limits that a control set or exhausted hold anyway'),
  mode: z.enum(['shared', 'plans']),
  keys: limit.describe('Of all requests of a key that has no limit of its own'),
  addresses: limit.optional().describe('Of all requests of an address, where there is one'),
  presets: z.array(named),
  features: z.array(named.extend({ preset: z.enum(presetNames) })),
  operations: z.array(named).describe('The operations that have a window of their own'),
  windows: z.array(limitWindow),
});

export type LimitsView = z.output<typeof limitsView>;

/** Everything about the limits of a world. */
export function viewLimits(world: World): LimitsView {
  const operations = platformOperations.of(world);
  const { enabled, mode } = world.config.rateLimits;
  const { presets: usual, perKey } = configSchema.parse({}).rateLimits;
  const ofAddress = addressBucket(world.config, '');
  const isSet = (kind: 'preset' | 'feature' | 'operation', name: string): boolean =>
    findLimit(world.db, kind, name) !== undefined;
  return {
    enabled,
    mode,
    keys: viewLimit(keyBucket(world.config, undefined), false, { limit: perKey, window: 60_000 }),
    ...(ofAddress !== undefined && { addresses: viewLimit(ofAddress, false, undefined) }),
    presets: presetNames.map((name) => ({
      name,
      ...viewLimit(presetBucket(world, name, name), isSet('preset', name), usual[name]),
    })),
    features: (Object.keys(features) as Feature[]).map((name) => {
      const preset = features[name];
      const set = isSet('feature', name) || isSet('preset', preset);
      return { name, preset, ...viewLimit(featureBucket(world, name), set, usual[preset]) };
    }),
    operations: operations.flatMap((operation) => {
      const { id: name } = operation;
      const bucket = operationBucket(world, operation);
      if (bucket === undefined || bucket === 'none') return [];
      const preset = world.config.rateLimits.operations[name];
      const set = isSet('operation', name) || (preset !== undefined && isSet('preset', preset));
      return [{ name, ...viewLimit(bucket, set, undefined) }];
    }),
    windows: viewWindows(world, operations),
  };
}

function viewLimit(bucket: Bucket, set: boolean, usual: { limit: number; window: number } | undefined): LimitView {
  const { size: limit, length: windowMs } = bucket;
  const isUsual = usual?.limit === limit && usual.window === windowMs;
  return { limit, windowMs, from: set ? 'control' : isUsual ? 'default' : 'settings' };
}

/** A window as the list shows it. */
export function viewWindow(
  caller: string,
  { name: bucket, size: limit }: Bucket,
  { used, endsAt, exhausted }: { used: number; endsAt: number; exhausted: boolean },
): LimitWindow {
  return { caller, bucket, used, limit, exhausted, resetsAt: iso(endsAt) };
}

function viewWindows(world: World, operations: readonly PlatformOperation[]): LimitWindow[] {
  const now = world.clock.now();
  return world.usage.present(now).flatMap(({ caller, bucket: name, startedAt, count: used, fullUntil }) => {
    const bucket = bucketNamed(world, operations, caller, name);
    const exhausted = fullUntil !== null;
    const endsAt = fullUntil ?? startedAt + bucket.length;
    return exhausted || endsAt > now ? [viewWindow(caller, bucket, { used, endsAt, exhausted })] : [];
  });
}

// The bucket by its name in the list, as the limiter stores it for a request of that caller.
function bucketNamed(world: World, operations: readonly PlatformOperation[], caller: string, name: string): Bucket {
  if (Object.hasOwn(features, name)) return featureBucket(world, name as Feature);
  const operation = operations.find(({ id }) => id === name);
  const own = operation === undefined ? undefined : endpointBucket(world, operation);
  if (own?.name === name) return own;
  const ofAddress = name === 'address' ? addressBucket(world.config, caller) : undefined;
  if (ofAddress !== undefined) return ofAddress;
  const key = keyOfCaller(world, caller);
  if (name === 'plan' && key !== undefined)
    return planBucket(world.config, findOrganization(world.db, key.organization_id)?.plan ?? 'free');
  return { ...keyBucket(world.config, key?.rate_limit), name };
}
