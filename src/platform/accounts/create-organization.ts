// Creates organizations with their owners: the only way in which accounts are created.

import type { World } from '../../world/world.js';
import {
  findOrganization,
  findUser,
  insertOrganization,
  insertUser,
  isSlugTaken,
  type Organization,
  type User,
} from './store.js';

export const plans = ['free', 'pro', 'enterprise'] as const;

export interface NewOrganization {
  name: string;
  /** The text that the slug is made from; the name when left out. */
  slug?: string;
  plan?: (typeof plans)[number] | undefined;
  owner: { name: string; email?: string | null | undefined; walletAddress?: string | undefined };
  at: number;
}

/**
 * Inserts an organization without credits, and its owner, within the caller's transaction.
 *
 * @param number what their ids follow from
 */
export function createOrganization(
  world: World,
  { name, slug = name, plan = 'free', owner, at }: NewOrganization,
  number: number | string = world.nextNumber('organizations'),
): { organization: Organization; user: User } {
  const { db } = world;
  const { organizationId, userId } = accountIds(world, number);
  const seq = world.nextNumber('accounts');
  insertOrganization(db, {
    id: organizationId,
    name,
    slug: freeSlug(world, slug),
    plan,
    balance: 0,
    created_at: at,
    seq,
  });
  insertUser(db, {
    id: userId,
    organization_id: organizationId,
    email: owner.email ?? null,
    name: owner.name,
    role: 'owner',
    wallet_address: owner.walletAddress?.toLowerCase() ?? null,
    created_at: at,
    seq,
  });
  return { organization: findOrganization(db, organizationId) as Organization, user: findUser(db, userId) as User };
}

/** The ids of the account that follows from a number, founded or not. */
export function accountIds({ random }: World, number: number | string): { organizationId: string; userId: string } {
  return { organizationId: random.uuid('organization', number), userId: random.uuid('user', number) };
}

function freeSlug({ db }: World, name: string): string {
  const folded = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-');
  const slug = folded.slice(0, 50).replace(/^-+|-+$/g, '') || 'organization';
  for (let n = 1; ; n++) {
    const free = n === 1 ? slug : `${slug}-${n}`;
    if (!isSlugTaken(db, free)) return free;
  }
}
