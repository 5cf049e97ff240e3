// The limiter: exactly N requests pass a window, each answer says where the caller stands.

import type { Endpoint } from '../api/endpoint.js';
import { ApiError } from '../kernel/errors.js';
import type { Exchange } from './exchange.js';
import type { Identity } from './identify.js';

const minuteMs = 60_000;

interface Standing {
  limit: number;
  remaining: number;
  resetAt: number;
}

/**
 * Counts a request in all windows that concern it, and writes the headers of the tightest.
 *
 * @throws ApiError RATE_LIMITED with the seconds to wait, rounded up so that waiting suffices
 */
export function limit(exchange: Exchange, endpoint: Endpoint | undefined, identity: Identity): void {
  const { world, now } = exchange;
  const { rateLimits } = world.config;
  const standings = bucketsOf(exchange, endpoint, identity).map(({ bucket, size, length }): Standing => {
    const window = world.usage.window(identity.bucketOwner, bucket, length, now);
    window.count++;
    world.usage.touched(identity.bucketOwner, bucket);
    return { limit: size, remaining: size - window.count, resetAt: window.startedAt + length };
  });
  const [first, ...others] = standings;
  if (first === undefined) return;
  const tightest = others.reduce((a, b) => (tighter(b, a) ? b : a), first);
  const reset = world.clock.toWall(tightest.resetAt);
  const { headers } = exchange;
  headers['X-RateLimit-Limit'] = String(tightest.limit);
  headers['X-RateLimit-Remaining'] = String(Math.max(0, tightest.remaining));
  headers['X-RateLimit-Reset'] =
    rateLimits.resetFormat === 'iso' ? new Date(reset).toISOString() : String(Math.ceil(reset / 1_000));
  headers['X-RateLimit-Policy'] = rateLimits.policy;
  if (!rateLimits.enabled || standings.every((standing) => standing.remaining >= 0)) return;
  // All exceeded windows must have ended before a request passes again.
  const until = Math.max(...standings.filter((s) => s.remaining < 0).map((s) => s.resetAt));
  throw rateLimited(Math.max(1, Math.ceil((until - now) / 1_000)));
}

/** A 429 as the platform gives it; forced ones use the same. */
export function rateLimited(retryAfter: number): ApiError {
  return new ApiError('RATE_LIMITED', {
    message: `Too many requests: wait ${retryAfter} s`,
    retryAfter,
    headers: { 'Retry-After': String(retryAfter), 'X-RateLimit-Reset-After': String(retryAfter) },
  });
}

interface Bucket {
  bucket: string;
  size: number;
  length: number;
}

function bucketsOf(exchange: Exchange, endpoint: Endpoint | undefined, identity: Identity): Bucket[] {
  const { rateLimits } = exchange.world.config;
  const scaled = (size: number): number => Math.max(1, Math.floor(size * rateLimits.multiplier));
  const own = { bucket: 'all', size: scaled(identity.caller?.rateLimit ?? rateLimits.perKey), length: minuteMs };
  const preset = endpoint === undefined ? undefined : (rateLimits.operations[endpoint.id] ?? endpoint.limit);
  if (endpoint === undefined) return [{ ...own, bucket: 'other' }];
  if (preset === undefined || preset === 'none') return [own];
  const { limit: size, window } = rateLimits.presets[preset];
  return [{ bucket: endpoint.id, size: scaled(size), length: window }, own];
}

function tighter(a: Standing, b: Standing): boolean {
  return a.remaining - b.remaining < 0;
}
