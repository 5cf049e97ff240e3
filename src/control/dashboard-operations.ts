// The control operation of the timeline.

import * as z from 'zod';
import { statuses } from '../modules/containers/phases.js';
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

const stretch = z.object({
  status: z.enum(statuses),
  at: z.string(),
  end: z.string().nullable().describe('null: until somebody interferes'),
  endedBy: z.string().nullable().describe('The intervention that ended it'),
  error: z.string().nullable(),
});

const inspection = z.object({
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
  control({
    id: 'control.containers.inspect',
    method: 'GET',
    path: '/_emulator/containers/{id}/inspect',
    summary: 'Show a container from the inside: deployments against their plan, log, health, metrics over time',
    params: z.object({ id: z.string().describe('The container’s id or project_name') }),
    query: z.object({ tail: z.int().min(1).max(1_000).optional().describe('Number of log lines; 200 by default') }),
    errors: ['NOT_FOUND'],
    response: inspection,
    act: (controls, { params, query }) => controls.containers.inspect(params.id, query),
  }),
];
