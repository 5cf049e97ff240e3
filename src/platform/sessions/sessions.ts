// The life of a session: created by a login or for a test, checked at each request, revoked or expired.

import type { IncomingHttpHeaders } from 'node:http';
import { lastInstant } from '../../core/instant.js';
import type { Random } from '../../core/random.js';
import { cached } from '../../db/cached-reads.js';
import { iso } from '../../http/wire.js';
import { toClientTime } from '../../world/to-client-time.js';
import type { World } from '../../world/world.js';
import { prefixOf, type WorldName } from '../../world/world-name.js';
import { findUser, type User } from '../accounts/store.js';
import { findSession, insertSession, type Session } from './store.js';
import { type BadToken, type Claims, looksLikeToken, readToken, signToken } from './token.js';

/** The values of `details.reason` for a refused session. */
type Reason = BadToken['reason'] | 'other-world' | 'unknown' | 'expired' | 'revoked';

/** Creates a session of a user, within the caller's transaction. */
export function beginSession(
  world: World,
  { user, origin, at, lifetime }: { user: User; origin: Session['origin']; at: number; lifetime: number },
): { session: Session; token: string } {
  const seq = world.nextNumber('sessions');
  const expiresAt = Math.min(at + lifetime, lastInstant);
  const session: Session = {
    id: world.random.uuid('session', seq),
    seq,
    user_id: user.id,
    origin,
    iat: seconds(world, at),
    exp: seconds(world, expiresAt),
    created_at: at,
    expires_at: expiresAt,
    revoked_at: null,
  };
  insertSession(world.db, session);
  return { session, token: tokenOf(world, session, user) };
}

/** The token of a session: it is derived from the row, so it is not stored. */
export function tokenOf({ id, random }: World, session: Session, user: User): string {
  return signToken(random, {
    iss: 'cloudemu',
    aud: id,
    sub: user.id,
    sid: session.id,
    org: user.organization_id,
    iat: session.iat,
    exp: session.exp,
  });
}

/** Whether a text is a session token of this world, whatever the state of the session. */
export function isTokenOf({ id, random }: World, text: string): boolean {
  if (!looksLikeToken(text)) return false;
  const claims = readToken(random, text);
  return !('reason' in claims) && claims.aud === id;
}

/** Why a token is refused. */
export interface Trouble {
  reason: Reason;
  /** The part of the message after "the session token". */
  problem: string;
  /** Further details beside the reason. */
  facts?: Record<string, unknown>;
  /** The revoked or expired session. */
  session?: Session;
  /** The id of a session that is not there any more. */
  goneId?: string;
  /** The world in which the token is valid. */
  owner?: WorldName;
}

/** The user and session of a token, or why it is refused. */
export function checkSession(world: World, token: string, now: number): { user: User; session: Session } | Trouble {
  const read = readSession(world.db, token, world.random);
  if ('reason' in read) {
    const owner = read.reason === 'wrong-signature' ? world.ownerOf(token) : undefined;
    return owner === undefined ? read : ofOtherWorld(owner);
  }
  const { claims, session, user } = read;
  // Worlds of one seed sign alike.
  if (claims.aud !== world.id) return ofOtherWorld({ id: claims.aud, prefix: prefixOf(claims.aud) });
  if (session === undefined || user === undefined) {
    const problem = 'is unknown here: the world may have been reset or restored since it was given out';
    return { reason: 'unknown', problem, goneId: claims.sid };
  }
  if (session.revoked_at !== null) {
    const revokedAt = iso(session.revoked_at);
    return { reason: 'revoked', problem: `was ended at ${revokedAt}`, facts: { revokedAt }, session };
  }
  if (session.expires_at <= now) {
    const expiredAt = iso(session.expires_at);
    const problem = `expired at ${expiredAt} of the emulator’s time`;
    return { reason: 'expired', problem, facts: { expiredAt }, session };
  }
  return { user, session };
}

interface Known {
  claims: Claims;
  session: Session | undefined;
  user: User | undefined;
}

// Each request of a session sends the same token.
const readSession = cached(['sessions', 'users'], (db, token: string, random: Random): Known | BadToken => {
  const claims = readToken(random, token);
  if ('reason' in claims) return claims;
  const session = findSession(db, claims.sid);
  // After a reset another session may have the same number.
  const isSame = session !== undefined && session.user_id === claims.sub && session.exp === claims.exp;
  return { claims, session: isSame ? session : undefined, user: isSame ? findUser(db, claims.sub) : undefined };
});

function ofOtherWorld(owner: WorldName): Trouble {
  return { reason: 'other-world', problem: `belongs to the world "${owner.id}"`, facts: { world: owner.id }, owner };
}

function seconds(world: World, instant: number): number {
  return Math.ceil(toClientTime(world, instant) / 1_000);
}

// Takes the platform's credentials out of requests that go to a process of the user's own.

/**
 * Headers without the platform's credentials, which are not for an app to see; the app's own pass.
 *
 * @example withoutPlatformCredentials(world, req.headers).authorization // undefined for a key of this world
 */
export function withoutPlatformCredentials(world: World, headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const { prefix, livePrefix } = world.config.keys;
  const isPlatformKey = (value: string): boolean =>
    value.startsWith(prefix) || value.startsWith(livePrefix) || isSession(world, value);
  const rest = { ...headers };
  // With its scheme, or bare as some clients send it.
  if (rest.authorization?.split(/\s+/).some(isPlatformKey) === true) delete rest.authorization;
  const key = rest['x-api-key'];
  if (typeof key === 'string' && isPlatformKey(key)) delete rest['x-api-key'];
  const cookies = rest.cookie
    ?.split(/;\s*/)
    .filter((cookie) => !isPlatformKey(cookie.slice(cookie.indexOf('=') + 1).trim()));
  if (cookies === undefined || cookies.length === 0) delete rest.cookie;
  else rest.cookie = cookies.join('; ');
  return rest;
}

// Compared by value: an app may have a cookie of the same name.
function isSession(world: World, value: string): boolean {
  return looksLikeToken(value) && (isTokenOf(world, value) || world.ownerOf(value) !== undefined);
}
