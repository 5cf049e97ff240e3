// Endpoints of signing in and out in a browser: the emulator is its own identity provider.

import { invalid } from '../../core/errors.js';
import { nearest } from '../../core/nearest.js';
import { describe } from '../../core/problems.js';
import { wantsPage } from '../../http/accept.js';
import { type Endpoint, endpoint, type HandlerContext } from '../../http/endpoint.js';
import { ok } from '../../http/response.js';
import { iso } from '../../http/wire.js';
import { toClientTime } from '../../world/to-client-time.js';
import type { World } from '../../world/world.js';
import { presentUser } from '../accounts/present.js';
import {
  findOrganization,
  findUser,
  findUserByEmail,
  listUsers,
  type Organization,
  type User,
} from '../accounts/store.js';
import { type LoginView, loginPage, logoutPage, redirect, returnUrl } from './pages.js';
import * as schema from './schema.js';
import { beginSession } from './sessions.js';
import { revokeSession } from './store.js';
import { setCookie } from './token.js';

const page = { description: 'A page for the browser', contentTypes: ['text/html'] };
const lead = { description: 'Leads a browser on, which is one that accepts text/html', contentTypes: ['text/plain'] };

export const sessionEndpoints: Endpoint[] = [
  endpoint({
    id: 'auth.login',
    method: 'GET',
    path: '/auth/login',
    summary: 'Show the page on which a person picks the user to sign in as',
    auth: 'public',
    page: true,
    query: schema.pageQuery,
    responses: { 200: page },
    assumptions: ['auth.login'],
    handle: (call) => loginPage(viewOf(call, returnOf(call, call.query.return_to, 'query.return_to'))),
  }),
  endpoint({
    id: 'auth.login',
    method: 'POST',
    path: '/auth/login',
    summary: 'Sign in as a user: sets the session’s cookie, and returns its token or redirects',
    auth: 'public',
    page: true,
    form: true,
    body: schema.loginBody,
    example: { email: 'owner@example.test' },
    responses: { 200: { description: 'The session', schema: schema.loginAnswer }, 303: lead },
    assumptions: ['auth.login', 'auth.sessions'],
    handle(call) {
      const { world, body, now: at, baseUrl } = call;
      const returnTo = returnOf(call, body.return_to, 'return_to');
      const user = chosenUser(world, body);
      const lifetime = world.config.auth.sessionLifetime;
      const { session, token } = beginSession(world, { user, origin: 'login', at, lifetime });
      const headers = { 'Set-Cookie': setCookie(call, token), 'Cache-Control': 'no-store' };
      if (wantsPage(call.header('accept')))
        return redirect(returnTo?.href ?? `${pathPrefix(baseUrl)}/auth/login`, headers);
      const organization = findOrganization(world.db, user.organization_id) as Organization;
      const expiresAt = iso(toClientTime(world, session.expires_at));
      const answer = { success: true, token, tokenType: 'Bearer', expiresAt, user: presentUser(user, organization) };
      return { ...ok(answer), headers };
    },
  }),
  endpoint({
    id: 'auth.logout',
    method: 'GET',
    path: '/auth/logout',
    summary: 'Show the page on which a person signs out',
    auth: 'public',
    page: true,
    query: schema.pageQuery,
    responses: { 200: page },
    assumptions: ['auth.login'],
    handle: (call) => logoutPage(viewOf(call, returnOf(call, call.query.return_to, 'query.return_to'))),
  }),
  endpoint({
    id: 'auth.logout',
    method: 'POST',
    path: '/auth/logout',
    summary: 'Sign out: ends the session that the request has, and takes the cookie away',
    auth: 'public',
    page: true,
    form: true,
    body: schema.logoutBody,
    bodyOptional: true,
    example: {},
    responses: { 200: { description: 'The session has ended', schema: schema.logoutAnswer }, 303: lead },
    assumptions: ['auth.login'],
    handle(call) {
      const { world, body, now, identified, baseUrl } = call;
      const returnTo = returnOf(call, body.return_to, 'return_to');
      const sessionId = identified?.sessionId;
      if (sessionId !== undefined) revokeSession(world.db, sessionId, now);
      const headers = { 'Set-Cookie': setCookie(call, undefined), 'Cache-Control': 'no-store' };
      if (wantsPage(call.header('accept')))
        return redirect(returnTo?.href ?? `${pathPrefix(baseUrl)}/auth/logout`, headers);
      const message = sessionId === undefined ? 'Nobody was signed in' : 'Signed out';
      return { ...ok({ success: true, message }), headers };
    },
  }),
];

const mostShown = 200;

/** The data of the pages for a request. */
export function viewOf({ world, identified, baseUrl }: HandlerContext, returnTo: URL | undefined): LoginView {
  const users = listUsers(world.db, mostShown + 1);
  const signedIn = identified?.sessionId === undefined ? undefined : findUser(world.db, identified.userId);
  const candidates = users.slice(0, mostShown).map((user) => ({
    user,
    organization: findOrganization(world.db, user.organization_id)?.name ?? '',
  }));
  const more = users.length > mostShown;
  return { world, prefix: pathPrefix(baseUrl), candidates, more, signedIn, returnTo };
}

function returnOf({ world, baseUrl }: HandlerContext, wanted: string | undefined, path: string): URL | undefined {
  return returnUrl(world, wanted, { baseUrl, path });
}

function chosenUser(
  { db, prefix }: World,
  { userId, email }: { userId?: string | undefined; email?: string | undefined },
): User {
  const found = email === undefined ? findUser(db, userId ?? '') : findUserByEmail(db, email);
  if (found !== undefined) return found;
  const [path, received] = email === undefined ? ['userId', userId] : ['email', email];
  const names = listUsers(db, 1_000).flatMap((user) => (email === undefined ? user.id : (user.email ?? [])));
  throw invalid({
    path,
    message: `names no user of this world: the page ${prefix}/auth/login shows them`,
    received: describe(received),
    suggestion: nearest(received ?? '', names),
  });
}

// Paths of the page stay valid behind a proxy.
function pathPrefix(baseUrl: string): string {
  return new URL(baseUrl).pathname.replace(/\/+$/, '');
}
