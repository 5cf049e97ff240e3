// What a new world begins with: one organization with credits, its owner, and a test key.

import { foundOrganization } from '../features/accounts/found.js';
import { listOrganizations } from '../features/accounts/store.js';
import { beginBilling } from '../features/containers/billing.js';
import { credit } from '../features/credits/ledger.js';
import { keyValue, mintKey } from '../features/keys/mint.js';
import { toMicros } from '../kernel/money.js';
import { readMeta, writeMeta } from '../store/meta.js';
import { filled } from '../worlds/beginning.js';
import type { World } from '../worlds/world.js';

/** The identity that clients start with. */
export interface SeededIdentity {
  apiKey: string;
  organizationId: string;
  userId: string;
}

/** What the seeded key is called. */
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

/** Fills a fresh world. */
export function seedWorld(world: World): void {
  const { db, clock, config } = world;
  const at = clock.now();
  db.transaction(() => {
    filled(db);
    if (listOrganizations(db).length > 0) return;
    beginBilling(world, at);
    // A later profile may have another prefix; the key that was given out stays.
    writeMeta(db, 'keyPrefix', config.keys.prefix);
    const owner = { name: 'Example Owner', email: 'owner@example.test' };
    const { organization, user } = foundOrganization(world, { name: 'Example Organization', owner, at }, 'seeded');
    mintKey(world, { organizationId: organization.id, userId: user.id, name: seededKeyName, at }, 'seeded');
    credit(world, organization.id, toMicros(config.credits.seeded), {
      type: 'seed',
      reason: 'Credits of a new world',
      at,
    });
  });
}
