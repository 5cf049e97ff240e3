// Rate limits and quotas: settings.

import * as z from 'zod';
import { duration } from './duration.js';
import { amount } from './money.js';
import { operationId } from './names.js';

const count = z.int().min(0).max(1_000_000_000);
const atLeastOne = z.int().min(1).max(1_000_000_000);

const preset = (limit: number, windowMs: number) =>
  z
    .strictObject({
      limit: atLeastOne.default(limit).describe('Requests in a window'),
      window: duration.default(windowMs).describe('How long a window is: "90s", "10m" or milliseconds'),
    })
    .prefault({});

const quota = z.tuple([count, count, count, count]);

export const rateLimits = z.lazy(() =>
  z
    .strictObject({
      enabled: z.boolean().default(true).describe('Whether requests beyond a limit are refused'),
      multiplier: z.number().min(0.001).max(1_000_000).default(1).describe('What every limit is multiplied by'),
      perKey: atLeastOne.default(1_000).describe('Requests a minute of a key that has no limit of its own'),
      presets: z
        .strictObject({
          STANDARD: preset(60, 60_000).describe('The usual limit'),
          STRICT: preset(10, 60_000).describe('Of what is easily abused'),
          RELAXED: preset(200, 60_000).describe('Of what is asked often'),
          CRITICAL: preset(5, 300_000).describe('Of what costs much'),
          BURST: preset(10, 1_000).describe('Of what comes all at once'),
          AGGRESSIVE: preset(100, 60_000).describe('Of what is polled'),
        })
        .prefault({})
        .describe('How many requests each preset allows'),
      operations: z
        .record(operationId, z.enum(['STANDARD', 'STRICT', 'RELAXED', 'CRITICAL', 'BURST', 'AGGRESSIVE', 'none']))
        .default({})
        .describe('A preset per operation id, over the declared one'),
      mode: z
        .enum(['shared', 'plans'])
        .default('shared')
        .describe('plans: the organization’s plan bounds all requests of a key, too'),
      plans: z
        .strictObject({
          free: z.int().min(1).default(60).describe('Of the plan free'),
          pro: z.int().min(1).default(300).describe('Of the plan pro'),
          enterprise: z.int().min(1).default(3_000).describe('Of the plan enterprise'),
        })
        .prefault({})
        .describe('Requests a minute by plan'),
      resetFormat: z.enum(['iso', 'unix']).default('iso').describe('How X-RateLimit-Reset says the time'),
      policy: z
        .string()
        .regex(/^[\x20-\x7e]{1,40}$/)
        .default('in-memory')
        .describe('The label in X-RateLimit-Policy'),
    })
    .prefault({})
    .describe('Requests in a window, and what becomes of more'),
);

export const quotas = z.lazy(() =>
  z
    .strictObject({
      enabled: z.boolean().default(true).describe('Whether what is beyond a quota is refused'),
      tiers: z.tuple([amount, amount, amount]).default([1, 10, 100]).describe('Balances at which the next tier begins'),
      containers: quota.default([1, 5, 25, 100]).describe('Containers in each tier'),
      agents: quota.default([5, 20, 100, 500]).describe('Agents in each tier'),
    })
    .prefault({})
    .describe('How many containers and agents an organization may have, by its balance'),
);
