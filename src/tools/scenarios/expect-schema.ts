// The expectations of a scenario of the client.

import * as z from 'zod';
import { operationPattern } from '../../config/names.js';
import { durationUpTo } from '../../core/duration-schemas.js';
import { type ErrorCode, errorTable } from '../../core/errors.js';
import { statuses } from '../../platform/containers/lifecycle/phases.js';
import { agentStatuses, jobTypes } from '../../platform/hosted-agents/store.js';
import { allJobStatuses } from '../../platform/jobs/named.js';
import { rules } from '../verdicts/rules.js';
import { outcomes } from '../verdicts/verdict.js';
import { holdingKinds } from './holdings-store.js';

const outcome = z.enum(outcomes);
const verdict = z.lazy(() => z.union([outcome, z.array(outcome).min(1)]).optional());

const count = z.int().min(0).max(1_000_000);
const credits = z.number().min(0).max(1_000_000_000);
const amount = z.lazy(() =>
  z.union([
    credits,
    z.strictObject({ min: credits.optional().describe('At least'), max: credits.optional().describe('At most') }),
  ]),
);
const status = z.enum([...statuses, 'gone']);

const counts = {
  count: count.optional().describe('Exact number'),
  min: count.optional().describe('Minimum; by default 1 if neither count nor max is given'),
  max: count.optional().describe('Maximum'),
  orFails: z
    .boolean()
    .optional()
    .describe('It also holds where the command of `cloudemu run` fails with the error of a fault'),
};

const agentStatus = z.enum([...agentStatuses, 'gone']);
const hostedAgent = z.lazy(() =>
  z.strictObject({
    name: z.string().min(1).max(100).describe('A name; `*` matches any text; applies to every match'),
    status: z
      .union([agentStatus, z.array(agentStatus).min(1)])
      .describe('A status, or a list of statuses any of which is enough; gone: the agent does not exist'),
  }),
);

const jobStatus = z.enum(allJobStatuses);
const job = z.lazy(() =>
  z.strictObject({
    type: z
      .enum(['voice_clone', ...jobTypes])
      .optional()
      .describe('What they do; by default anything'),
    name: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('A name of a hosted agent or voice; `*` matches any text; by default any'),
    status: z
      .union([jobStatus, z.array(jobStatus).min(1)])
      .optional()
      .describe('Count only jobs with this status, or one of several'),
    ...counts,
  }),
);

export const expectSchema = z.lazy(() =>
  z.strictObject({
    verdicts: z
      .strictObject(Object.fromEntries(rules.map(({ id, title }) => [id, verdict.describe(title)])))
      .optional()
      .describe('Required verdict by rule; by default a rule only must not fail'),
    requests: z
      .array(
        z.strictObject({
          operation: operationPattern.min(1).max(100).describe('Operation id; `*` matches any text: containers.*'),
          status: z
            .union([z.int().min(0).max(599), z.enum(['2xx', '3xx', '4xx', '5xx'])])
            .optional()
            .describe('Count only requests with this status; 0: without a response'),
          error: z
            .enum(Object.keys(errorTable) as [ErrorCode, ...ErrorCode[]])
            .optional()
            .describe('Count only requests with this error'),
          ...counts,
        }),
      )
      .max(100)
      .optional()
      .describe('Number of requests at the end'),
    holdings: z
      .array(
        z.strictObject({
          kind: z.enum(holdingKinds).describe('The kind of thing; keys and sessions count while they are valid'),
          name: z
            .string()
            .min(1)
            .max(200)
            .optional()
            .describe('A name, of a container its project; `*` matches any text; by default any'),
          ...counts,
        }),
      )
      .max(100)
      .optional()
      .describe('What all organizations have at the end'),
    containers: z
      .array(
        z.strictObject({
          project: z.string().min(1).max(100).describe('A project_name; `*` matches any text; applies to every match'),
          status: z
            .union([status, z.array(status).min(1)])
            .describe('A status, or a list of statuses any of which is enough; gone: the container does not exist'),
        }),
      )
      .max(100)
      .optional()
      .describe('Containers at the end'),
    hostedAgents: z.array(hostedAgent).max(100).optional().describe('Hosted agents at the end'),
    jobs: z.array(job).max(100).optional().describe('Number of jobs, those that have ended too, at the end'),
    credits: z
      .strictObject({
        balance: amount.optional().describe('Balance at the end'),
        operation: operationPattern
          .min(1)
          .max(100)
          .optional()
          .describe('Operation id; `*` matches any text: spent, charged and paid count only what such operations cost'),
        spent: amount.optional().describe('Charges minus refunds; credits that were bought do not count'),
        charged: amount
          .optional()
          .describe(
            'Charges of the requests of all organizations; only what failed or was not used counts as returned',
          ),
        paid: amount.optional().describe('Dollars that were paid, in USDC of whichever wallet and by card'),
      })
      .optional()
      .describe('Credits of the seeded organization at the end'),
  }),
);

/** The expectations of the scenario of `cloudemu run` of the command. */
export const commandExpectation = z.lazy(() =>
  z.strictObject({
    within: durationUpTo(3_600_000, 'an hour', 1).optional().describe('Time in which it must end; then it is killed'),
    mayFailWithFault: z
      .boolean()
      .optional()
      .describe('It may fail where what it prints shows the error of a fault of this scenario, and nothing worse'),
    worldPerTest: z
      .boolean()
      .optional()
      .describe('Each test of node:test, pytest and unittest gets a world of its own, without a fixture'),
  }),
);

export type Expectations = z.output<typeof expectSchema>;
export type Amount = z.output<typeof amount>;
