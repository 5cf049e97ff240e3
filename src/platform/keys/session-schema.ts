// API keys on the wire of today's server.

import * as z from 'zod';
import { id, isoTime, someOf, writtenInstant } from '../../http/wire.js';
import { name as anyName, description, keyParams, rateLimit } from './schema.js';

export { keyParams };

const reserved = 'agent-sandbox:';
const name = anyName.refine((text) => !text.startsWith(reserved), {
  message: `must not begin with ${reserved}, as the platform’s own keys for agents do`,
});

// Clients send what a field of a form holds, too.
const limit = z.union([
  rateLimit,
  z
    .string()
    .regex(/^\d{1,6}$/, 'must be a whole number from 1 to 100000')
    .transform(Number)
    .pipe(rateLimit),
]);

const expiry = writtenInstant.nullable();

export const createBody = z.lazy(() =>
  z.object({
    name,
    description: description.optional(),
    rate_limit: limit.optional().meta({ description: 'Requests per minute, as a number or its digits' }),
    expires_at: expiry.optional().meta({ description: 'ISO 8601 time by your own clock; without a zone it is UTC' }),
  }),
);

export const updateBody = z.lazy(() =>
  someOf(
    { name, description, rate_limit: limit, is_active: z.boolean(), expires_at: expiry },
    'At least one field is required',
  ),
);

const newKey = z.lazy(() =>
  z.object({
    id,
    name: z.string(),
    description: z.string().nullable(),
    key_prefix: z.string(),
    rate_limit: z.int(),
    created_at: isoTime,
    expires_at: isoTime.nullable(),
  }),
);

const key = z.lazy(() =>
  newKey.unwrap().extend({
    is_active: z.boolean(),
    usage_count: z.int(),
    last_used_at: isoTime.nullable(),
  }),
);

export const listAnswer = z.lazy(() => z.object({ keys: z.array(key) }));
export const keyAnswer = z.lazy(() => z.object({ apiKey: key }));
export const mintedAnswer = z.lazy(() =>
  z.object({ apiKey: newKey, plainKey: z.string().meta({ description: 'The value; it is shown this once' }) }),
);
