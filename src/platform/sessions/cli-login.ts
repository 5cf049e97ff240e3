// The login of a command-line client: it starts one, a user completes it in a browser, and it fetches its key once.

import { documented, isTodaysServer, todays } from '../../config/profiles.js';
import { ApiError, found, invalid } from '../../core/errors.js';
import { wantsPage } from '../../http/accept.js';
import { type Endpoint, endpoint } from '../../http/endpoint.js';
import { json, keeping, ok, text } from '../../http/response.js';
import { iso } from '../../http/wire.js';
import { toClientTime } from '../../world/to-client-time.js';
import type { World } from '../../world/world.js';
import { mintKey, shownOf, tellValue } from '../keys/mint.js';
import { deactivateKey, findKeyById, isUsable } from '../keys/store.js';
import { viewOf } from './api.js';
import { cliDonePage, cliLoginPage } from './pages.js';
import * as schema from './schema.js';
import { type CliSession, completeCliSession, findCliSession, insertCliSession, markTold } from './store.js';

const cliSessionLifeMs = 600_000;

/** A key for a command-line client. */
interface HandedOut {
  apiKey: string;
  keyPrefix: string;
  expiresAt: null;
}

/**
 * Begins a login, within the caller's transaction.
 *
 * @returns the instant at which it expires
 * @throws ApiError CONFLICT when its id was used before
 */
export function startCliLogin(world: World, id: string, now: number): number {
  const expiresAt = now + cliSessionLifeMs;
  if (insertCliSession(world.db, id, now, expiresAt)) return expiresAt;
  throw new ApiError('CONFLICT', {
    message: 'A session of this id was started before: choose a new one, a random UUID, for each login',
  });
}

/**
 * Gives a user's key to a pending login, within the caller's transaction.
 *
 * @throws ApiError NOT_FOUND, or VALIDATION_ERROR when it is no longer pending
 */
function completeCliLogin(
  world: World,
  { id, organizationId, userId, now }: { id: string; organizationId: string; userId: string; now: number },
): HandedOut {
  const waiting = known(world, id);
  const path = 'path.sessionId';
  if (waiting.completed_at !== null)
    throw invalid({ path, message: `was completed before, at ${iso(waiting.completed_at)}: a session gives one key` });
  if (waiting.expires_at <= now)
    throw invalid({ path, message: `expired at ${iso(waiting.expires_at)}: start another one on the command line` });
  const name = `CLI Login - ${iso(now)}`;
  const { key, value, recipe } = mintKey(world, { organizationId, userId, name, at: now });
  completeCliSession(world.db, { id, keyRecipe: recipe, keyId: key.id, at: now });
  return { apiKey: value, keyPrefix: key.prefix, expiresAt: null };
}

/** The state of a login; lost: its key was revoked before it was fetched, which only today's server tells. */
type CliState = { status: 'pending' | 'expired' | 'told' | 'lost' } | { status: 'authenticated'; key: HandedOut };

/**
 * The state of a login; only the first poll after completion receives the key.
 *
 * @throws ApiError NOT_FOUND
 */
export function pollCliLogin(world: World, id: string, now: number): CliState {
  return world.db.transaction(() => {
    const session = known(world, id);
    const isTodays = isTodaysServer(world.config);
    const isOver = session.expires_at <= now;
    if (session.told_at !== null && !(isTodays && isOver)) return { status: 'told' };
    if (isOver) return { status: 'expired' };
    if (session.key_recipe === null) return { status: 'pending' };
    if (isTodays && !isGood(world, session, now)) return { status: 'lost' };
    markTold(world.db, id, now);
    const apiKey = tellValue(world.random, session.key_recipe);
    return { status: 'authenticated', key: { apiKey, keyPrefix: shownOf(apiKey), expiresAt: null } };
  });
}

function isGood({ db }: World, { key_id }: CliSession, now: number): boolean {
  if (key_id === null) return true;
  const key = findKeyById(db, key_id);
  return key !== undefined && isUsable(key, now);
}

/** The error of a login whose key was revoked before it was fetched. */
function keyUnavailable(): ApiError {
  return new ApiError('GONE', {
    message: 'API key unavailable: it was revoked before it was retrieved',
    headers: noStore,
  });
}

/**
 * Revokes the key that a login has given, by itself, within the caller's transaction.
 *
 * @throws ApiError NOT_FOUND; FORBIDDEN for a caller with another key, or with none
 */
function endCliLogin(world: World, id: string, keyId: string | null, now: number): void {
  const session = known(world, id);
  if (keyId === null || session.key_id !== keyId)
    throw new ApiError('FORBIDDEN', { message: 'Only the API key that this session has issued may end it' });
  deactivateKey(world.db, keyId, now);
}

function known(world: World, id: string): CliSession {
  return found(findCliSession(world.db, id), 'Session not found or expired');
}

const cliSessionPath = '/api/auth/cli-session';
export const noStore = { 'Cache-Control': 'no-store' };

export const cliSessionEndpoints: Endpoint[] = [
  endpoint({
    id: 'auth.cliSessionStart',
    profiles: documented,
    method: 'POST',
    path: cliSessionPath,
    summary: 'Start the login of a command line; a person completes it at /auth/cli-login?session={sessionId}',
    auth: 'public',
    body: schema.cliStartBody,
    example: { sessionId: '7b6d1c3e-0f0a-4a55-9a9b-2f6f3c8f5d10' },
    responses: { 201: { description: 'The login waits for ten minutes', schema: schema.cliStartAnswer } },
    errors: ['CONFLICT'],
    assumptions: ['auth.cliSession'],
    handle({ world, body: { sessionId }, now }) {
      const expiresAt = iso(toClientTime(world, startCliLogin(world, sessionId, now)));
      return json(201, { sessionId, status: 'pending', expiresAt });
    },
  }),
  endpoint({
    id: 'auth.cliSessionPoll',
    profiles: documented,
    method: 'GET',
    path: `${cliSessionPath}/{sessionId}`,
    summary: 'Get the status of the login; the first response after its completion contains the key',
    auth: 'public',
    sameOrigin: true,
    params: schema.cliParams,
    responses: { 200: { description: 'The status of the login', schema: schema.cliPollAnswer } },
    errors: ['NOT_FOUND'],
    assumptions: ['auth.cliSession'],
    handle({ world, params, now }) {
      const state = pollCliLogin(world, params.sessionId, now);
      if (state.status === 'authenticated') return json(200, { status: state.status, ...state.key }, noStore);
      if (state.status !== 'told') return json(200, { status: state.status }, noStore);
      return json(200, { status: 'authenticated', message: 'API key already retrieved' }, noStore);
    },
  }),
  endpoint({
    id: 'auth.cliSessionToken',
    method: 'GET',
    path: '/api/v1/cli-auth/{session}/token',
    summary: 'Fetch the key of a completed login, once',
    auth: 'public',
    sameOrigin: true,
    params: schema.cliTokenParams,
    responses: {
      200: { description: 'The key', schema: schema.cliTokenAnswer },
      202: { description: 'Nobody has completed the login yet', schema: schema.cliWaitingAnswer },
    },
    errors: ['NOT_FOUND', 'GONE'],
    assumptions: ['auth.cliSession'],
    handle({ world, params, now }) {
      const state = pollCliLogin(world, params.session, now);
      if (state.status === 'authenticated') return json(200, { ...state.key }, noStore);
      if (state.status === 'pending') return json(202, { status: state.status }, noStore);
      if (state.status === 'lost') return keeping(keyUnavailable());
      const message = state.status === 'told' ? 'API key already retrieved' : 'Session expired';
      return keeping(new ApiError('GONE', { message, headers: noStore }));
    },
  }),
  endpoint({
    id: 'auth.cliSessionEnd',
    method: 'DELETE',
    path: `${cliSessionPath}/{sessionId}`,
    summary: 'Revoke the key that the login has given, with that key itself',
    permission: 'unrestricted',
    params: schema.cliParams,
    responses: { 204: { description: 'The key is revoked' } },
    errors: ['NOT_FOUND'],
    assumptions: ['auth.cliSession'],
    handle({ world, params, caller, now }) {
      endCliLogin(world, params.sessionId, caller.keyId, now);
      return { ...text(''), status: 204 };
    },
  }),
  endpoint({
    id: 'auth.cliSessionComplete',
    method: 'POST',
    path: `${cliSessionPath}/{sessionId}/complete`,
    summary: 'Complete the login: the command line gets a key of the person who is signed in',
    auth: 'session',
    sameOrigin: true,
    params: schema.cliParams,
    responses: {
      200: {
        description: 'It has a key; a page where the client accepts text/html',
        schema: schema.cliCompleteAnswer,
        contentTypes: ['application/json', 'text/html'],
      },
    },
    errors: ['NOT_FOUND'],
    assumptions: ['auth.cliSession', 'auth.sessions'],
    handle(call) {
      const { world, params, caller, now } = call;
      const { organizationId, userId } = caller;
      const key = completeCliLogin(world, { id: params.sessionId, organizationId, userId, now });
      if (wantsPage(call.header('accept'))) return cliDonePage(world);
      return { ...ok({ success: true, ...key }), headers: noStore };
    },
  }),
  endpoint({
    id: 'auth.cliLogin',
    method: 'GET',
    path: '/auth/cli-login',
    summary: 'Show the page on which a person completes the login of a command line',
    auth: 'public',
    page: true,
    query: schema.cliPageQuery,
    responses: { 200: { description: 'A page for the browser', contentTypes: ['text/html'] } },
    assumptions: ['auth.cliSession'],
    handle(call) {
      const { session } = call.query;
      const here = new URL(`${call.baseUrl}/auth/cli-login`);
      if (session !== undefined) here.searchParams.set('session', session);
      return cliLoginPage(viewOf(call, here), session);
    },
  }),
  endpoint({
    id: 'auth.cliSessionStart',
    profiles: todays,
    method: 'POST',
    path: cliSessionPath,
    summary: 'Start the login of a command line; a person completes it at /auth/cli-login?session={sessionId}',
    auth: 'public',
    responses: { 201: { description: 'The login waits for ten minutes', schema: schema.cliStartAnswer } },
    assumptions: ['auth.cliSession', 'auth.cliSessionId'],
    handle({ world, now }) {
      const sessionId = world.random.uuid('cli-session', world.nextNumber('cli_sessions'));
      const expiresAt = iso(toClientTime(world, startCliLogin(world, sessionId, now)));
      return json(201, { sessionId, status: 'pending', expiresAt });
    },
  }),
  endpoint({
    id: 'auth.cliSessionPoll',
    profiles: todays,
    method: 'GET',
    path: `${cliSessionPath}/{sessionId}`,
    summary: 'Get the status of the login; the first response after its completion contains the key',
    auth: 'public',
    sameOrigin: true,
    params: schema.todaysCliParams,
    responses: { 200: { description: 'The status of the login', schema: schema.todaysCliPollAnswer } },
    errors: ['NOT_FOUND', 'GONE'],
    assumptions: ['auth.cliSession', 'auth.cliSessionId'],
    flatAs: ({ code }) => (code === 'VALIDATION_ERROR' ? { error: 'Invalid session ID format' } : {}),
    handle({ world, params: { sessionId }, now }) {
      const state = pollCliLogin(world, sessionId.toLowerCase(), now);
      if (state.status === 'authenticated') return json(200, { status: state.status, ...state.key }, noStore);
      if (state.status === 'expired') throw new ApiError('NOT_FOUND', { message: 'Session not found or expired' });
      if (state.status === 'lost') throw keyUnavailable();
      if (state.status === 'pending') return json(200, { status: state.status }, noStore);
      return json(200, { status: 'authenticated', message: 'API key already retrieved' }, noStore);
    },
  }),
];
