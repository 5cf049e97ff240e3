// API keys as the wire shows them.

import { iso, isoOrNull } from '../../http/wire.js';
import { toClientClock, toClientTime } from '../../world/to-client-time.js';
import type { World } from '../../world/world.js';
import { shownPermissions } from './permissions.js';
import type { ApiKey } from './store.js';

/** The expiry as clients know it, on their own clock: as it was sent, while the key ends then. */
export function shownExpiry(world: World, { expires_at, expires_sent }: ApiKey): number | null {
  if (expires_at === null) return null;
  return expires_sent !== null && isMeant(world, expires_at, expires_sent)
    ? expires_sent
    : toClientTime(world, expires_at);
}

// A jump or another speed of the clock moves the end of the key on the client's clock. Both are rounded to milliseconds.
function isMeant(world: World, expiresAt: number, sent: number): boolean {
  const { clock } = world;
  if (expiresAt <= clock.now()) return false;
  return clock.state().speed === 0 || Math.abs(toClientClock(world, expiresAt) - sent) <= 1 + clock.toWallDuration(1);
}

/** A key without its value. */
export function presentKey(world: World, key: ApiKey) {
  return {
    id: key.id,
    name: key.name,
    description: key.description,
    key_prefix: key.prefix,
    organization_id: key.organization_id,
    user_id: key.user_id,
    permissions: shownPermissions(key.permissions),
    rate_limit: key.rate_limit,
    rateLimit: key.rate_limit,
    is_active: key.is_active === 1,
    usage_count: key.usage_count,
    last_used_at: isoOrNull(key.last_used_at),
    expires_at: isoOrNull(shownExpiry(world, key)),
    created_at: iso(key.created_at),
    updated_at: iso(key.updated_at),
  };
}

/** A key as today's server shows it where it is new: without its value and its use. */
export function presentNewKey(world: World, key: ApiKey) {
  const { id, name, description, prefix: key_prefix, rate_limit } = key;
  const expires_at = isoOrNull(shownExpiry(world, key));
  return { id, name, description, key_prefix, rate_limit, created_at: iso(key.created_at), expires_at };
}

/** A key as today's server shows it in a list. */
export function presentUse(world: World, key: ApiKey) {
  return {
    ...presentNewKey(world, key),
    is_active: key.is_active === 1,
    usage_count: key.usage_count,
    last_used_at: isoOrNull(key.last_used_at),
  };
}
