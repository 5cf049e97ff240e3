// What a scenario expects of the client.

import * as z from 'zod';
import { operationPattern } from '../../config/names.js';
import { type ErrorCode, errorTable } from '../../core/errors.js';
import { statuses } from '../containers/phases.js';
import { rules } from '../verdicts/rules.js';
import { outcomes } from '../verdicts/verdict.js';

const outcome = z.enum(outcomes);
const verdict = z.union([outcome, z.array(outcome).min(1)]).optional();

const count = z.int().min(0).max(1_000_000);
const credits = z.number().min(0).max(1_000_000_000);
const amount = z.union([
  credits,
  z.strictObject({ min: credits.optional().describe('At least'), max: credits.optional().describe('At most') }),
]);
const status = z.enum([...statuses, 'gone']);

export const expectSchema = z.strictObject({
  verdicts: z
    .strictObject(Object.fromEntries(rules.map(({ id, title }) => [id, verdict.describe(title)])))
    .optional()
    .describe('By rule, where it may not just not fail'),
  requests: z
    .array(
      z.strictObject({
        operation: operationPattern.min(1).max(100).describe('An operation id; `*` is any text: containers.*'),
        status: z
          .union([z.int().min(0).max(599), z.enum(['2xx', '3xx', '4xx', '5xx'])])
          .optional()
          .describe('Only those with this status are counted; 0: those that got no answer'),
        error: z
          .enum(Object.keys(errorTable) as [ErrorCode, ...ErrorCode[]])
          .optional()
          .describe('Only those with this error are counted'),
        count: count.optional().describe('Exactly so many'),
        min: count.optional().describe('1 where neither count nor max is given'),
        max: count.optional().describe('At most so many'),
      }),
    )
    .max(100)
    .optional()
    .describe('How many requests there are in the end'),
  containers: z
    .array(
      z.strictObject({
        project: z.string().min(1).max(100).describe('A project_name; `*` is any text, and each that fits is meant'),
        status: z
          .union([status, z.array(status).min(1)])
          .describe('One, or several of which one is enough; gone: there is none'),
      }),
    )
    .max(100)
    .optional()
    .describe('What containers are in the end'),
  credits: z
    .strictObject({
      balance: amount.optional().describe('What is left'),
      spent: amount.optional().describe('What was charged, less what came back'),
    })
    .optional()
    .describe('Of the organization whose key clients are given'),
});

export type Expectations = z.output<typeof expectSchema>;
export type Amount = z.output<typeof amount>;
