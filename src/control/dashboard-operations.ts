// The control operation of the timeline.

import * as z from 'zod';
import { aheadKinds, entryKinds, timelineQuery, tones } from '../modules/dashboard/timeline.js';
import { type ControlOperation, control } from './operation.js';

const shown = {
  id: z.string(),
  at: z.string().describe('Virtual time, ISO 8601'),
  title: z.string().describe('What happened, in a line'),
  result: z.string().describe('The status, state or amount that came of it'),
  tone: z.enum(tones),
  subject: z.string().nullable().describe('The id of what it concerns'),
};

const timeline = z.object({
  now: z.string(),
  entries: z.array(
    z.object({
      kind: z.enum(entryKinds),
      ...shown,
      detail: z.string().nullable(),
      requestId: z.string().nullable(),
      fault: z.string().nullable().describe('The fault rule that fired'),
      durationMs: z.number().nullable(),
    }),
  ),
  hasOlder: z.boolean(),
  cursor: z.string().describe('For `after`: what this answer holds'),
  ahead: z.array(z.object({ kind: z.enum(aheadKinds), ...shown })).describe('What is still to come, earliest first'),
});

export const dashboardOperations: readonly ControlOperation[] = [
  control({
    id: 'control.timeline',
    method: 'GET',
    path: '/_emulator/timeline',
    summary: 'Show what happened and what is still to come: requests, containers, jobs, credits, clock, expiries',
    query: timelineQuery,
    response: timeline,
    act: (controls, { query }) => controls.timeline(query),
  }),
];
