// API keys of the public server as it is today: they are managed with a session alone, and have no permissions.

import { todays } from '../../config/profiles.js';
import { type Endpoint, endpoint } from '../../http/endpoint.js';
import { json, ok } from '../../http/response.js';
import { confirmation } from '../../http/wire.js';
import { changed, countUses, expiryOf, keysPath, own, remove, requireRenewable } from './api.js';
import { mintKey, renewKey } from './mint.js';
import { presentNewKey, presentUse } from './present.js';
import * as schema from './session-schema.js';
import { listKeys, updateKey } from './store.js';

const common = { profiles: todays, auth: 'session', permission: 'unrestricted' } as const;
const nothingToChange = 'At least one field is required';

export const sessionKeyEndpoints: Endpoint[] = [
  endpoint({
    ...common,
    id: 'keys.list',
    method: 'GET',
    harmless: true,
    path: keysPath,
    summary: 'List the keys of the organization, newest first, without their values',
    responses: { 200: { description: 'The keys', schema: schema.listAnswer } },
    assumptions: ['keys.today'],
    prepare: countUses,
    handle: ({ world, caller }) =>
      ok({ keys: listKeys(world.db, caller.organizationId).map((key) => presentUse(world, key)) }),
  }),
  endpoint({
    ...common,
    id: 'keys.create',
    method: 'POST',
    path: keysPath,
    summary: 'Create a key; only this response contains its value',
    body: schema.createBody,
    example: { name: 'Worker', rate_limit: 100 },
    responses: { 201: { description: 'The key and its value', schema: schema.mintedAnswer } },
    assumptions: ['keys.today', 'keys.form'],
    handle({ world, caller, now, body }) {
      const { name, description, rate_limit: rateLimit } = body;
      const { expires_at: expiresAt, expires_sent: expiresSent } = expiryOf(world, body.expires_at, now);
      const { organizationId, userId } = caller;
      const limits = { rateLimit, expiresAt, expiresSent };
      const { key, value } = mintKey(world, { organizationId, userId, name, description, ...limits, at: now });
      return json(201, { apiKey: presentNewKey(world, key), plainKey: value });
    },
  }),
  endpoint({
    ...common,
    id: 'keys.update',
    method: 'PATCH',
    path: `${keysPath}/{id}`,
    summary: 'Change a key; its value stays the same',
    params: schema.keyParams,
    body: schema.updateBody,
    example: { name: 'Worker of the night', rate_limit: 200 },
    responses: { 200: { description: 'The changed key', schema: schema.keyAnswer } },
    errors: ['NOT_FOUND'],
    assumptions: ['keys.today'],
    flatAs: ({ message }) => (message.includes(nothingToChange) ? { error: nothingToChange } : {}),
    prepare: countUses,
    handle(call) {
      const key = changed(call.world, own(call), call.body, call.now);
      updateKey(call.world.db, key);
      return ok({ apiKey: presentUse(call.world, key) });
    },
  }),
  endpoint({
    ...common,
    id: 'keys.delete',
    method: 'DELETE',
    path: `${keysPath}/{id}`,
    summary: 'Revoke a key at once',
    params: schema.keyParams,
    responses: { 200: { description: 'The key is revoked', schema: confirmation } },
    errors: ['NOT_FOUND'],
    assumptions: ['keys.today'],
    handle: remove,
  }),
  endpoint({
    ...common,
    id: 'keys.regenerate',
    method: 'POST',
    path: `${keysPath}/{id}/regenerate`,
    summary: 'Give a key a new value, which only this response contains; the old value is invalid at once',
    params: schema.keyParams,
    responses: { 200: { description: 'The key and its new value', schema: schema.mintedAnswer } },
    errors: ['NOT_FOUND', 'CONFLICT'],
    assumptions: ['keys.today', 'keys.form'],
    handle(call) {
      const key = own(call);
      requireRenewable(key, call.now);
      const renewed = renewKey(call.world, key, call.now);
      return ok({ apiKey: presentNewKey(call.world, renewed.key), plainKey: renewed.value });
    },
  }),
];
