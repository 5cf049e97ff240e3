// The wire shapes of purchases of credits.

import * as z from 'zod';
import { success } from '../../http/wire.js';

const url = z.string().min(1).max(2_000).meta({ format: 'uri' });
const amount = z.number().min(1).max(1_000).multipleOf(0.01);

export const checkoutBody = z.lazy(() =>
  z
    .object({
      credits: amount.optional().meta({ description: 'Dollars; this or amountUsd is required' }),
      amountUsd: amount.optional().meta({ description: 'The same, as newer clients name it' }),
      success_url: url.meta({ description: 'Where the browser goes after the payment, with session_id added' }),
      cancel_url: url.meta({ description: 'Where the browser goes without one' }),
      agent_id: z.uuid().optional(),
    })
    .check(({ value, issues }) => {
      const { credits, amountUsd } = value;
      if (credits === undefined && amountUsd === undefined)
        issues.push({ code: 'custom', input: credits, path: ['credits'], message: 'is required' });
      else if (credits !== undefined && amountUsd !== undefined && credits !== amountUsd)
        issues.push({ code: 'custom', input: credits, path: ['credits'], message: 'must equal amountUsd' });
    }),
);

export const checkoutAnswer = z.lazy(() =>
  z.object({
    url: z.string().meta({ description: 'The page on which a person pays' }),
    sessionId: z.string(),
  }),
);

export const sessionId = z.string().min(1).max(200);

export const verifyQuery = z.lazy(() => z.object({ session_id: sessionId }));

export const verifyAnswer = z.lazy(() =>
  z.union([
    z.object({ success, amount: z.number().meta({ description: 'Dollars' }), message: z.string() }),
    z.object({ success: z.literal(false), error: z.string(), status: z.literal('unpaid') }),
  ]),
);

export const pageParams = z.lazy(() => z.object({ sessionId }));

export const paidAnswer = z.lazy(() =>
  z.object({
    success,
    sessionId: z.string(),
    status: z.literal('paid'),
    successUrl: z.string().meta({ description: 'Where a browser is led' }),
  }),
);
