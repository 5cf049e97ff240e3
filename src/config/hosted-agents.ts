// Hosted agents: settings of their tier, of the time that their jobs take, and of what an hour costs.

import * as z from 'zod';
import { duration } from '../core/duration-schemas.js';
import { timingNames } from './deployment.js';

/** The names of the machine that an emulator runs on, for one that runs in a container. */
const machine =
  /^(?:(?:.+\.)?localhost|127(?:\.\d{1,3}){3}|\[::1\]|host\.docker\.internal|host\.containers\.internal)$/;

const localUrl = z
  .url({ protocol: /^https?$/ })
  .refine(
    (url) => !URL.canParse(url) || machine.test(new URL(url).hostname),
    'must be a URL of this machine: http://127.0.0.1:3000',
  );

const usd = z.number().min(0).max(1_000);

export const hostedAgents = z.lazy(() =>
  z
    .strictObject({
      tier: z
        .enum(['shared', 'dedicated'])
        .default('shared')
        .describe('Tier of new agents that ask for nothing special: shared, which run at once, or dedicated'),
      timing: z
        .enum(timingNames)
        .nullable()
        .default(null)
        .describe(
          'Duration of the jobs of agents: none (instant), 9 s to provision (fast), or 90 s (realistic); null: the same as containers.timing, if that is a name',
        ),
      upstreams: z
        .record(z.string().min(1).max(100), z.union([z.int().min(1).max(65_535), localUrl]))
        .default({})
        .describe(
          'Local port or URL of a process of your own that answers for an agent, by agentName: its bridge, its streams and its own API',
        ),
      upstreamTimeout: duration
        .default(60_000)
        .describe('Wall time that such a process may take to begin its response, and between two pieces of it'),
      failure: z
        .string()
        .min(1)
        .max(100)
        .nullable()
        .default(null)
        .describe('Failure mode of the jobs of agents that name none; null: none'),
      allowedImages: z
        .array(z.string().min(1).max(512))
        .max(100)
        .default(['*'])
        .describe('Images that dockerImage may name; `*` matches any text'),
      requireDigest: z.boolean().default(false).describe('Refuse a dockerImage without a digest (`@sha256:…`)'),
      warmPool: z
        .int()
        .min(0)
        .max(100)
        .default(0)
        .describe('Number of dedicated agents that run as soon as they are created; each place is filled again later'),
      price: z
        .enum(['required', 'optional'])
        .default('optional')
        .describe(
          'Whether a request that starts a dedicated agent must confirm the price in X-Eliza-Dedicated-Price, or may leave it out',
        ),
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
