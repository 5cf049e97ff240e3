// Control operations of sessions: create them for tests, list, revoke.

import * as z from 'zod';
import { byId, listed, operation } from '../../control/operation.js';
import { noSuch } from '../../control/options.js';
import { anyDuration } from '../../core/duration-schemas.js';
import { found, invalid } from '../../core/errors.js';
import { nearest } from '../../core/nearest.js';
import { describe } from '../../core/problems.js';
import { iso } from '../../http/wire.js';
import { seededIdentity } from '../../world/seeded.js';
import type { World } from '../../world/world.js';
import { addMember, roles } from '../accounts/members.js';
import {
  findOrganization,
  findOwner,
  findUser,
  findUserByEmail,
  findUserByRole,
  listUsers,
  type User,
} from '../accounts/store.js';
import { lifetimeOf } from '../keys/control.js';
import { beginSession, tokenOf } from './sessions.js';
import { findSession, listSessions, revokeSession, type Session } from './store.js';

export const session = z.lazy(() =>
  z.object({
    id: z.string(),
    state: z.enum(['active', 'expired', 'revoked']),
    userId: z.string(),
    email: z.string().nullable(),
    role: z.string(),
    organizationId: z.string(),
    origin: z.enum(['login', 'control']).describe('login: begun on the login page; control: created here'),
    createdAt: z.string(),
    expiresAt: z.string().describe('In virtual time'),
    token: z.string().nullable().describe('For `Authorization: Bearer`; null for a session from the login page'),
    cookie: z.string().nullable().describe('The equivalent header `Cookie`'),
  }),
);

export type ControlledSession = z.output<typeof session>;

export const mintedSession = z.lazy(() => session.unwrap().extend({ token: z.string(), cookie: z.string() }));

/** A session that was just created. */
export type MintedSession = z.output<typeof mintedSession>;

export const sessionRequest = z.lazy(() =>
  z
    .object({
      userId: z.string().optional().describe('User id; by default the owner of the seeded organization'),
      email: z.string().optional().describe('E-mail address of the user'),
      role: z.enum(roles).optional().describe('Any user with this role; one is created if there is none'),
      organizationId: z
        .string()
        .optional()
        .describe('Organization in which to find the role; by default the seeded one'),
      expiresIn: anyDuration().optional().describe('Lifetime in virtual time: "10m" or milliseconds'),
    })
    .refine(({ userId, email, role, organizationId }) => {
      const named = [userId, email, role ?? organizationId].filter((one) => one !== undefined);
      return named.length <= 1;
    }, 'must name a user in one way: by userId, by email, or by role and organizationId'),
);

/** The user and lifetime of the new session; each part may be left out. */
export type SessionRequest = z.input<typeof sessionRequest>;

export const sessionOperations = {
  /** Lists all sessions, oldest first; those created here with their tokens. */
  list: operation({
    id: 'control.sessions.list',
    route: 'GET /sessions',
    summary: 'List sessions; those created for tests include their tokens',
    output: listed('sessions', session),
    command: {
      line: 'session list',
      columns: 'id state role email expiresAt? origin?',
      examples: [['session list --json', 'includes the tokens of sessions created for tests']],
    },
    run: ({ world }): ControlledSession[] =>
      listSessions(world.db).flatMap((one) => {
        const user = findUser(world.db, one.user_id);
        return user === undefined ? [] : [view(world, one, user)];
      }),
  }),
  /**
   * Creates a session of a signed-in user, for a client that is a browser or sends a bearer token.
   *
   * @example
   * const { token, cookie } = controls.sessions.create({ role: 'viewer', expiresIn: '10m' });
   * @throws ApiError NOT_FOUND or VALIDATION_ERROR
   */
  create: operation({
    id: 'control.sessions.create',
    route: 'POST /sessions',
    summary: 'Create a session of a user, with its token and cookie',
    body: sessionRequest,
    bodyOptional: true,
    errors: ['NOT_FOUND'],
    output: mintedSession,
    command: {
      line: 'session create',
      examples: [
        ['session create', 'a session of the owner: its token, and the cookie for a browser'],
        ['session create --role viewer --expires-in 10m', 'a session of a user who may only read; it expires soon'],
      ],
    },
    run: ({ world }, request: SessionRequest = {}): MintedSession => {
      const { expiresIn } = request;
      const lifetime = expiresIn === undefined ? world.config.auth.sessionLifetime : lifetimeOf(expiresIn);
      const at = world.clock.now();
      return world.db.transaction(() => {
        const user = chosenUser(world, request, at);
        const begun = beginSession(world, { user, origin: 'control', at, lifetime });
        return { ...view(world, begun.session, user), token: begun.token, cookie: cookieOf(world, begun.token) };
      });
    },
  }),
  /**
   * Ends a session; its token is rejected from now on.
   *
   * @throws ApiError NOT_FOUND
   */
  revoke: operation({
    id: 'control.sessions.revoke',
    route: 'DELETE /sessions/{id}',
    summary: 'End a session',
    params: byId('session'),
    errors: ['NOT_FOUND'],
    output: session,
    command: {
      line: 'session revoke <id>',
      examples: [['session revoke 51e58c0e-27c4-…', 'its token is rejected from now on']],
    },
    run: ({ world }, id: string): ControlledSession =>
      world.db.transaction(() => {
        revokeSession(world.db, id, world.clock.now());
        const revoked = findSession(world.db, id);
        const user = revoked && findUser(world.db, revoked.user_id);
        if (revoked === undefined || user === undefined) throw noSuch('session', id);
        return view(world, revoked, user);
      }),
  }),
};

function chosenUser(world: World, request: SessionRequest, at: number): User {
  const { db } = world;
  const { userId, email, role, organizationId = seededIdentity(world).organizationId } = request;
  if (userId !== undefined) return findUser(db, userId) ?? absent('user', userId);
  if (email !== undefined) return findUserByEmail(db, email) ?? unknownEmail(world, email);
  if (findOrganization(db, organizationId) === undefined) return absent('organization', organizationId);
  if (role === undefined) return found(findOwner(db, organizationId), 'The organization has no owner');
  return findUserByRole(db, organizationId, role) ?? addMember(world, { organizationId, role, at });
}

function absent(kind: string, id: string): never {
  throw noSuch(kind, id);
}

function unknownEmail({ db }: World, email: string): never {
  const emails = listUsers(db, 1_000).flatMap((user) => user.email ?? []);
  throw invalid({
    path: 'email',
    message: 'is not the e-mail address of a user in this world',
    received: describe(email),
    suggestion: nearest(email, emails),
  });
}

function view(world: World, session: Session, user: User): ControlledSession {
  const token = session.origin === 'control' ? tokenOf(world, session, user) : null;
  return {
    id: session.id,
    state: stateOf(session, world.clock.now()),
    userId: user.id,
    email: user.email,
    role: user.role,
    organizationId: user.organization_id,
    origin: session.origin,
    createdAt: iso(session.created_at),
    expiresAt: iso(session.expires_at),
    token,
    cookie: token === null ? null : cookieOf(world, token),
  };
}

function stateOf({ revoked_at, expires_at }: Session, now: number): ControlledSession['state'] {
  if (revoked_at !== null) return 'revoked';
  return expires_at <= now ? 'expired' : 'active';
}

function cookieOf({ config }: World, token: string): string {
  return `${config.auth.cookieName}=${token}`;
}
