// Payments with USDC: settings.

import * as z from 'zod';

export const x402 = z.lazy(() =>
  z
    .strictObject({
      versions: z
        .array(z.union([z.literal(1), z.literal(2)]))
        .min(1)
        .default([1, 2])
        .describe('Versions of the payment protocol that are offered and accepted'),
      network: z.enum(['base-sepolia', 'base']).default('base-sepolia').describe('Network of the virtual USDC'),
      payTo: z
        .string()
        .regex(/^0x[0-9a-fA-F]{40}$/)
        .nullable()
        .default(null)
        .describe('Address that receives payments; null: one derived from the seed'),
      challengeAnonymous: z
        .boolean()
        .default(false)
        .describe('Answer requests without credentials with 402 instead of 401, if the operation costs credits'),
      balance: z
        .number()
        .min(0)
        .max(1_000_000_000)
        .default(1_000_000)
        .describe('Initial balance of every wallet, in USDC'),
      maxTimeoutSeconds: z
        .int()
        .min(10)
        .max(86_400)
        .default(300)
        .describe('Validity in seconds that payers are asked for'),
    })
    .prefault({})
    .describe('Payments with USDC (x402)'),
);
