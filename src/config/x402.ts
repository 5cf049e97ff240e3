// Payments with USDC: settings.

import * as z from 'zod';

export const x402 = z.lazy(() =>
  z
    .strictObject({
      versions: z
        .array(z.union([z.literal(1), z.literal(2)]))
        .min(1)
        .default([1, 2])
        .describe('The versions of the payment protocol that are offered and taken'),
      network: z.enum(['base-sepolia', 'base']).default('base-sepolia').describe('Where the virtual USDC lie'),
      payTo: z
        .string()
        .regex(/^0x[0-9a-fA-F]{40}$/)
        .nullable()
        .default(null)
        .describe('The address that is paid; null: one that follows from the seed'),
      challengeAnonymous: z
        .boolean()
        .default(false)
        .describe('What costs credits answers 402 instead of 401 where nobody says who he is'),
      balance: z
        .number()
        .min(0)
        .max(1_000_000_000)
        .default(1_000_000)
        .describe('The USDC that every wallet begins with'),
      maxTimeoutSeconds: z.int().min(10).max(86_400).default(300).describe('How long a payment may be valid'),
    })
    .prefault({})
    .describe('Payments with USDC (x402)'),
);
