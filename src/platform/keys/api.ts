// Endpoints that make, show, change and revoke API keys.

import type * as z from 'zod';
import { documented } from '../../config/profiles.js';
import { ApiError, found, invalid } from '../../core/errors.js';
import { lastInstant, parseInstant } from '../../core/instant.js';
import { describe } from '../../core/problems.js';
import { type Endpoint, endpoint, type HandlerContext } from '../../http/endpoint.js';
import { type JsonAnswer, json, ok } from '../../http/response.js';
import { confirmation, iso } from '../../http/wire.js';
import { aheadOfClient, toClientTime } from '../../world/to-client-time.js';
import type { World } from '../../world/world.js';
import { mintKey, renewKey } from './mint.js';
import { storedPermissions } from './permissions.js';
import { presentKey, shownExpiry } from './present.js';
import * as schema from './schema.js';
import {
  type ApiKey,
  deactivateKey,
  deleteKey,
  findKey,
  findKeyByValue,
  isUsable,
  listKeys,
  updateKey,
} from './store.js';

export const keysPath = '/api/v1/api-keys';

export const keyEndpoints: Endpoint[] = [
  endpoint({
    id: 'keys.list',
    profiles: documented,
    method: 'GET',
    harmless: true,
    path: keysPath,
    summary: 'List the keys of the organization, newest first, without their values',
    permission: 'unrestricted',
    responses: { 200: { description: 'The keys', schema: schema.listAnswer } },
    assumptions: ['keys.record'],
    prepare: countUses,
    handle({ world, caller }) {
      const keys = listKeys(world.db, caller.organizationId).map((key) => presentKey(world, key));
      return ok({ success: true, keys, total: keys.length });
    },
  }),
  endpoint({
    id: 'keys.create',
    profiles: documented,
    method: 'POST',
    path: keysPath,
    summary: 'Create a key; only this response contains its value',
    permission: 'unrestricted',
    body: schema.createBody,
    example: { name: 'Worker', permissions: ['chat:read', 'chat:write', 'apps'], rateLimit: 100 },
    responses: { 201: { description: 'The key and its value', schema: schema.mintedAnswer } },
    assumptions: ['keys.management', 'keys.form', 'keys.record'],
    handle({ world, caller, now, body }) {
      const { rate_limit, rateLimit = rate_limit, expires_at, ...rest } = body;
      const { organizationId, userId } = caller;
      const expiry = expiryOf(world, expires_at, now);
      const wanted = { ...rest, organizationId, userId, rateLimit, at: now };
      const made = mintKey(world, { ...wanted, expiresAt: expiry.expires_at, expiresSent: expiry.expires_sent });
      return minted(world, 201, made);
    },
  }),
  endpoint({
    id: 'keys.get',
    profiles: documented,
    method: 'GET',
    harmless: true,
    path: `${keysPath}/{id}`,
    summary: 'Get a key, without its value',
    permission: 'unrestricted',
    params: schema.keyParams,
    responses: { 200: { description: 'The key', schema: schema.keyAnswer } },
    errors: ['NOT_FOUND'],
    assumptions: ['keys.management', 'keys.record'],
    prepare: countUses,
    handle: (call) => ok({ success: true, apiKey: presentKey(call.world, own(call)) }),
  }),
  endpoint({
    id: 'keys.update',
    profiles: documented,
    method: 'PATCH',
    path: `${keysPath}/{id}`,
    summary: 'Change a key; its value stays the same',
    permission: 'unrestricted',
    params: schema.keyParams,
    body: schema.updateBody,
    example: { name: 'Worker of the night', rate_limit: 200 },
    responses: { 200: { description: 'The changed key', schema: schema.keyAnswer } },
    errors: ['NOT_FOUND'],
    assumptions: ['keys.management', 'keys.record'],
    prepare: countUses,
    handle(call) {
      const key = changed(call.world, own(call), call.body, call.now);
      updateKey(call.world.db, key);
      return ok({ success: true, apiKey: presentKey(call.world, key) });
    },
  }),
  endpoint({
    id: 'keys.delete',
    profiles: documented,
    method: 'DELETE',
    path: `${keysPath}/{id}`,
    summary: 'Revoke a key at once, even the one that the request uses',
    permission: 'unrestricted',
    params: schema.keyParams,
    responses: { 200: { description: 'The key is revoked', schema: confirmation } },
    errors: ['NOT_FOUND'],
    assumptions: ['keys.record'],
    handle: remove,
  }),
  endpoint({
    id: 'keys.deleteCurrent',
    method: 'DELETE',
    path: `${keysPath}/current`,
    summary: 'Revoke the key that the request is sent with; it may be sent again',
    auth: 'public',
    responses: { 200: { description: 'The key is revoked', schema: confirmation } },
    errors: ['UNAUTHORIZED'],
    assumptions: ['keys.current'],
    handle(call) {
      const key = findKeyByValue(call.world.db, sentKey(call));
      if (key === undefined)
        throw new ApiError('UNAUTHORIZED', {
          message: 'Invalid or missing authentication: this takes the API key that is to be revoked, and no session',
        });
      deactivateKey(call.world.db, key.id, call.now);
      return ok({ success: true, message: 'API key revoked' });
    },
  }),
  endpoint({
    id: 'keys.regenerate',
    profiles: documented,
    method: 'POST',
    path: `${keysPath}/{id}/regenerate`,
    summary: 'Give a key a new value, which only this response contains; the old value is invalid at once',
    permission: 'unrestricted',
    params: schema.keyParams,
    responses: { 200: { description: 'The key and its new value', schema: schema.mintedAnswer } },
    errors: ['NOT_FOUND', 'CONFLICT'],
    assumptions: ['keys.form', 'keys.record'],
    prepare: countUses,
    handle(call) {
      const key = own(call);
      requireRenewable(key, call.now);
      return minted(call.world, 200, renewKey(call.world, key, call.now));
    },
  }),
];

/** Uses of keys are written in batches: a response that shows a key must contain all of them, this request included. */
export function countUses({ world }: { world: World }): undefined {
  world.usage.flush();
}

/** Revokes the key that a path names. @throws ApiError NOT_FOUND */
export function remove(call: HandlerContext<z.output<typeof schema.keyParams>>): JsonAnswer {
  deleteKey(call.world.db, own(call).id);
  return ok({ success: true, message: 'API key deleted successfully' });
}

/** The organization's key that a path names. @throws ApiError NOT_FOUND */
export function own({ world, caller, params }: HandlerContext<z.output<typeof schema.keyParams>>): ApiKey {
  return found(findKey(world.db, params.id, caller.organizationId), 'API key not found');
}

/** Refuses to give a key that would not be usable a new value. @throws ApiError CONFLICT */
export function requireRenewable(key: ApiKey, now: number): void {
  if (key.is_active === 0)
    throw new ApiError('CONFLICT', {
      message: 'This API key is inactive: activate it with PATCH {"is_active": true} first',
    });
  if (!isUsable(key, now))
    throw new ApiError('CONFLICT', {
      message:
        'This API key has expired, and so would its new value: give it a later expiry with PATCH {"expires_at": …} first',
    });
}

// A revoked key is no caller any more.
function sentKey(call: Pick<HandlerContext, 'header'>): string {
  const own = call.header('x-api-key')?.trim() ?? '';
  return own === '' ? (/^bearer\s+(\S+)\s*$/i.exec(call.header('authorization') ?? '')?.[1] ?? '') : own;
}

function minted(world: World, status: number, { key, value }: { key: ApiKey; value: string }) {
  return json(status, { success: true, apiKey: presentKey(world, key), plainKey: value });
}

/** A key as a request changes it. @throws ApiError VALIDATION_ERROR for an expiry in the past */
export function changed(world: World, key: ApiKey, body: z.output<typeof schema.updateBody>, now: number): ApiKey {
  const { name = key.name, description = key.description, permissions, is_active, expires_at } = body;
  const isSame = typeof expires_at === 'string' && isShown(shownExpiry(world, key), parseInstant(expires_at));
  return {
    ...key,
    name,
    description,
    permissions: permissions === undefined ? key.permissions : storedPermissions(permissions),
    rate_limit: body.rateLimit ?? body.rate_limit ?? key.rate_limit,
    is_active: is_active === undefined ? key.is_active : Number(is_active),
    ...(expires_at !== undefined && !isSame && expiryOf(world, expires_at, now)),
    updated_at: now,
  };
}

// A client may send back the whole key, an expiry that has passed included; some clients drop the milliseconds.
function isShown(shown: number | null, sent: number | undefined): boolean {
  if (shown === null || sent === undefined) return false;
  return sent % 1_000 === 0 ? Math.abs(sent - shown) < 1_000 : sent === shown;
}

/** When a key ends, as it is stored. @throws ApiError VALIDATION_ERROR for an instant in the past */
export function expiryOf(
  world: World,
  sent: string | null | undefined,
  now: number,
): Pick<ApiKey, 'expires_at' | 'expires_sent'> {
  if (sent === undefined || sent === null) return { expires_at: null, expires_sent: null };
  const instant = parseInstant(sent) ?? Number.NaN;
  const expiresAt = aheadOfClient(world, instant);
  if (expiresAt > now && instant <= lastInstant) return { expires_at: expiresAt, expires_sent: instant };
  const message =
    instant > lastInstant
      ? 'must be before the year 10000'
      : `must be in the future: it is ${iso(toClientTime(world, now))}`;
  throw invalid({ path: 'expires_at', message, received: describe(sent) });
}
