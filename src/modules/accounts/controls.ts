// Controls of users: list and add them.

import * as z from 'zod';
import { ApiError } from '../../core/errors.js';
import { checkInput } from '../../http/validate.js';
import { characters } from '../../http/wire.js';
import { seededIdentity } from '../../world/seeded.js';
import type { World } from '../../world/world.js';
import { addMember, roles } from './members.js';
import { findOrganization, findUserByEmail, listUsers, type User } from './store.js';

export interface ControlledUser {
  id: string;
  name: string;
  email: string | null;
  role: string;
  organizationId: string;
}

export const userRequest = z.object({
  organizationId: z.string().optional().describe('Organization id; by default the seeded organization'),
  role: z.enum(roles).optional().describe('Role; a viewer may only read; by default member'),
  name: characters(1, 100).optional().describe('Name of the user'),
  email: z.email().max(320).optional().describe('E-mail address; by default one at example.test'),
});

/** Which user to add; each part may be left out. */
export type UserRequest = z.input<typeof userRequest>;

export type UserControls = ReturnType<typeof createUserControls>;

/** The user controls of a world. */
export function createUserControls(world: World) {
  return {
    /** All users, organization by organization. */
    list: (): ControlledUser[] => listUsers(world.db, 100_000).map(viewOfUser),
    /**
     * Adds a user to an organization (the seeded one unless told otherwise). The login page offers the user.
     *
     * @example controls.users.create({ role: 'viewer', email: 'vera@example.test' })
     * @throws ApiError NOT_FOUND, VALIDATION_ERROR, or CONFLICT for an e-mail address that somebody has
     */
    create(request: UserRequest = {}): ControlledUser {
      const { role = 'member', ...wanted } = checkInput(userRequest, request, { strict: true, warn: () => {} });
      const organizationId = wanted.organizationId ?? seededIdentity(world).organizationId;
      return world.db.transaction(() => {
        if (findOrganization(world.db, organizationId) === undefined)
          throw new ApiError('NOT_FOUND', { message: 'Organization not found' });
        if (wanted.email !== undefined && findUserByEmail(world.db, wanted.email) !== undefined)
          throw new ApiError('CONFLICT', { message: `There is a user ${wanted.email} already` });
        return viewOfUser(addMember(world, { ...wanted, organizationId, role, at: world.clock.now() }));
      });
    },
  };
}

/** A user as the controls show him. */
export function viewOfUser({ id, name, email, role, organization_id: organizationId }: User): ControlledUser {
  return { id, name, email, role, organizationId };
}
