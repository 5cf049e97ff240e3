// A container from the inside: each deployment against its plan, the last log lines, health, and metrics over time.

import * as z from 'zod';
import { toCredits } from '../../core/money.js';
import { iso, isoOrNull } from '../../http/wire.js';
import type { World } from '../../world/world.js';
import { healthAt } from './lifecycle/health.js';
import { wholeStateOf } from './lifecycle/history.js';
import { viewOf } from './lifecycle/lifecycle.js';
import { metricsAt } from './lifecycle/metrics.js';
import { statuses } from './lifecycle/phases.js';
import { phasesOf } from './lifecycle/plan.js';
import type { Deployment, Segment } from './lifecycle/timeline.js';
import { logContextOf } from './logs/lines-store.js';
import { linesAt } from './logs/logs.js';
import type { ContainerRecord } from './store.js';

/** A stretch of a deployment in one status; without `end` it lasts until somebody interferes. */
const stretch = z.lazy(() =>
  z.object({
    status: z.enum(statuses),
    at: z.string().describe('Virtual time, ISO 8601'),
    end: z.string().nullable().describe('null: until somebody interferes'),
    endedBy: z.string().nullable().describe('The intervention that ended it'),
    error: z.string().nullable(),
  }),
);

type Stretch = z.output<typeof stretch>;

const inspectedDeployment = z.lazy(() =>
  z.object({
    id: z.string(),
    number: z.int(),
    image: z.string(),
    startedAt: z.string(),
    cost: z.number().describe('In credits'),
    refundedAt: z.string().nullable(),
    mode: z.string().nullable().describe('The failure mode that it was planned with, or null'),
    progression: z.string(),
    plan: z.array(stretch).describe('As it was planned at its start'),
    course: z.array(stretch).describe('As it went until now, and will go from now on: the last 1,000 stretches'),
  }),
);

export type InspectedDeployment = z.output<typeof inspectedDeployment>;

export const inspection = z.lazy(() =>
  z.object({
    id: z.string(),
    now: z.string(),
    deployments: z.array(inspectedDeployment).describe('The newest first, at most five'),
    logs: z
      .array(z.object({ at: z.string(), level: z.string(), message: z.string() }))
      .describe('The last lines, oldest first'),
    health: z.object({
      status: z.string(),
      checks: z.object({ http: z.string(), memory: z.string(), disk: z.string() }),
      error: z.string().nullable(),
    }),
    metrics: z.object({
      cpuLimit: z.number(),
      memoryLimit: z.number(),
      samples: z
        .array(
          z.object({
            at: z.string(),
            cpu: z.number().describe('Units of CPU'),
            memory: z.number().describe('Megabytes'),
          }),
        )
        .describe('After now: what the plan leads to'),
    }),
    spec: z.object({
      cpu: z.number(),
      memory: z.number(),
      port: z.int(),
      count: z.int(),
      healthPath: z.string(),
      variables: z.array(z.string()).describe('Names of the environment variables'),
    }),
  }),
);

export type Inspection = z.output<typeof inspection>;

const mostDeployments = 5;
const mostStretches = 1_000;
const sampleCount = 80;
const longestWindowMs = 600_000;
// Beyond the last thing that is to come.
const marginMs = 10_000;

/** Looks into a container at an instant. */
export function inspect(world: World, record: ContainerRecord, now: number, tail: number): Inspection {
  const state = wholeStateOf(world.db, record, now);
  const { status, checks, error } = healthAt(state, now);
  const { spec } = state.run.deployment;
  return {
    id: record.id,
    now: iso(now),
    deployments: record.deployments.slice(-mostDeployments).reverse().map(viewDeployment),
    logs: linesAt(state, now, logContextOf(world, record), { tail }).map(({ at, level, message }) => ({
      at: iso(at),
      level,
      message,
    })),
    health: { status, checks, error },
    metrics: { cpuLimit: spec.cpu, memoryLimit: spec.memory, samples: samplesOf(world, record, now) },
    spec: {
      cpu: spec.cpu,
      memory: spec.memory,
      port: spec.port,
      count: spec.desired_count,
      healthPath: spec.health_check_path,
      variables: Object.keys(spec.environment_vars),
    },
  };
}

function viewDeployment(deployment: Deployment): InspectedDeployment {
  const { id, number, spec, plan, cost, startedAt, refundedAt, timeline } = deployment;
  let at = startedAt;
  const planned = phasesOf(plan).map(({ status, ms, error }): Stretch => {
    const start = at;
    at += ms ?? 0;
    return { status, at: iso(start), end: ms === null ? null : iso(at), endedBy: null, error: error ?? null };
  });
  return {
    id,
    number,
    image: spec.ecr_image_uri,
    startedAt: iso(startedAt),
    cost: toCredits(cost),
    refundedAt: isoOrNull(refundedAt),
    mode: plan.mode,
    progression: plan.progression,
    plan: planned,
    course: timeline.slice(-mostStretches).map(viewSegment),
  };
}

function viewSegment({ phase, at, end, endedBy }: Segment): Stretch {
  return {
    status: phase.status,
    at: iso(at),
    end: isoOrNull(end),
    endedBy: endedBy ?? null,
    error: phase.error ?? null,
  };
}

// Metrics follow from the plan: those to come are as good as those that were.
function samplesOf(world: World, { deployments }: ContainerRecord, now: number): Inspection['metrics']['samples'] {
  const latest = deployments.at(-1);
  if (latest === undefined) return [];
  const lastChange = Math.max(now, ...latest.timeline.map(({ at }) => at));
  const until = lastChange + (lastChange > now ? marginMs : 0);
  const from = Math.max(latest.startedAt, now - longestWindowMs);
  const step = Math.max(1, (until - from) / sampleCount);
  return Array.from({ length: sampleCount + 1 }, (_, index) => {
    const at = Math.round(from + index * step);
    const { cpu, memory } = metricsAt(viewOf(deployments, at), at, world.random);
    return { at: iso(at), cpu: cpu.usage, memory: memory.usage };
  });
}
