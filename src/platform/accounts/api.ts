// Endpoints of the user who is calling.

import type * as z from 'zod';
import { ApiError } from '../../core/errors.js';
import { type Endpoint, endpoint, type HandlerContext } from '../../http/endpoint.js';
import { ok } from '../../http/response.js';
import { presentUser } from './present.js';
import * as schema from './schema.js';
import { findOrganization, findUser, type Organization, type User, updateUser } from './store.js';

const path = '/api/v1/user';

export const accountEndpoints: Endpoint[] = [
  endpoint({
    id: 'account.user',
    method: 'GET',
    harmless: true,
    path,
    summary: 'Get the user of the key or session, and the organization',
    permission: 'unrestricted',
    responses: { 200: { description: 'The user', schema: schema.userAnswer } },
    assumptions: ['account.user', 'money'],
    handle(call) {
      const { user, organization } = self(call);
      return ok({ success: true, data: presentUser(user, organization) });
    },
  }),
  endpoint({
    id: 'account.updateUser',
    method: 'PATCH',
    path,
    summary: 'Change the profile of the user',
    permission: 'unrestricted',
    body: schema.updateUserBody,
    example: { name: 'Ada', nickname: 'ada', email_notifications: false },
    responses: { 200: { description: 'The changed user', schema: schema.updateUserAnswer } },
    assumptions: ['account.user', 'account.workFunction', 'money'],
    handle(call) {
      const { user, organization } = self(call);
      const changed = { ...user, ...changes(call.body), updated_at: call.now };
      updateUser(call.world.db, changed);
      return ok({ success: true, data: presentUser(changed, organization), message: 'Profile updated successfully' });
    },
  }),
];

function self({ world, caller }: HandlerContext): { user: User; organization: Organization } {
  const user = findUser(world.db, caller.userId);
  const organization = findOrganization(world.db, caller.organizationId);
  if (user === undefined || organization === undefined) throw new ApiError('NOT_FOUND', { message: 'User not found' });
  return { user, organization };
}

// Fields that were left out are no changes; SQLite knows no booleans.
function changes(body: z.output<typeof schema.updateUserBody>): Partial<User> {
  const given = Object.entries(body).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name, typeof value === 'boolean' ? Number(value) : value]));
}
