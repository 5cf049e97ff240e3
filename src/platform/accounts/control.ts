// Control operations of users: list and add them.

import * as z from 'zod';
import { listed, operation } from '../../control/operation.js';
import { noSuch } from '../../control/options.js';
import { ApiError } from '../../core/errors.js';
import { characters } from '../../http/wire.js';
import { seededIdentity } from '../../world/seeded.js';
import { addMember, roles } from './members.js';
import { findOrganization, findUserByEmail, listUsers, type User } from './store.js';

export const user = z.lazy(() =>
  z.object({
    id: z.string(),
    name: z.string(),
    email: z.string().nullable(),
    role: z.string(),
    organizationId: z.string(),
  }),
);

export type ControlledUser = z.output<typeof user>;

export const userRequest = z.lazy(() =>
  z.object({
    organizationId: z.string().optional().describe('Organization id; by default the seeded organization'),
    role: z.enum(roles).optional().describe('Role; a viewer may only read; by default member'),
    name: characters(1, 100).optional().describe('Name of the user'),
    email: z.email().max(320).optional().describe('E-mail address; by default one at example.test'),
  }),
);

/** The user to add; each part may be left out. */
export type UserRequest = z.input<typeof userRequest>;

export const userOperations = {
  /** Lists all users, by organization. */
  list: operation({
    id: 'control.users.list',
    route: 'GET /users',
    summary: 'List the users that the login page offers',
    output: listed('users', user),
    command: {
      line: 'user list',
      examples: [['user list', 'the users that the login page offers']],
    },
    run: ({ world }): ControlledUser[] => listUsers(world.db, 100_000).map(view),
  }),
  /**
   * Adds a user to an organization (by default the seeded one). The login page offers the user.
   *
   * @example controls.users.create({ role: 'viewer', email: 'vera@example.test' })
   * @throws ApiError NOT_FOUND, VALIDATION_ERROR, or CONFLICT for an e-mail address that somebody has
   */
  create: operation({
    id: 'control.users.create',
    route: 'POST /users',
    summary: 'Add a user to an organization, with a role',
    body: userRequest,
    bodyOptional: true,
    errors: ['NOT_FOUND', 'CONFLICT'],
    output: user,
    command: {
      line: 'user create',
      examples: [['user create --role viewer --email vera@example.test', 'a user who may only read']],
    },
    run: ({ world }, request: UserRequest = {}): ControlledUser => {
      const { role = 'member', organizationId = seededIdentity(world).organizationId, ...wanted } = request;
      return world.db.transaction(() => {
        if (findOrganization(world.db, organizationId) === undefined) throw noSuch('organization', organizationId);
        if (wanted.email !== undefined && findUserByEmail(world.db, wanted.email) !== undefined)
          throw new ApiError('CONFLICT', { message: `There is a user ${wanted.email} already` });
        return view(addMember(world, { ...wanted, organizationId, role, at: world.clock.now() }));
      });
    },
  }),
};

function view({ id, name, email, role, organization_id: organizationId }: User): ControlledUser {
  return { id, name, email, role, organizationId };
}
