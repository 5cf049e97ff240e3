// Hosted agents: settings of their tier, of the time that their jobs take, and of what an hour costs.

import * as z from 'zod';

const usd = z.number().min(0).max(1_000);

export const hostedAgents = z.lazy(() =>
  z
    .strictObject({
      tier: z
        .enum(['shared', 'dedicated'])
        .default('shared')
        .describe('Tier of new agents that ask for nothing special: shared, which run at once, or dedicated'),
      timing: z
        .enum(['instant', 'fast', 'realistic'])
        .default('fast')
        .describe('Duration of the jobs of agents: none (instant), 9 s to provision (fast), or 90 s (realistic)'),
      failure: z
        .string()
        .min(1)
        .max(100)
        .nullable()
        .default(null)
        .describe('Failure mode of the jobs of agents that name none; null: none'),
      images: z
        .array(z.string().min(1).max(512))
        .max(100)
        .default(['*'])
        .describe('Images that dockerImage may name; `*` matches any text'),
      runningHour: usd.default(0.15).describe('Price of an hour of a dedicated agent that runs'),
      idleHour: usd.default(0.0025).describe('Price of an hour of a dedicated agent that is stopped or sleeps'),
      firstHours: z
        .int()
        .min(1)
        .max(720)
        .default(2)
        .describe('Hours that are charged when a dedicated agent first runs, and that a start requires in credits'),
      lowCredit: usd.default(2).describe('Balance below which lists of agents warn of low credits'),
    })
    .prefault({})
    .describe('Hosted agents'),
);
