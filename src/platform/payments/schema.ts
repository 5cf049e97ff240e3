// Top-ups and the facilitator on the wire.

import * as z from 'zod';
import { id, success } from '../../http/wire.js';

const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, { message: 'must be an EVM address: 0x and 40 hex digits' })
  .meta({ example: '0x7e5F4552091A69125d5dfCb7b8C2659029395Bdf' });
const tracked = z.string().max(200).optional().meta({ description: 'Accepted, but has no effect' });

/** The body and the query of a top-up: either may say it. */
export const topUpFields = z.lazy(() =>
  z.object({
    walletAddress: address
      .optional()
      .meta({ description: 'Wallet whose organization gets the credits; not needed with wallet headers' }),
    ref: tracked,
    referral_code: tracked,
    appOwnerId: tracked,
  }),
);

export const topUpAnswer = z.lazy(() =>
  z.object({
    success,
    amount: z.number(),
    walletAddress: address,
    organizationId: id,
    newBalance: z.number(),
    message: z.string(),
  }),
);

const document = (description: string) => z.record(z.string(), z.unknown()).meta({ description });

export const facilitatorBody = z.lazy(() =>
  z.object({
    x402Version: z.int().optional(),
    paymentPayload: document('What X-PAYMENT or PAYMENT-SIGNATURE holds, decoded'),
    paymentRequirements: document('The entry of accepts[] that it pays'),
  }),
);

export const supportedAnswer = z.lazy(() =>
  z.object({
    success,
    kinds: z.array(z.object({ x402Version: z.int(), scheme: z.string(), network: z.string() })),
    extensions: z.array(z.string()),
    signers: z.record(z.string(), z.array(z.string())),
    version: z.string(),
  }),
);

export const verifyAnswer = z.lazy(() => z.object({ isValid: z.literal(true), payer: z.string() }));
export const settleAnswer = z.lazy(() =>
  z.object({
    success,
    transaction: z.string(),
    network: z.string(),
    payer: z.string(),
  }),
);

const payer = z.string().optional();
/** Errors of the facilitator beside those of verifying and settling. */
export const notVerified = z
  .lazy(() => z.object({ isValid: z.literal(false), invalidReason: z.string(), payer }).loose())
  .meta({ id: 'NotVerified' });
export const notSettled = z
  .lazy(() => z.object({ transaction: z.literal(''), network: z.literal(''), errorReason: z.string(), payer }).loose())
  .meta({ id: 'NotSettled' });
