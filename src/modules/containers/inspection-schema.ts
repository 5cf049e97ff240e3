// The shape of a container seen from the inside.

import * as z from 'zod';
import { statuses } from './phases.js';

const stretch = z.object({
  status: z.enum(statuses),
  at: z.string(),
  end: z.string().nullable().describe('null: until somebody interferes'),
  endedBy: z.string().nullable().describe('The intervention that ended it'),
  error: z.string().nullable(),
});

export const inspection = z.object({
  id: z.string(),
  now: z.string(),
  deployments: z.array(
    z.object({
      id: z.string(),
      number: z.int(),
      image: z.string(),
      startedAt: z.string(),
      cost: z.number(),
      refundedAt: z.string().nullable(),
      mode: z.string().nullable(),
      progression: z.string(),
      plan: z.array(stretch).describe('As it was planned at its start'),
      course: z.array(stretch).describe('As it went until now, and will go from now on'),
    }),
  ),
  logs: z.array(z.object({ at: z.string(), level: z.string(), message: z.string() })),
  health: z.object({
    status: z.string(),
    checks: z.object({ http: z.string(), memory: z.string(), disk: z.string() }),
    error: z.string().nullable(),
  }),
  metrics: z.object({
    cpuLimit: z.number(),
    memoryLimit: z.number(),
    samples: z.array(z.object({ at: z.string(), cpu: z.number(), memory: z.number() })),
  }),
  spec: z.object({
    cpu: z.number(),
    memory: z.number(),
    port: z.int(),
    count: z.int(),
    healthPath: z.string(),
    variables: z.array(z.string()).describe('Names of the environment variables'),
  }),
});
