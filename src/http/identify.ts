// Who is calling. Only reads: accounts and last uses are written elsewhere.

import type { Caller } from '../api/endpoint.js';
import { type ApiKey, findKeyByValue } from '../features/keys/store.js';
import { ApiError } from '../kernel/errors.js';
import { hashSecret } from '../kernel/random.js';
import type { World } from '../worlds/world.js';
import type { Exchange } from './exchange.js';

/** The outcome of looking at a request's credentials. */
export interface Identity {
  caller: Caller | undefined;
  /** Why there is none: thrown once the limiter has counted the request. */
  refusal: ApiError | undefined;
  /** Whose rate windows the request counts in. */
  bucketOwner: string;
}

/** Looks at X-API-Key first, then at Authorization: Bearer. */
export function identify(exchange: Exchange): Identity {
  const { ctx } = exchange;
  const value = presentedKey(ctx.get('x-api-key'), ctx.get('authorization'));
  const anonymous = `address:${ctx.req.socket.remoteAddress ?? 'unknown'}`;
  if (value === undefined)
    return {
      caller: undefined,
      refusal: unauthorized('no credentials were sent: use Authorization: Bearer <key> or X-API-Key'),
      bucketOwner: anonymous,
    };
  if (value.split('.').length === 3)
    return { caller: undefined, refusal: unauthorized('the session token is invalid'), bucketOwner: anonymous };

  const { world, now } = exchange;
  const { keys } = world.config;
  const key = keyOf(world, value);
  // Live keys of this emulator's own making are found like any other.
  if (key === undefined && value.startsWith(keys.livePrefix) && !keys.acceptLive) {
    const refusal = new ApiError('UNAUTHORIZED', {
      message: `This is a live key (${keys.livePrefix}…), and this is an emulator: it neither uses nor stores it. Use a test key: \`cloudemu env\` prints one.`,
    });
    return { caller: undefined, refusal, bucketOwner: anonymous };
  }
  if (key === undefined)
    return {
      caller: undefined,
      refusal: unauthorized('the API key is unknown'),
      bucketOwner: `secret:${hashSecret(value).slice(0, 16)}`,
    };
  const bucketOwner = `key:${key.id}`;
  if (key.is_active === 0) return { caller: undefined, refusal: unauthorized('the API key is inactive'), bucketOwner };
  if (key.expires_at !== null && key.expires_at <= now)
    return { caller: undefined, refusal: unauthorized('the API key has expired'), bucketOwner };
  const caller: Caller = {
    kind: 'key',
    organizationId: key.organization_id,
    userId: key.user_id,
    keyId: key.id,
    permissions: key.permissions === null ? null : (JSON.parse(key.permissions) as string[]),
    rateLimit: key.rate_limit,
    bucketOwner,
  };
  return { caller, refusal: undefined, bucketOwner };
}

// Looked up at each request; live keys are not kept, not even in memory.
function keyOf({ db, config }: World, value: string): ApiKey | undefined {
  const find = (): ApiKey | undefined => findKeyByValue(db, value);
  return value.startsWith(config.keys.livePrefix) ? find() : db.memo('api_keys', value, find);
}

function presentedKey(header: string, authorization: string): string | undefined {
  const key = header.trim();
  if (key !== '') return key;
  const bearer = /^bearer\s+(\S.*)$/i.exec(authorization.trim())?.[1]?.trim();
  return bearer === undefined || bearer === '' ? undefined : bearer;
}

function unauthorized(reason: string): ApiError {
  return new ApiError('UNAUTHORIZED', { message: `Invalid or missing authentication: ${reason}` });
}
