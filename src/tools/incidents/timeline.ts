// The timeline of a recording over that of its proof: what came then, and what comes in the scenario.

import * as z from 'zod';
import { iso } from '../../http/wire.js';
import type { Difference } from './compare.js';
import { type Exchange, isWrite } from './exchange.js';

export const step = z.lazy(() =>
  z.object({
    entry: z.int().describe('The number of the entry of the recording, from 0'),
    at: z.string().describe('When the platform acted, by its own clock'),
    ms: z.number().describe('How long the client waited'),
    caller: z.string(),
    method: z.string(),
    operation: z.string().nullable(),
    status: z.int().describe('0: no answer came'),
    came: z.string().nullable().describe('What comes in the scenario instead; null: the same'),
  }),
);

/** A request of the recording, and of the proof. */
export type Step = z.output<typeof step>;

const mostSteps = 200;

/** The steps of a recording: of a long one only writes, failures, and what comes otherwise. */
export function stepsOf(exchanges: readonly Exchange[], differences: readonly Difference[]): Step[] {
  const others = new Map(differences.map((one) => [one.entry, one]));
  const tells = (one: Exchange): boolean =>
    isWrite(one) || one.status === 0 || one.status >= 400 || others.has(one.index);
  const told = exchanges.length <= mostSteps ? exchanges : exchanges.filter(tells).slice(0, mostSteps);
  return told.map(({ index, actedAt, ms, caller, method, operation, status }) => {
    const other = others.get(index);
    const came = other === undefined ? null : `${other.came} instead of ${other.recorded}`.slice(0, 300);
    return { entry: index, at: iso(Math.round(actedAt)), ms: Math.round(ms), caller, method, operation, status, came };
  });
}
