// What the OpenAPI document says about paying (x402).

import * as z from 'zod';
import { errorEnvelope } from './wire.js';

type Json = Record<string, unknown>;

/** The body of every 402: the envelope, and what version 1 of the protocol reads. */
export const paymentRequired = errorEnvelope
  .extend({
    x402Version: z.literal(1).optional(),
    accepts: z
      .array(
        z.object({
          scheme: z.literal('exact'),
          network: z.string(),
          maxAmountRequired: z.string().meta({ description: 'Atomic units of the asset' }),
          resource: z.url(),
          description: z.string(),
          mimeType: z.string(),
          payTo: z.string(),
          maxTimeoutSeconds: z.int(),
          asset: z.string(),
          extra: z.object({ name: z.string(), version: z.string() }),
        }),
      )
      .optional(),
  })
  .meta({ id: 'PaymentRequired' });

const text = (description: string): Json => ({ description, schema: { type: 'string' } });

/** The headers of a 402. */
export const challengeHeaders: Json = {
  'PAYMENT-REQUIRED': text('Base64 of JSON: what is to be paid, for version 2 of x402'),
};

/** The headers of an answer that was paid for. */
export const settlementHeaders: Json = {
  'X-PAYMENT-RESPONSE': text('Base64 of JSON: the settlement, where X-PAYMENT paid'),
  'PAYMENT-RESPONSE': text('Base64 of JSON: the settlement, where PAYMENT-SIGNATURE paid'),
};

/** The headers that a request pays with. */
export const paymentParameters: Json[] = [
  { name: 'X-PAYMENT', in: 'header', ...text('A payment of version 1 of x402: base64 of JSON') },
  { name: 'PAYMENT-SIGNATURE', in: 'header', ...text('A payment of version 2 of x402: base64 of JSON') },
];
