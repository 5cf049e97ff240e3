// Credits and their movements on the wire.

import * as z from 'zod';
import { id, isoTime, success } from '../../http/wire.js';
import { movementTypes } from './ledger.js';

export const balanceQuery = z.lazy(() =>
  z.object({
    fresh: z.boolean().optional().meta({ description: 'Accepted, but has no effect: the balance is always current' }),
  }),
);

export const balanceAnswer = z.lazy(() =>
  z.object({ balance: z.number(), data: z.object({ balance: z.number() }).optional() }),
);

export const transactionsQuery = z.lazy(() =>
  z.object({
    limit: z.int().min(1).max(1_000).default(100),
    hours: z.number().gt(0).max(87_600).optional().meta({ description: 'Number of hours to go back; by default all' }),
  }),
);

const transaction = z.lazy(() =>
  z
    .object({
      id,
      organization_id: id,
      type: z.enum(movementTypes),
      amount: z.number().meta({ description: 'In credits; negative for what was taken' }),
      description: z.string(),
      reason: z.string(),
      price_rule: z.string().nullable(),
      operation: z.string().nullable(),
      request_id: z.string().nullable(),
      subject: z.string().nullable(),
      balance_before: z.number(),
      balance_after: z.number(),
      metadata: z.record(z.string(), z.string()),
      stripe_payment_intent_id: z.null(),
      created_at: isoTime,
    })
    .meta({ id: 'Transaction' }),
);

export const transactionsAnswer = z.lazy(() =>
  z.object({
    transactions: z.array(transaction),
    total: z.int(),
    period: z.object({ start: isoTime, end: isoTime }),
  }),
);

export const summaryAnswer = z.lazy(() =>
  z.object({
    success,
    organization: z.object({
      id,
      name: z.string(),
      creditBalance: z.number(),
      autoTopUpEnabled: z.boolean(),
      autoTopUpThreshold: z.number().nullable(),
      autoTopUpAmount: z.number().nullable(),
      hasPaymentMethod: z.boolean(),
    }),
    agents: z.array(z.unknown()),
    agentsSummary: z.object({ total: z.int() }),
    apps: z.array(z.unknown()),
    earnings: z.object({ total: z.number() }),
    recentTransactions: z.array(
      z.object({ id, type: z.string(), amount: z.number(), description: z.string(), createdAt: isoTime }),
    ),
    pricing: z.object({ creditsPerDollar: z.number(), minimumTopUp: z.number(), x402Enabled: z.boolean() }),
  }),
);
