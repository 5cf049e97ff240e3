// The login of a command-line client: it starts one, a user completes it in a browser, and it fetches its key once.

import { ApiError, invalid } from '../../core/errors.js';
import { iso } from '../../http/wire.js';
import type { World } from '../../world/world.js';
import { mintKey, shownOf, tellValue } from '../keys/mint.js';
import { type CliSession, completeCliSession, findCliSession, insertCliSession, markTold } from './store.js';

export const cliSessionLifeMs = 600_000;

/** A key for a command-line client. */
export interface HandedOut {
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
export function completeCliLogin(
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
  completeCliSession(world.db, id, recipe, now);
  return { apiKey: value, keyPrefix: key.prefix, expiresAt: null };
}

/** The state of a login. */
export type CliState = { status: 'pending' | 'expired' | 'told' } | { status: 'authenticated'; key: HandedOut };

/**
 * The state of a login; only the first poll after completion receives the key.
 *
 * @throws ApiError NOT_FOUND
 */
export function pollCliLogin(world: World, id: string, now: number): CliState {
  return world.db.transaction(() => {
    const session = known(world, id);
    if (session.told_at !== null) return { status: 'told' };
    if (session.expires_at <= now) return { status: 'expired' };
    if (session.key_recipe === null) return { status: 'pending' };
    markTold(world.db, id, now);
    const apiKey = tellValue(world.random, session.key_recipe);
    return { status: 'authenticated', key: { apiKey, keyPrefix: shownOf(apiKey), expiresAt: null } };
  });
}

function known(world: World, id: string): CliSession {
  const session = findCliSession(world.db, id);
  if (session === undefined) throw new ApiError('NOT_FOUND', { message: 'Session not found or expired' });
  return session;
}
