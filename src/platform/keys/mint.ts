// Making keys and giving them new values. Values follow from the world's seed and a number, and only their hash is kept.

import { hashSecret, type Random } from '../../core/random.js';
import { readMeta } from '../../db/meta.js';
import { lastNumberOf } from '../../db/numbers.js';
import { keyValue } from '../../world/seeded.js';
import type { World } from '../../world/world.js';
import { type Permission, storedPermissions } from './permissions.js';
import { type ApiKey, insertKey, updateKey } from './store.js';

export interface NewKey {
  organizationId: string;
  userId: string;
  name: string;
  description?: string | null | undefined;
  permissions?: readonly Permission[] | undefined;
  /** Requests a minute; the configured default without one. */
  rateLimit?: number | undefined;
  /** In virtual time. */
  expiresAt?: number | null | undefined;
  /** The same as the client gave it. */
  expiresSent?: number | null | undefined;
  environment?: ApiKey['environment'] | undefined;
  /** The control plane may tell the value again. */
  tellable?: boolean;
  at: number;
}

/**
 * Inserts a key, within the caller's transaction. Its value is returned here and nowhere else.
 *
 * @param number what its id and value follow from
 */
export function mintKey(
  world: World,
  wanted: NewKey,
  number: number | 'seeded' = world.nextNumber('keys'),
): { key: ApiKey; value: string; recipe: string } {
  const environment = wanted.environment ?? 'test';
  const { recipe, ...made } = newValue(world, environment, number);
  const key: ApiKey = {
    id: world.random.uuid('key', number),
    seq: number === 'seeded' ? 0 : number,
    organization_id: wanted.organizationId,
    user_id: wanted.userId,
    name: wanted.name,
    description: wanted.description ?? null,
    environment,
    hash: hashSecret(made.value),
    prefix: made.shown,
    recipe: wanted.tellable === true ? recipe : null,
    permissions: storedPermissions(wanted.permissions),
    rate_limit: wanted.rateLimit ?? world.config.rateLimits.perKey,
    is_active: 1,
    usage_count: 0,
    last_used_at: null,
    expires_at: wanted.expiresAt ?? null,
    expires_sent: wanted.expiresSent ?? null,
    created_at: wanted.at,
    updated_at: wanted.at,
  };
  insertKey(world.db, key);
  return { key, value: made.value, recipe };
}

/** Gives a key a new value, within the caller's transaction; the old one is dead at once. */
export function renewKey(world: World, key: ApiKey, now: number): { key: ApiKey; value: string } {
  const { value, shown } = newValue(world, key.environment, world.nextNumber('keys'));
  const renewed = { ...key, hash: hashSecret(value), prefix: shown, recipe: null, updated_at: now };
  updateKey(world.db, renewed);
  return { key: renewed, value };
}

/** The value that follows from a recipe. */
export function tellValue(random: Random, recipe: string): string {
  const [prefix = '', number] = recipe.split(' ');
  return keyValue(random, prefix, Number(number));
}

// Beyond these nobody waits for the search.
const mostTried = 10_000;

/** The value of a key that this world has minted, which it does not store; undefined: it cannot be told. */
export function mintedValue({ config, db, random }: World, { seq, environment, hash }: ApiKey): string | undefined {
  const prefix = environment === 'live' ? config.keys.livePrefix : (readMeta(db, 'keyPrefix') ?? config.keys.prefix);
  const isIt = (number: number | 'seeded'): boolean => hashSecret(keyValue(random, prefix, number)) === hash;
  if (seq === 0 && isIt('seeded')) return keyValue(random, prefix, 'seeded');
  // A key with a new value has a later number.
  // A restore takes numbers back.
  const last = Math.max(seq, Math.min(lastNumberOf(db, 'keys'), seq + mostTried));
  for (let number = seq; number <= last; number++) if (isIt(number)) return keyValue(random, prefix, number);
  return undefined;
}

/** The characters of a value that are shown wherever its key is. */
export function shownOf(value: string): string {
  return value.slice(0, 12);
}

function newValue({ config, random }: World, environment: ApiKey['environment'], number: number | 'seeded') {
  const prefix = environment === 'live' ? config.keys.livePrefix : config.keys.prefix;
  const value = keyValue(random, prefix, number);
  return { value, shown: shownOf(value), recipe: `${prefix} ${number}` };
}
