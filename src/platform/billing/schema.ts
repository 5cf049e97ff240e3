// The wire shapes of billing.

import * as z from 'zod';
import { id, isoTime, success } from '../../http/wire.js';
import { mostMovements } from '../credits/store.js';

const resourceType = z.enum(['container', 'agent_sandbox']);

/** The amounts, in dollars, that automatic top-ups may have. */
export const topUpLimits = { minAmount: 1, maxAmount: 1_000, minThreshold: 0, maxThreshold: 1_000 } as const;

export const activeAnswer = z.lazy(() =>
  z.object({
    success,
    resources: z.array(
      z.object({
        resourceType,
        resourceId: id,
        name: z.string(),
        status: z.string(),
        billingStatus: z.string(),
        unitPrice: z.number().meta({ description: 'In credits per billingInterval; 0: nothing is billed' }),
        billingInterval: z.enum(['day', 'hour']),
        lastBilledAt: isoTime.nullable(),
        nextBillingAt: isoTime.nullable(),
        estimatedNextBillingAt: isoTime.nullable(),
        totalBilled: z.number(),
        cancelEndpoint: z.string().meta({ description: 'The path that stops it' }),
        cancelAction: z.enum(['stop', 'suspend_billing']),
        metadata: z.record(z.string(), z.unknown()),
      }),
    ),
    totalActive: z.int(),
    estimatedDailyCost: z.number().meta({ description: 'In credits' }),
  }),
);

export const ledgerQuery = z.lazy(() =>
  z.object({
    limit: z.int().min(1).max(500).default(50),
    offset: z
      .int()
      .min(0)
      .max(mostMovements)
      .default(0)
      .meta({ description: 'So many of the newest are left out; older movements are not reached' }),
  }),
);

export const ledgerAnswer = z.lazy(() =>
  z.object({
    success,
    ledger: z.array(
      z.object({
        id,
        amount: z.number().meta({ description: 'In credits; negative for what was taken' }),
        type: z.string(),
        description: z.string(),
        createdAt: isoTime,
        source: z.literal('credit_transaction'),
        resourceType: z.enum(['container', 'agent_sandbox', 'credits', 'usage', 'unknown']),
        resourceId: z.string().nullable().meta({ description: 'null: there is none, or it was deleted' }),
        metadata: z.record(z.string(), z.string()),
      }),
    ),
    total: z.int().meta({ description: 'Number of all entries' }),
  }),
);

export const cancelParams = z.lazy(() => z.object({ id: z.string().meta({ format: 'uuid' }) }));

export const cancelQuery = z.lazy(() => z.object({ resourceType: resourceType.optional() }));

export const cancelBody = z.lazy(() =>
  z.object({
    resourceType: resourceType.optional().meta({ description: 'As in the query; by default what has the id' }),
    mode: z.enum(['stop', 'delete']).default('stop'),
  }),
);

export const cancelAnswer = z.lazy(() =>
  z.object({
    success,
    resourceType,
    resourceId: id,
    action: z.enum(['stop', 'delete', 'suspend_billing']),
    status: z.string().meta({ description: 'What it has become' }),
    message: z.string(),
  }),
);

const { minAmount, maxAmount, minThreshold, maxThreshold } = topUpLimits;

export const settingsBody = z.lazy(() =>
  z.object({
    autoTopUp: z
      .object({
        enabled: z.boolean().optional(),
        amount: z.number().min(minAmount).max(maxAmount).optional().meta({ description: 'Dollars' }),
        threshold: z.number().min(minThreshold).max(maxThreshold).optional().meta({ description: 'Dollars' }),
      })
      .optional(),
    payAsYouGoFromEarnings: z.boolean().optional(),
  }),
);

const settings = z.lazy(() =>
  z.object({
    autoTopUp: z.object({
      enabled: z.boolean(),
      amount: z.number(),
      threshold: z.number(),
      hasPaymentMethod: z.boolean().meta({ description: 'Whether somebody has paid a checkout' }),
    }),
    payAsYouGoFromEarnings: z.boolean(),
    limits: z.object({
      minAmount: z.number(),
      maxAmount: z.number(),
      minThreshold: z.number(),
      maxThreshold: z.number(),
    }),
  }),
);

export const settingsAnswer = z.lazy(() =>
  z.object({ success, message: z.string().optional().meta({ description: 'After a change' }), settings }),
);
