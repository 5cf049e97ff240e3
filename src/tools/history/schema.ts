// The history of a world on the wire: its points, and what each changed.

import * as z from 'zod';
import { pointKinds } from '../../db/history-entry.js';

export const historyPoint = z.lazy(() =>
  z.object({
    point: z.int().describe('Its number, from 1 on'),
    kind: z
      .enum(pointKinds)
      .describe(
        'request: of a client; fault: a fault rule was counted; effect: something was due, such as a refund; clock: a jump, a freeze; control: an operation of the control plane; restore: other data were put in',
      ),
    requestId: z.string().nullable().describe('The request that it belongs to'),
    at: z.string().describe('Virtual time at its end, ISO 8601'),
    summary: z.string().describe('What happened, in a few words'),
  }),
);

/** Something that changed a world. */
export type HistoryPoint = z.output<typeof historyPoint>;

export const historyPage = z.lazy(() =>
  z.object({
    points: z.array(historyPoint).describe('The oldest first'),
    first: z.int().nullable().describe('The oldest point that is kept; null: there is none'),
    last: z.int().nullable().describe('The newest one'),
  }),
);

export type HistoryPage = z.output<typeof historyPage>;

export const historyQuery = z.lazy(() =>
  z.object({
    after: z.int().min(0).optional().describe('Only points after this one'),
    before: z.int().min(1).optional().describe('Only points before this one'),
    kind: z.enum(pointKinds).optional().describe('Only points of this kind'),
    limit: z
      .int()
      .min(1)
      .max(250)
      .default(50)
      .describe('Maximum number of points: the first of those after `after`, else the newest'),
  }),
);

export type HistoryQuery = z.input<typeof historyQuery>;

const row = z.record(z.string(), z.unknown()).nullable();

export const pointChange = z.lazy(() =>
  z.object({
    table: z.string(),
    key: z.string().describe('Its primary key'),
    before: row.describe('The fields that differ; null: there was no such row'),
    after: row.describe('The fields that differ; null: the row is gone'),
    words: z.string().describe('The change in a few words'),
  }),
);

export const worldState = z.lazy(() =>
  z.object({
    now: z.string(),
    frozen: z.boolean(),
    organizations: z.array(z.object({ id: z.string(), name: z.string(), credits: z.number() })),
    containers: z.array(
      z.object({ id: z.string(), name: z.string(), status: z.string(), nextTransitionAt: z.string().nullable() }),
    ),
    hostedAgents: z.array(
      z.object({ id: z.string(), name: z.string(), status: z.string(), nextTransitionAt: z.string().nullable() }),
    ),
    limits: z
      .array(z.object({ caller: z.string(), bucket: z.string(), used: z.int() }))
      .describe('The windows of callers that have not ended'),
    faults: z.array(z.object({ id: z.string(), seen: z.int(), hits: z.int() })),
  }),
);

/** A world as it was. */
export type WorldState = z.output<typeof worldState>;

export const historyDetails = z.lazy(() =>
  historyPoint.unwrap().extend({
    changes: z.array(pointChange),
    state: worldState.exactOptional().describe('The world as it was after it, if that was asked for'),
  }),
);

/** A point with what it changed. */
export type HistoryDetails = z.output<typeof historyDetails>;
