// Seeds a new world: one organization with credits, its owner, and a test key.

import { toMicros } from '../../core/money.js';
import { writeMeta } from '../../db/meta.js';
import { createOrganization } from '../../platform/accounts/create-organization.js';
import { listOrganizations } from '../../platform/accounts/store.js';
import { scheduleBilling } from '../../platform/containers/lifecycle/billing.js';
import { credit } from '../../platform/credits/ledger.js';
import { mintKey } from '../../platform/keys/mint.js';
import { filled } from '../../world/initial-state.js';
import { seededKeyName } from '../../world/seeded.js';
import type { World } from '../../world/world.js';

/** Fills a fresh world. */
export function seedWorld(world: World): void {
  const { db, clock, config } = world;
  const at = clock.now();
  db.transaction(() => {
    filled(db);
    if (listOrganizations(db).length > 0) return;
    scheduleBilling(world, at);
    // A later profile may have another prefix; the key that was given out stays.
    writeMeta(db, 'keyPrefix', config.keys.prefix);
    const owner = { name: 'Example Owner', email: 'owner@example.test' };
    const { organization, user } = createOrganization(world, { name: 'Example Organization', owner, at }, 'seeded');
    mintKey(world, { organizationId: organization.id, userId: user.id, name: seededKeyName, at }, 'seeded');
    credit(world, organization.id, toMicros(config.credits.seeded), {
      type: 'seed',
      reason: 'Credits of a new world',
      at,
    });
  });
}

// What happens at an instant of the seed history of a scenario.

export interface SeedEvent {
  at: number;
  act: () => void;
}

/** The age of what is there when a scenario begins and names no age. */
export const usualAgeMs = 3_600_000;
