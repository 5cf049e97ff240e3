// The features that have a rate limit of their own, and which preset each has.

import type { Config, PresetName } from '../config/schema.js';
import type { Endpoint } from './endpoint.js';

/** The usage report names them, endpoints are counted under them; `rateLimits.operations` overrides. */
export const features = {
  chat: 'RELAXED',
  responses: 'RELAXED',
  embeddings: 'STANDARD',
  images: 'STANDARD',
  video: 'CRITICAL',
  knowledge: 'STANDARD',
  agents: 'STANDARD',
  siweNonce: 'STRICT',
  siweVerify: 'STRICT',
} as const satisfies Record<string, PresetName>;

export type Feature = keyof typeof features;

/** A rate window: whose count, how many, how long. */
export interface Bucket {
  name: string;
  size: number;
  /** Milliseconds. */
  length: number;
}

const minuteMs = 60_000;

/** The window of an endpoint itself, if it has one. */
export function featureBucket(config: Config, endpoint: Pick<Endpoint, 'id' | 'limit'>): Bucket | undefined {
  const { operations, presets, multiplier } = config.rateLimits;
  const preset = operations[endpoint.id] ?? (endpoint.limit === undefined ? 'none' : features[endpoint.limit]);
  if (preset === 'none') return undefined;
  const { limit, window } = presets[preset];
  return { name: endpoint.limit ?? endpoint.id, size: scaled(limit, multiplier), length: window };
}

/** The window of all requests of a key (or of an address that has none). */
export function keyBucket(config: Config, perMinute: number | undefined): Bucket {
  const { perKey, multiplier } = config.rateLimits;
  return { name: 'all', size: scaled(perMinute ?? perKey, multiplier), length: minuteMs };
}

/** The window that an organization's plan sets, in mode `plans`. */
export function planBucket(config: Config, plan: string): Bucket {
  const { plans, multiplier } = config.rateLimits;
  return { name: 'plan', size: scaled(plans[plan as keyof typeof plans] ?? plans.free, multiplier), length: minuteMs };
}

function scaled(size: number, multiplier: number): number {
  return Math.max(1, Math.floor(size * multiplier));
}
