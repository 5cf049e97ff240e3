// A consequence of a fault: what a client did, how bad it is, and what to do about it.

import * as z from 'zod';
import { holdingKinds } from '../scenarios/holdings-store.js';

/**
 * A: it spent more, created twice, left something over, or destroyed something. B: it hung, or sent far more requests. C: a
 * verdict fails that passes without the fault, or nobody noticed the fault. D: it failed with an error other than the
 * platform's. E: it failed with the platform's.
 */
export const grades = ['A', 'B', 'C', 'D', 'E'] as const;
export type Grade = (typeof grades)[number];

export const consequence = z.object({
  grade: z.enum(grades),
  kind: z
    .string()
    .describe(
      'Equal for consequences of the same kind: `spent`, `twice agent`, `destroyed container`, `verdict backoff-grows`',
    ),
  says: z.string().describe('What the client did, for a person'),
  advice: z.string().describe('What to do about it'),
  cost: z.number().exactOptional().describe('Credits, where it is about money'),
  things: z
    .array(z.object({ kind: z.enum(holdingKinds), name: z.string() }))
    .exactOptional()
    .describe('The containers, agents, keys, documents, voices, sessions or hosted agents that it is about'),
});

export type Consequence = z.output<typeof consequence>;
