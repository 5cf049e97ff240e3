// A container from the inside: each deployment against its plan, the last log lines, health, and metrics over time.

import { toCredits } from '../../core/money.js';
import { iso, isoOrNull } from '../../http/wire.js';
import type { World } from '../../world/world.js';
import { type Health, healthAt } from './health.js';
import { containerAt } from './lifecycle.js';
import { linesAt } from './logs.js';
import { metricsAt } from './metrics.js';
import type { Status } from './phases.js';
import { phasesOf } from './plan.js';
import { stateOf } from './state.js';
import type { ContainerRecord } from './store.js';
import { type Deployment, type Segment, timelineOf } from './timeline.js';
import { logContextOf } from './written-lines.js';

/** A stretch of a deployment in one status; without `end` it lasts until somebody interferes. */
export interface Stretch {
  status: Status;
  /** Virtual time, ISO 8601. */
  at: string;
  end: string | null;
  /** The intervention that ended it. */
  endedBy: string | null;
  error: string | null;
}

export interface InspectedDeployment {
  id: string;
  number: number;
  image: string;
  startedAt: string;
  /** Credits. */
  cost: number;
  refundedAt: string | null;
  /** The failure mode that it was planned with, or null. */
  mode: string | null;
  progression: string;
  /** As it was planned at its start. */
  plan: Stretch[];
  /** As it went until now, and will go from now on. */
  course: Stretch[];
}

/** The metrics at an instant; after now they are what the plan leads to. */
export interface Sample {
  at: string;
  /** Units of CPU. */
  cpu: number;
  /** Megabytes. */
  memory: number;
}

export interface Inspection {
  id: string;
  now: string;
  /** The newest first, at most five. */
  deployments: InspectedDeployment[];
  /** The last lines, oldest first. */
  logs: { at: string; level: string; message: string }[];
  health: { status: string; checks: Health['checks']; error: string | null };
  metrics: { cpuLimit: number; memoryLimit: number; samples: Sample[] };
  /** What it is deployed with; values of variables are not shown. */
  spec: { cpu: number; memory: number; port: number; count: number; healthPath: string; variables: string[] };
}

const mostDeployments = 5;
const sampleCount = 80;
const longestWindowMs = 600_000;
// Beyond the last thing that is to come.
const marginMs = 10_000;

/** Looks into a container at an instant. */
export function inspect(world: World, record: ContainerRecord, now: number, tail: number): Inspection {
  const state = stateOf(world, record, now);
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
  const { id, number, spec, plan, cost, startedAt, refundedAt } = deployment;
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
    course: timelineOf(deployment).map(viewSegment),
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
function samplesOf(world: World, { deployments }: ContainerRecord, now: number): Sample[] {
  const latest = deployments.at(-1);
  if (latest === undefined) return [];
  const lastChange = Math.max(now, ...timelineOf(latest).map(({ at }) => at));
  const until = lastChange + (lastChange > now ? marginMs : 0);
  const from = Math.max(latest.startedAt, now - longestWindowMs);
  const step = Math.max(1, (until - from) / sampleCount);
  return Array.from({ length: sampleCount + 1 }, (_, index) => {
    const at = Math.round(from + index * step);
    const { cpu, memory } = metricsAt(containerAt(deployments, at), at, world.random);
    return { at: iso(at), cpu: cpu.usage, memory: memory.usage };
  });
}
