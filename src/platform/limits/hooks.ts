// The limiter: exactly N requests pass a window; each response's headers show what remains.

import { ApiError } from '../../core/errors.js';
import { cached } from '../../db/cached-reads.js';
import type { RateWindow } from '../../db/usage.js';
import type { Endpoint } from '../../http/endpoint.js';
import type { Identity, RequestContext, Routed } from '../../http/request-context.js';
import { toClientClock, waitSeconds } from '../../world/to-client-time.js';
import type { World } from '../../world/world.js';
import { findOrganization } from '../accounts/store.js';
import { addressBucket, type Bucket, endpointBucket, keyBucket, planBucket } from './presets.js';

/** Seconds. */
const longestRetry = 60;

interface Standing {
  bucket: Bucket;
  window: RateWindow;
  /** How many requests the window still lets through. */
  left: number;
}

/**
 * Counts a request in all windows that concern it, and writes the headers of the tightest. A refused request counts in
 * no window, so that waiting for the stated time suffices.
 *
 * @throws ApiError RATE_LIMITED with the seconds to wait, rounded up
 */
export function limit(context: Routed): void {
  const { world, now, ctx, endpoint, identity } = context;
  const standings = standingsOf(world, now, endpoint, identity, ownerAt(ctx.req.socket.remoteAddress), 'window');
  const used = standings.filter(({ bucket, window, left }) => window.full || (bucket.enforced && left <= 0));
  if (used.length > 0) {
    const last = used.reduce((a, b) => (b.window.endsAt > a.window.endsAt ? b : a));
    writeHeaders(context, last);
    throw rateLimited(waitSeconds(world, last.window.endsAt - now));
  }
  for (const standing of standings) {
    world.usage.count(standing.window);
    standing.left--;
  }
  writeHeaders(context, tightestOf(standings));
}

/** Writes the limit headers of a request that counts in no window. */
export function showLimits(context: Routed): void {
  const { world, now, ctx, identity } = context;
  const address = ownerAt(ctx.req.socket.remoteAddress);
  writeHeaders(context, tightestOf(standingsOf(world, now, undefined, identity, address, 'shown')));
}

/** The limit headers of a response that counts in no window. */
export function limitsOf(world: World, address = 'unknown'): Record<string, string> {
  // A connection may outlive its world, which has no windows any more.
  if (world.isClosed) return {};
  const headers: Record<string, string> = {};
  const owner = ownerAt(address);
  const nobody = { caller: undefined, bucketOwner: owner };
  const standings = standingsOf(world, world.clock.now(), undefined, nobody, owner, 'shown');
  writeHeaders({ world, headers }, tightestOf(standings));
  return headers;
}

/** The owner of the windows for requests of an address without credentials. */
export function ownerAt(address = 'unknown'): string {
  return `address:${address}`;
}

/** The windows that concern a request; `shown`: to be looked at only. Without an endpoint it counts in none of its own. */
function standingsOf(
  world: World,
  now: number,
  endpoint: Endpoint | undefined,
  { caller, bucketOwner }: Pick<Identity, 'caller' | 'bucketOwner'>,
  address: string,
  as: 'window' | 'shown',
): Standing[] {
  const { config, db } = world;
  const ofAddress = addressBucket(config, address);
  const ofEndpoint = endpoint && endpointBucket(world, endpoint);
  const ofPlan =
    endpoint !== undefined && config.rateLimits.mode === 'plans' && caller !== undefined
      ? planBucket(config, planOf(db, caller.organizationId))
      : undefined;
  // Requests without valid credentials are counted by address, so that inventing keys does not help.
  const counted = caller === undefined ? address : bucketOwner;
  const standings: Standing[] = [];
  for (const bucket of [keyBucket(config, caller?.rateLimit), ofAddress, ofEndpoint, ofPlan]) {
    if (bucket === undefined) continue;
    const window = world.usage[as](bucket.owner ?? counted, bucket.name, bucket.length, now);
    standings.push({ bucket, window, left: window.full ? -Infinity : bucket.size - window.count });
  }
  return standings;
}

function tightestOf(standings: readonly Standing[]): Standing {
  return standings.reduce((a, b) => (b.left < a.left ? b : a));
}

const planOf = cached(['organizations'], (db, id: string) => findOrganization(db, id)?.plan ?? 'free');

function writeHeaders(
  { world, headers }: Pick<RequestContext, 'world' | 'headers'>,
  { bucket, window, left }: Standing,
): void {
  headers['X-RateLimit-Limit'] = String(bucket.size);
  headers['X-RateLimit-Remaining'] = String(Math.max(0, left));
  headers['X-RateLimit-Reset'] = resetText(world, window.endsAt);
  headers['X-RateLimit-Policy'] = world.config.rateLimits.policy;
}

function resetText(world: World, endsAt: number): string {
  const instant = toClientClock(world, endsAt);
  if (world.config.rateLimits.resetFormat === 'iso') return new Date(instant).toISOString();
  return String(Math.ceil(instant / 1_000));
}

/** A forced 429, with the headers of a window that is used up for this many seconds of wall time. */
export function usedUp({ world, headers, now }: RequestContext, retryAfter: number): ApiError {
  headers['X-RateLimit-Remaining'] = '0';
  headers['X-RateLimit-Reset'] = resetText(world, now + world.clock.fromWallDuration(retryAfter * 1_000));
  return rateLimited(retryAfter);
}

/** A 429 as the platform sends it; forced ones use the same. */
function rateLimited(retryAfter: number): ApiError {
  const seconds = String(retryAfter);
  return new ApiError('RATE_LIMITED', {
    message: `Too many requests: wait ${retryAfter} s`,
    retryAfter,
    headers: {
      'Retry-After': seconds,
      'X-RateLimit-Reset-After': seconds,
      // SDKs of models sleep for any stated time: a long wait is therefore reported in another way.
      ...(retryAfter > longestRetry && { 'X-Should-Retry': 'false' }),
    },
  });
}
