// Further users of an organization: what they may do follows from their role.

import type { World } from '../../world/world.js';
import { findUser, insertUser, type User } from './store.js';

export const roles = ['owner', 'admin', 'member', 'viewer'] as const;

type Role = (typeof roles)[number];

export interface NewMember {
  organizationId: string;
  role: Role;
  /** Made from role and number when left out, and so is the e-mail address. */
  name?: string | undefined;
  email?: string | undefined;
  at: number;
}

/** Adds a user to an organization, within the caller's transaction. */
export function addMember(world: World, { organizationId, role, name, email, at }: NewMember): User {
  const number = world.nextNumber('members');
  const id = world.random.uuid('user', 'member', number);
  insertUser(world.db, {
    id,
    organization_id: organizationId,
    email: email ?? `${role}-${number}@example.test`,
    name: name ?? `${role.charAt(0).toUpperCase()}${role.slice(1)} ${number}`,
    role,
    wallet_address: null,
    created_at: at,
    seq: world.nextNumber('accounts'),
  });
  return findUser(world.db, id) as User;
}
