// Metrics as a function of time, consistent with the log: memory climbs before an out-of-memory kill.

import { numberSeries, type Random } from '../../../core/random.js';
import type { ContainerState, Run } from './lifecycle.js';
import type { Segment } from './timeline.js';

export interface Metrics {
  cpu: { usage: number; limit: number };
  memory: { usage: number; limit: number; unit: 'MB' };
  network: { rx: number; tx: number };
  /** Running instances, and healthy ones. */
  tasks: number;
  healthyTasks: number;
}

const sampleMs = 15_000;
const rxPerSecond = 1_800;
const txPerSecond = 5_200;

/** The metrics of a container at an instant; all zero while no process runs. */
export function metricsAt(state: Pick<ContainerState, 'run' | 'serving'>, now: number, random: Random): Metrics {
  const run = state.serving ?? state.run;
  const spec = run?.deployment.spec;
  const limits = { cpu: spec?.cpu ?? 0, memory: spec?.memory ?? 0 };
  const segment = run?.timeline.findLast((candidate) => candidate.at <= now);
  const load = segment === undefined ? 'none' : loadOf(segment);
  if (run === undefined || segment === undefined || load === 'none') {
    return {
      cpu: { usage: 0, limit: limits.cpu },
      memory: { usage: 0, limit: limits.memory, unit: 'MB' },
      network: { rx: 0, tx: 0 },
      tasks: 0,
      healthyTasks: 0,
    };
  }
  const sample = Math.floor(now / sampleMs);
  const cpuNoise = numberSeries(random, 'cpu', run.deployment.id)(sample);
  const memoryNoise = numberSeries(random, 'memory', run.deployment.id)(sample);
  const seconds = activeMs(run, now) / 1_000;
  const count = run.deployment.spec.desired_count;
  const healthy = segment.phase.status === 'running' && segment.phase.checks === undefined;
  return {
    cpu: {
      usage: tenths(limits.cpu * (load === 'pegged' ? 0.97 + cpuNoise * 0.03 : 0.08 + cpuNoise * 0.12)),
      limit: limits.cpu,
    },
    memory: {
      usage: tenths(limits.memory * memoryShare(load, segment, now, memoryNoise)),
      limit: limits.memory,
      unit: 'MB',
    },
    network: { rx: Math.floor(seconds * rxPerSecond * count), tx: Math.floor(seconds * txPerSecond * count) },
    tasks: count,
    healthyTasks: healthy ? count : 0,
  };
}

type Load = 'none' | 'steady' | 'climbing' | 'pegged';

function loadOf({ phase }: Segment): Load {
  return phase.load ?? (phase.status === 'running' ? 'steady' : 'none');
}

function memoryShare(load: Load, segment: Segment, now: number, noise: number): number {
  if (load !== 'climbing') return 0.34 + noise * 0.06;
  const length = segment.phase.ms ?? 1;
  return 0.35 + 0.64 * Math.min(1, (now - segment.at) / Math.max(1, length));
}

// How long the process of a run has been up by an instant, over all its stretches.
function activeMs(run: Run, now: number): number {
  return run.timeline
    .filter((segment) => loadOf(segment) !== 'none' && segment.at <= now)
    .reduce((sum, segment) => sum + (Math.min(segment.end ?? now, now) - segment.at), 0);
}

function tenths(value: number): number {
  return Math.round(value * 10) / 10;
}
