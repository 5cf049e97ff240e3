// Finds the caller of a request. Only reads: accounts and last uses are written elsewhere.

import { otherProfiles } from '../../config/profiles.js';
import type { Config } from '../../config/schema.js';
import { ApiError } from '../../core/errors.js';
import { hashSecret } from '../../core/random.js';
import { cached } from '../../db/cached-reads.js';
import { storedJson } from '../../db/stored-json.js';
import type { Caller } from '../../http/endpoint.js';
import type { Identity, RequestContext } from '../../http/request-context.js';
import { sharedOrigin } from '../../http/request-world.js';
import { findKeyByValue } from '../keys/store.js';
import { ownerAt } from '../limits/hooks.js';
import { identifySession } from '../sessions/identify-session.js';
import { cookieIn, looksLikeToken } from '../sessions/token.js';
import { identifyWallet, walletHeaders } from '../wallets/identify-wallet.js';

/**
 * Looks at the wallet headers first, then at X-API-Key, then at Authorization: Bearer, then at the session cookie. Only
 * signatures take time.
 */
export function identify(context: RequestContext): Identity | Promise<Identity> {
  const { ctx } = context;
  const { headers } = ctx.req;
  const anonymous = ownerAt(ctx.req.socket.remoteAddress);
  if (headers['x-wallet-signature'] !== undefined || headers['x-wallet-address'] !== undefined) {
    const signed = walletHeaders(context);
    if (signed !== undefined) return identifyWallet(context, signed, anonymous);
  }
  const key = ctx.get('x-api-key').trim();
  if (key !== '') return identifyKey(context, key, anonymous);
  const authorization = ctx.get('authorization').trim();
  const bearer = /^bearer\s+(\S.*)$/i.exec(authorization)?.[1];
  if (bearer !== undefined)
    return looksLikeToken(bearer)
      ? identifySession(context, bearer, { place: 'bearer', anonymous })
      : identifyKey(context, bearer, anonymous);
  // "Bearer" without a token is an error, also where the cookie would let the client in.
  const isBlank = authorization.toLowerCase() === 'bearer';
  const cookie = isBlank ? undefined : cookieIn(headers.cookie, context.world.config.auth.cookieName);
  if (cookie !== undefined) return identifySession(context, cookie, { place: 'cookie', anonymous });
  return {
    caller: undefined,
    refusal: unauthorized(
      authorization === ''
        ? 'no credentials were sent: use Authorization: Bearer <key> or X-API-Key'
        : 'the header Authorization holds no key: it must be Bearer <key>',
    ),
    bucketOwner: anonymous,
    anonymous: true,
  };
}

function identifyKey(context: RequestContext, value: string, anonymous: string): Identity {
  const { world, now } = context;
  const { keys } = world.config;
  // Looked up at each request; live keys are not kept, not even in memory.
  const key = value.startsWith(keys.livePrefix) ? findKeyByValue(world.db, value) : knownKey(world.db, value);
  // Live keys of this emulator's own making are found like any other.
  if (key === undefined && value.startsWith(keys.livePrefix) && !keys.acceptLive) {
    const refusal = new ApiError('UNAUTHORIZED', {
      message: `This is a live key (${keys.livePrefix}…), and this is an emulator: it neither uses nor stores it. Use a test key: \`cloudemu env\` prints one.`,
    });
    return { caller: undefined, refusal, bucketOwner: anonymous, finding: 'live-key' };
  }
  // Verdicts tell keys apart that are unknown; the limits count them by address.
  if (key === undefined)
    return {
      caller: undefined,
      refusal: unauthorized(unknownKey(context, value)),
      bucketOwner: `secret:${hashSecret(value).slice(0, 16)}`,
    };
  const bucketOwner = `key:${key.id}`;
  const finding = 'expired-credential';
  if (key.is_active === 0) return { caller: undefined, refusal: inactiveKey(keys.inactive), bucketOwner, finding };
  if (key.expires_at !== null && key.expires_at <= now)
    return { caller: undefined, refusal: unauthorized('the API key has expired'), bucketOwner, finding };
  const caller: Caller = {
    kind: 'key',
    organizationId: key.organization_id,
    userId: key.user_id,
    keyId: key.id,
    permissions: key.permissions === null ? null : storedJson<string[]>(key.permissions, 'api_keys.permissions'),
    rateLimit: key.rate_limit,
    bucketOwner,
  };
  return { caller, refusal: undefined, bucketOwner };
}

const knownKey = cached(['api_keys'], findKeyByValue);

function unknownKey({ ctx, world, baseUrl }: RequestContext, value: string): string {
  if (looksLikeToken(value)) return 'X-API-Key holds a session token: send it as Authorization: Bearer';
  const owner = world.ownerOf(value);
  // A world that took the state of another one has its keys instead of its own.
  if (owner === undefined || owner.id === world.id)
    return `the API key is unknown${ofOtherProfile(world.config, value)}`;
  const origin = sharedOrigin(ctx.req, baseUrl.slice(0, baseUrl.length - world.prefix.length));
  return `the API key belongs to the world "${owner.id}", at ${origin}${owner.prefix}; this is the world "${world.id}"`;
}

// A key of the server that another profile follows, which its user takes for a good one.
function ofOtherProfile(config: Config, value: string): string {
  if (value.startsWith(config.keys.prefix)) return '';
  const others = otherProfiles(config, ({ keys }) => value.startsWith(keys.prefix));
  if (others === undefined) return '';
  return `; it begins like those of ${others}, and this is the profile ${config.profile}: \`cloudemu env\` prints a key of it`;
}

function inactiveKey(status: 401 | 403): ApiError {
  if (status === 401) return unauthorized('the API key is inactive');
  return new ApiError('FORBIDDEN', { message: 'The API key is inactive', flat: 'API key is inactive' });
}

function unauthorized(reason: string): ApiError {
  return new ApiError('UNAUTHORIZED', { message: `Invalid or missing authentication: ${reason}` });
}
