// The initial identity of a world, derived from its seed.

import type { Random } from '../core/random.js';
import { readMeta } from '../db/meta.js';
import type { World } from './world.js';

/** The identity that clients start with. */
export interface SeededIdentity {
  apiKey: string;
  organizationId: string;
  userId: string;
}

/** The name of the seeded key. */
export const seededKeyName = 'Seeded test key';

/** The seeded identity of a world: it follows from the seed, so the key need not be stored. */
export function seededIdentity(world: World): SeededIdentity {
  const { random, config } = world;
  return {
    apiKey: keyValue(random, readMeta(world.db, 'keyPrefix') ?? config.keys.prefix, 'seeded'),
    organizationId: random.uuid('organization', 'seeded'),
    userId: random.uuid('user', 'seeded'),
  };
}

/** The value of a world's n-th key: prefix and 64 hex characters. */
export function keyValue(random: Random, prefix: string, number: number | 'seeded'): string {
  return prefix + random.hex('api-key', number);
}
