// The question why a request was answered as it was, and the answer, on the wire.

import * as z from 'zod';
import { historyPoint } from '../history/schema.js';

export const whyAnswer = z.lazy(() =>
  z.object({
    requestId: z.string(),
    status: z.int(),
    errorCode: z.string().nullable(),
    reason: z.string().describe('Why it was answered so, in a few words'),
    certain: z
      .boolean()
      .describe(
        'Whether it was shown that without these points it ends otherwise; false: the history does not hold them',
      ),
    chain: z
      .array(historyPoint.unwrap().extend({ because: z.string().describe('What it has to do with the answer') }))
      .describe('The points that have decided it, the newest first'),
  }),
);

/** Why a request was answered as it was. */
export type WhyAnswer = z.output<typeof whyAnswer>;

export const whyQuestion = z.lazy(() =>
  z.object({
    requestId: z.string().min(1).max(100).optional().describe('The id of the request, or the number of its point'),
    expectation: z
      .string()
      .min(1)
      .max(300)
      .optional()
      .describe('What is not as the scenario expects, instead of a request: `container shop`, `credits spent`'),
  }),
);

/** A request, or what is not as expected. */
export type WhyQuestion = z.input<typeof whyQuestion>;
