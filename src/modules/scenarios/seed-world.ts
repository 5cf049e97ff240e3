// Seeds a new world: one organization with credits, its owner, and a test key.

import { toMicros } from '../../core/money.js';
import { writeMeta } from '../../db/meta.js';
import { filled } from '../../world/initial-state.js';
import { seededKeyName } from '../../world/seeded.js';
import type { World } from '../../world/world.js';
import { createOrganization } from '../accounts/create-organization.js';
import { listOrganizations } from '../accounts/store.js';
import { scheduleBilling } from '../containers/lifecycle/billing.js';
import { credit } from '../credits/ledger.js';
import { mintKey } from '../keys/mint.js';

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
