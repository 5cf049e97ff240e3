// Rate limits and quotas: settings.

import * as z from 'zod';
import { duration } from '../core/duration-schemas.js';
import { amount } from './money.js';
import { operationId } from './names.js';

const count = z.int().min(0).max(1_000_000_000);
const atLeastOne = z.int().min(1).max(1_000_000_000);

const preset = (limit: number, windowMs: number) =>
  z
    .strictObject({
      limit: atLeastOne.default(limit).describe('Number of requests per window'),
      window: duration.default(windowMs).describe('Length of a window: "90s", "10m" or milliseconds'),
    })
    .prefault({});

const quota = z.tuple([count, count, count, count]);

export const rateLimits = z.lazy(() =>
  z
    .strictObject({
      enabled: z.boolean().default(true).describe('Reject requests beyond a limit'),
      multiplier: z.number().min(0.001).max(1_000_000).default(1).describe('Factor by which every limit is multiplied'),
      perKey: atLeastOne.default(1_000).describe('Requests per minute for keys without a limit of their own'),
      perAddress: atLeastOne
        .nullable()
        .default(null)
        .describe('Requests per minute of an address, whatever keys they carry; null: no limit'),
      presets: z
        .strictObject({
          STANDARD: preset(60, 60_000).describe('For most operations'),
          STRICT: preset(10, 60_000).describe('For operations that are easily abused'),
          RELAXED: preset(200, 60_000).describe('For operations that are called often'),
          CRITICAL: preset(5, 300_000).describe('For expensive operations'),
          BURST: preset(10, 1_000).describe('For operations that are called in bursts'),
          AGGRESSIVE: preset(100, 60_000).describe('For operations that are polled'),
        })
        .prefault({})
        .describe('Number of requests that each preset allows'),
      operations: z
        .record(operationId, z.enum(['STANDARD', 'STRICT', 'RELAXED', 'CRITICAL', 'BURST', 'AGGRESSIVE', 'none']))
        .default({})
        .describe('Preset by operation id, in place of the declared one'),
      mode: z
        .enum(['shared', 'plans'])
        .default('shared')
        .describe('plans: the organization’s plan also limits all requests of a key together'),
      plans: z
        .strictObject({
          free: z.int().min(1).default(60).describe('Requests per minute on the free plan'),
          pro: z.int().min(1).default(300).describe('Requests per minute on the pro plan'),
          enterprise: z.int().min(1).default(3_000).describe('Requests per minute on the enterprise plan'),
        })
        .prefault({})
        .describe('Requests per minute by plan'),
      resetFormat: z.enum(['iso', 'unix']).default('iso').describe('Format of X-RateLimit-Reset'),
      policy: z
        .string()
        .regex(/^[\x20-\x7e]{1,40}$/)
        .default('in-memory')
        .describe('Value of the X-RateLimit-Policy header'),
    })
    .prefault({})
    .describe('Limits on the number of requests per window'),
);

export const quotas = z.lazy(() =>
  z
    .strictObject({
      enabled: z.boolean().default(true).describe('Reject containers and agents beyond a quota'),
      tiers: z
        .tuple([amount, amount, amount])
        .default([1, 10, 100])
        .describe('Balances at which the second, third and fourth tier begin'),
      containers: quota.default([1, 5, 25, 100]).describe('Number of containers in each tier'),
      agents: quota.default([5, 20, 100, 500]).describe('Number of agents in each tier'),
    })
    .prefault({})
    .describe('Number of containers and agents that an organization may have, by its balance'),
);
