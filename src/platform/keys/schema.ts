// API keys on the wire.

import * as z from 'zod';
import { characters, id, isoTime, success, writtenInstant } from '../../http/wire.js';
import { permissionNames } from './permissions.js';

export const name = z.string().trim().pipe(characters(1, 100)).meta({ minLength: 1, maxLength: 100 });
export const permissions = z.array(z.enum(permissionNames)).max(50);
export const rateLimit = z.int().min(1).max(100_000);

export const description = characters(0, 1_000).nullable();
const expiry = writtenInstant.nullable();

export const createBody = z.lazy(() =>
  z
    .object({
      name,
      description: description.optional(),
      permissions: permissions.optional().meta({ description: 'Permissions; by default all' }),
      rateLimit: rateLimit.optional().meta({ description: 'Requests per minute' }),
      rate_limit: rateLimit.optional().meta({ description: 'Another name of rateLimit' }),
      expires_at: expiry.optional().meta({ description: 'ISO 8601 time by your own clock; without a zone it is UTC' }),
      environment: z
        .enum(['test', 'live'])
        .default('test')
        .meta({ description: 'Environment of the key, which chooses its prefix' }),
    })
    .refine(agree, { path: ['rate_limit'], message: 'must be the same as rateLimit: both name one limit' }),
);

export const updateBody = z.lazy(() =>
  z
    .object({
      name,
      description,
      permissions,
      rateLimit,
      rate_limit: rateLimit,
      is_active: z.boolean(),
      expires_at: expiry,
    })
    .partial()
    .refine((body) => Object.values(body).some((value) => value !== undefined), {
      message: 'must have at least one of name, description, permissions, rate_limit, is_active, expires_at',
    })
    .refine(agree, { path: ['rate_limit'], message: 'must be the same as rateLimit: both name one limit' }),
);

// The path accepts any text: a malformed id is not found.
export const keyParams = z.lazy(() => z.object({ id: z.string().meta({ format: 'uuid' }) }));

/** A key as it is shown: never its value. */
const apiKey = z.lazy(() =>
  z
    .object({
      id,
      name: z.string(),
      description: z.string().nullable(),
      key_prefix: z.string(),
      organization_id: id,
      user_id: id,
      permissions: z.array(z.string()),
      rate_limit: z.int(),
      rateLimit: z.int(),
      is_active: z.boolean(),
      usage_count: z.int(),
      last_used_at: isoTime.nullable(),
      expires_at: isoTime.nullable(),
      created_at: isoTime,
      updated_at: isoTime,
    })
    .meta({ id: 'ApiKey' }),
);

export const keyAnswer = z.lazy(() => z.object({ success, apiKey }));
export const listAnswer = z.lazy(() => z.object({ success, keys: z.array(apiKey), total: z.int() }));
export const mintedAnswer = z.lazy(() =>
  z.object({
    success,
    apiKey,
    plainKey: z.string().meta({ description: 'The value; it is shown this once' }),
  }),
);

function agree(body: { rateLimit?: number | undefined; rate_limit?: number | undefined }): boolean {
  return body.rateLimit === undefined || body.rate_limit === undefined || body.rateLimit === body.rate_limit;
}
