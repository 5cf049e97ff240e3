// The control operations of users and sessions.

import * as z from 'zod';
import { userRequest } from '../modules/accounts/controls.js';
import { sessionRequest } from '../modules/sessions/controls.js';
import { byId, type ControlOperation, control, listed } from './operation.js';

const user = z.object({
  id: z.string(),
  name: z.string(),
  email: z.string().nullable(),
  role: z.string(),
  organizationId: z.string(),
});
const session = z.object({
  id: z.string(),
  state: z.enum(['active', 'expired', 'revoked']),
  userId: z.string(),
  email: z.string().nullable(),
  role: z.string(),
  organizationId: z.string(),
  origin: z.enum(['login', 'control']),
  createdAt: z.string(),
  expiresAt: z.string(),
  token: z.string().nullable(),
  cookie: z.string().nullable(),
});

export const sessionOperations: readonly ControlOperation[] = [
  control({
    id: 'control.users.list',
    method: 'GET',
    path: '/_emulator/users',
    summary: 'List the users that the login page offers',
    response: listed('users', user),
    act: (controls) => controls.users.list(),
  }),
  control({
    id: 'control.users.create',
    method: 'POST',
    path: '/_emulator/users',
    summary: 'Add a user to an organization, with a role',
    body: userRequest,
    bodyOptional: true,
    errors: ['NOT_FOUND', 'CONFLICT'],
    response: user,
    act: (controls, { body }) => controls.users.create(body),
  }),
  control({
    id: 'control.sessions.list',
    method: 'GET',
    path: '/_emulator/sessions',
    summary: 'List sessions; those created for tests include their tokens',
    response: listed('sessions', session),
    act: (controls) => controls.sessions.list(),
  }),
  control({
    id: 'control.sessions.create',
    method: 'POST',
    path: '/_emulator/sessions',
    summary: 'Create a session of a user, with its token and cookie',
    body: sessionRequest,
    bodyOptional: true,
    errors: ['NOT_FOUND'],
    response: session.extend({ token: z.string(), cookie: z.string() }),
    act: (controls, { body }) => controls.sessions.create(body),
  }),
  control({
    id: 'control.sessions.revoke',
    method: 'DELETE',
    path: '/_emulator/sessions/{id}',
    summary: 'End a session',
    params: byId,
    errors: ['NOT_FOUND'],
    response: session,
    act: (controls, { params }) => controls.sessions.revoke(params.id),
  }),
];
