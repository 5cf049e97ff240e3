// The windows of rate limits: of a key, a feature, an operation and a plan.

import { type Feature, features } from '../../config/limit-features.js';
import type { Config, PresetName } from '../../config/schema.js';
import type { Endpoint } from '../../http/endpoint.js';
import type { World } from '../../world/world.js';
import { findLimit } from './store.js';

/** A rate window: its owner, size and length. */
export interface Bucket {
  name: string;
  size: number;
  /** Milliseconds. */
  length: number;
  /** Whether its size is enforced: not where the settings disable limits, unless a control has set it. */
  enforced: boolean;
  /** Whom it counts, where that is not the caller. */
  owner?: string;
}

type Limited = Pick<Endpoint, 'id' | 'limit'>;

const minuteMs = 60_000;

/** The window in which an endpoint's requests count beside the key's, if any: the operation's own, or its feature's. */
export function endpointBucket(world: World, endpoint: Limited): Bucket | undefined {
  const own = operationBucket(world, endpoint);
  if (own !== 'none') return own ?? (endpoint.limit === undefined ? undefined : featureBucket(world, endpoint.limit));
  return undefined;
}

/** The operation's own window; 'none' where the settings remove its feature's. */
export function operationBucket(world: World, { id, limit }: Limited): Bucket | 'none' | undefined {
  const set = findLimit(world.db, 'operation', id);
  const preset = world.config.rateLimits.operations[id];
  if (set === undefined && (preset === undefined || preset === 'none')) return preset;
  const base =
    preset !== undefined && preset !== 'none'
      ? presetBucket(world, id, preset)
      : { ...(limit === undefined ? keyBucket(world.config, undefined) : featureBucket(world, limit)), name: id };
  return overridden(base, set);
}

/** The window of a feature. */
export function featureBucket(world: World, feature: Feature): Bucket {
  return overridden(presetBucket(world, feature, features[feature]), findLimit(world.db, 'feature', feature));
}

/** A window with a preset's size and length. */
export function presetBucket(world: World, name: string, preset: PresetName): Bucket {
  const { presets, multiplier, enabled } = world.config.rateLimits;
  const { limit, window } = presets[preset];
  const bucket = { name, size: scaled(limit, multiplier), length: window, enforced: enabled };
  return overridden(bucket, findLimit(world.db, 'preset', preset));
}

/** The window of all requests of a key (or of an address that has none). */
export function keyBucket(config: Config, perMinute: number | undefined): Bucket {
  const { perKey, multiplier, enabled } = config.rateLimits;
  return { name: 'all', size: scaled(perMinute ?? perKey, multiplier), length: minuteMs, enforced: enabled };
}

/** The window of all requests of an address, where there is one. */
export function addressBucket({ rateLimits }: Config, owner: string): Bucket | undefined {
  const { perAddress, multiplier, enabled } = rateLimits;
  if (perAddress === null) return undefined;
  return { name: 'address', size: scaled(perAddress, multiplier), length: minuteMs, enforced: enabled, owner };
}

/** The window that an organization's plan sets, in mode `plans`. */
export function planBucket(config: Config, plan: string): Bucket {
  const { plans, multiplier, enabled } = config.rateLimits;
  const size = scaled(plans[plan as keyof typeof plans] ?? plans.free, multiplier);
  return { name: 'plan', size, length: minuteMs, enforced: enabled };
}

// A limit that a control has set is exact, and always enforced.
function overridden(bucket: Bucket, set: { limit: number; windowMs: number | null } | undefined): Bucket {
  if (set === undefined) return bucket;
  return { ...bucket, size: set.limit, length: set.windowMs ?? bucket.length, enforced: true };
}

/** A limit multiplied as the settings say; at least 1. */
export function scaled(size: number, multiplier: number): number {
  return Math.max(1, Math.floor(size * multiplier));
}
