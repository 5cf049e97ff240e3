// What a new world begins with: one organization with credits, its owner, and a test key.

import { insertOrganization, insertUser, listOrganizations } from '../features/accounts/store.js';
import { credit } from '../features/credits/ledger.js';
import { insertKey, keyValue } from '../features/keys/store.js';
import { toMicros } from '../kernel/money.js';
import { hashSecret } from '../kernel/random.js';
import { readMeta, writeMeta } from '../store/meta.js';
import type { World } from '../worlds/world.js';

/** The identity that clients start with. */
export interface SeededIdentity {
  apiKey: string;
  organizationId: string;
  userId: string;
}

/** The seeded identity of a world: it follows from the seed, so the key need not be stored. */
export function seededIdentity(world: World): SeededIdentity {
  const { random, config } = world;
  return {
    apiKey: keyValue(random, readMeta(world.db, 'keyPrefix') ?? config.keys.prefix, 'seeded'),
    organizationId: random.uuid('organization', 'seeded'),
    userId: random.uuid('user', 'seeded'),
  };
}

/** Fills a fresh world. */
export function seedWorld(world: World): void {
  const { db, clock, config } = world;
  const { apiKey, organizationId, userId } = seededIdentity(world);
  const now = clock.now();
  db.transaction(() => {
    if (listOrganizations(db).length > 0) return;
    // A later profile may have another prefix; the key that was given out stays.
    writeMeta(db, 'keyPrefix', config.keys.prefix);
    insertOrganization(db, { id: organizationId, name: 'Example Organization', slug: 'example-organization', plan: 'free', balance: 0, created_at: now });
    insertUser(db, { id: userId, organization_id: organizationId, email: 'owner@example.test', name: 'Example Owner', role: 'owner', created_at: now });
    const key = { name: 'Seeded test key', description: null, permissions: null, rate_limit: config.rateLimits.perKey };
    insertKey(db, {
      id: world.random.uuid('key', 'seeded'),
      organization_id: organizationId,
      user_id: userId,
      ...key,
      hash: hashSecret(apiKey),
      prefix: apiKey.slice(0, 12),
      is_active: 1,
      usage_count: 0,
      last_used_at: null,
      expires_at: null,
      created_at: now,
    });
    credit(world, organizationId, toMicros(config.credits.seeded), { type: 'seed', reason: 'Credits of a new world', at: now });
  });
}
