// The limiter: exactly N requests pass a window; each response's headers show what remains.

import { ApiError } from '../../core/errors.js';
import { memoizeLast } from '../../core/memoize-last.js';
import { cached } from '../../db/cached-reads.js';
import type { RateWindow } from '../../db/usage.js';
import type { Endpoint } from '../../http/endpoint.js';
import type { Identity } from '../../http/hooks.js';
import type { RequestContext } from '../../http/request-context.js';
import { toClientClock, waitSeconds } from '../../world/to-client-time.js';
import type { World } from '../../world/world.js';
import { findOrganization } from '../accounts/store.js';
import { addressBucket, type Bucket, endpointBucket, keyBucket, planBucket } from './presets.js';

/** Seconds. */
const longestRetry = 60;

interface Standing {
  bucket: Bucket;
  window: RateWindow;
}

/**
 * Counts a request in all windows that concern it, and writes the headers of the tightest. A refused request counts in
 * no window, so that waiting for the stated time suffices.
 *
 * @throws ApiError RATE_LIMITED with the seconds to wait, rounded up
 */
export function limit(context: RequestContext, endpoint: Endpoint, identity: Identity): void {
  const { world, now } = context;
  const standings = standingsOf(context, endpoint, countedAs(context, identity), 'window');
  const used = standings.filter(isUsedUp);
  if (used.length === 0) for (const { window } of standings) world.usage.count(window);
  const decisive = used.length === 0 ? tightestOf(standings) : lastOf(used);
  writeHeaders(context, decisive);
  if (used.length > 0) throw rateLimited(waitSeconds(world, decisive.window.endsAt - now));
}

/** Writes the limit headers of a request that counts in no window. */
export function showLimits(context: RequestContext, identity: Identity): void {
  writeHeaders(context, tightestOf(standingsOf(context, undefined, countedAs(context, identity), 'shown')));
}

/** The limit headers of a response that counts in no window. */
export function limitsOf(world: World, address = 'unknown'): Record<string, string> {
  // A connection may outlive its world, which has no windows any more.
  if (world.isClosed) return {};
  const headers: Record<string, string> = {};
  const nobody = { caller: undefined, bucketOwner: ownerAt(address), address: ownerAt(address) };
  writeHeaders(
    { world, headers },
    tightestOf(standingsOf({ world, now: world.clock.now() }, undefined, nobody, 'shown')),
  );
  return headers;
}

/** The owner of the windows for requests of an address without credentials. */
export function ownerAt(address = 'unknown'): string {
  return `address:${address}`;
}

interface Counted extends Pick<Identity, 'caller' | 'bucketOwner'> {
  /** The owner of the windows of its address. */
  address: string;
}

// Whoever is nobody counts by address, whatever key he invents for each request.
function countedAs({ ctx }: RequestContext, { caller, bucketOwner }: Identity): Counted {
  const address = ownerAt(ctx.req.socket.remoteAddress);
  return { caller, bucketOwner: caller === undefined ? address : bucketOwner, address };
}

function standingsOf(
  { world, now }: Pick<RequestContext, 'world' | 'now'>,
  endpoint: Endpoint | undefined,
  identity: Counted,
  as: 'window' | 'shown',
): Standing[] {
  return bucketsOf(world, endpoint, identity).map((bucket): Standing => {
    const { name, length, owner = identity.bucketOwner } = bucket;
    return { bucket, window: world.usage[as](owner, name, length, now) };
  });
}

function isUsedUp({ bucket, window }: Standing): boolean {
  return window.full || (bucket.enforced && window.count >= bucket.size);
}

function writeHeaders({ world, headers }: Pick<RequestContext, 'world' | 'headers'>, standing: Standing): void {
  headers['X-RateLimit-Limit'] = String(standing.bucket.size);
  headers['X-RateLimit-Remaining'] = String(Math.max(0, leftOf(standing)));
  headers['X-RateLimit-Reset'] = resetText(world, standing.window.endsAt);
  headers['X-RateLimit-Policy'] = world.config.rateLimits.policy;
}

// The same for all requests of a window.
const isoOfReset = memoizeLast((instant: number): string => new Date(instant).toISOString());

function resetText(world: World, endsAt: number): string {
  const instant = toClientClock(world, endsAt);
  return world.config.rateLimits.resetFormat === 'iso' ? isoOfReset(instant) : String(Math.ceil(instant / 1_000));
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

const planOf = cached(['organizations'], (db, id: string) => findOrganization(db, id)?.plan ?? 'free');

function bucketsOf(world: World, endpoint: Endpoint | undefined, { caller, address }: Counted): Bucket[] {
  const { config, db } = world;
  const buckets = [keyBucket(config, caller?.rateLimit)];
  const ofAddress = addressBucket(config, address);
  if (ofAddress !== undefined) buckets.push(ofAddress);
  // What counts in no window is shown that of all requests.
  if (endpoint === undefined) return buckets;
  const own = endpointBucket(world, endpoint);
  if (own !== undefined) buckets.push(own);
  if (config.rateLimits.mode === 'plans' && caller !== undefined) {
    const { organizationId: id } = caller;
    buckets.push(planBucket(config, planOf(db, id)));
  }
  return buckets;
}

function tightestOf(standings: readonly Standing[]): Standing {
  return standings.reduce((a, b) => (leftOf(b) < leftOf(a) ? b : a));
}

function lastOf(standings: readonly Standing[]): Standing {
  return standings.reduce((a, b) => (b.window.endsAt > a.window.endsAt ? b : a));
}

function leftOf({ bucket, window }: Standing): number {
  return window.full ? -Infinity : bucket.size - window.count;
}
