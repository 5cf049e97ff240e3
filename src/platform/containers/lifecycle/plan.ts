// The plan of a deployment, drawn once when it begins: stage times, outcome, and what advances it.

import { isTodaysServer } from '../../../config/profiles.js';
import type { Config } from '../../../config/schema.js';
import { numberSeries } from '../../../core/random.js';
import type { World } from '../../../world/world.js';
import type { RunnableImage } from '../../registry/images.js';
import { fillFailure } from '../logs/log-templates.js';
import type { Spec } from '../wire/schema.js';
import { readFailure } from './failures.js';
import {
  type Failure,
  isStage,
  type Phase,
  type Refusal,
  type Stage,
  type StageTimes,
  stages,
  type TimedPhase,
} from './phases.js';

/** Stored with the deployment, so that changing settings or catalogue later never rewrites history. */
export interface Plan {
  progression: Config['containers']['progression'];
  readsPerStage: number;
  times: StageTimes;
  mode: string | null;
  /** The mode's definition with its texts filled in. */
  failure: Failure | null;
  /** The status that it begins with, where the request itself has done all that comes before; absent: pending. */
  begins?: 'deploying' | 'failed';
  /** Why the request cannot start it, then. */
  refusal?: Refusal;
  /** The pushed image, if it is in the emulator's registry. */
  image?: RunnableImage;
  /** That image's process serves, where the emulator has an engine; absent: the emulator itself does. */
  run?: 'image';
}

const named: Record<'instant' | 'fast' | 'realistic', StageTimes> = {
  instant: { pending: 0, building: 0, deploying: 0, running: 1_000, limit: 0 },
  fast: { pending: 1_000, building: 4_000, deploying: 7_000, running: 10_000, limit: 60_000 },
  realistic: { pending: 5_000, building: 155_000, deploying: 440_000, running: 300_000, limit: 1_800_000 },
};

// How far each stage may deviate from its usual time: 8 to 12 minutes in all when realistic.
const spread = 0.19;

/** Polling advice for clients: about every twelfth of the expected time, between 100 ms and 10 s. */
export function pollingAdvice(
  timing: Config['containers']['timing'],
  startsAtOnce = false,
): { intervalMs: number; expectedDurationMs: number } {
  const times = stageTimes(timing, startsAtOnce);
  const expectedDurationMs = times.pending + times.building + times.deploying;
  return { intervalMs: Math.min(10_000, Math.max(100, Math.round(expectedDurationMs / 12))), expectedDurationMs };
}

/** What a deployment is planned from. */
export interface PlanInput {
  id: string;
  spec: Spec;
  settings: Pick<Config['containers'], 'timing' | 'progression' | 'readsPerStage'>;
  mode: string | null;
  image: RunnableImage | null;
}

// A container that the request has started is only waited for until it is healthy.
const healthyAfter = 60_000;

/** The usual stage times of a setting, before each deployment's own jitter. */
function stageTimes(timing: Config['containers']['timing'], startsAtOnce: boolean): StageTimes {
  const times =
    typeof timing === 'string'
      ? named[timing]
      : {
          ...timing,
          running: timing.running ?? 10_000,
          limit: timing.limit ?? (timing.pending + timing.building + timing.deploying) * 3,
        };
  if (!startsAtOnce) return times;
  return { ...times, pending: 0, building: 0, ...(timing === 'realistic' && { deploying: healthyAfter }) };
}

/**
 * Draws a plan: the same seed, deployment and settings always give the same one.
 *
 * @param isRun whether the image's process is to serve
 */
export function drawPlan(
  { random, config }: World,
  { id: deploymentId, spec, settings, mode, image }: PlanInput,
  stackName: string,
  isRun: boolean,
): Plan {
  const { timing, progression, readsPerStage } = settings;
  // There, the request itself starts the container.
  const startsAtOnce = isTodaysServer(config);
  const failure = mode === null ? null : readFailure(mode);
  const usual = stageTimes(timing, startsAtOnce);
  const chance = numberSeries(random, 'stage-times', deploymentId);
  const jittered = (stage: Stage): number =>
    typeof timing === 'string'
      ? Math.round(usual[stage] * (1 + spread * (2 * chance(stages.indexOf(stage)) - 1)))
      : usual[stage];
  const times = {
    ...usual,
    pending: jittered('pending'),
    building: jittered('building'),
    deploying: jittered('deploying'),
  };
  const { refusal, ...planned } = failure ?? {};
  return {
    progression,
    readsPerStage,
    times,
    mode,
    failure:
      failure === null
        ? null
        : fillFailure(planned as Failure, { spec, stackName, times, deploymentId, random, image }),
    ...(image !== null && { image }),
    ...(isRun && { run: 'image' }),
    ...(startsAtOnce && (refusal === undefined ? { begins: 'deploying' } : { begins: 'failed', refusal })),
  };
}

/** A phase that no failure mode describes. */
export function usualPhase(status: Phase['status'], times: StageTimes): TimedPhase {
  // A client that reads `failed` may rely on an error message.
  if (status === 'failed') {
    const message = 'Deployment failed';
    return { status, ms: null, error: message, logs: [{ at: 0, level: 'error', message }] };
  }
  return { status, ms: isStage(status) ? times[status] : null };
}

/** All phases of a plan, in order. */
export function phasesOf(plan: Plan): TimedPhase[] {
  const special = plan.failure?.phases ?? [];
  const first = special[0]?.status;
  const before = stages.slice(0, first === undefined || !isStage(first) ? stages.length : stages.indexOf(first));
  const usual = before.map((stage) => usualPhase(stage, plan.times));
  const rest =
    special.length === 0 ? [usualPhase('running', plan.times)] : timedPhases(special, plan.times, total(usual));
  const phases = [...usual, ...rest];
  return plan.begins === undefined ? phases : phases.slice(phases.findIndex(({ status }) => status === plan.begins));
}

/** The phases of a failure mode with their lengths; `elapsed` is how long the deployment has lasted before them. */
export function timedPhases(phases: readonly Phase[], times: StageTimes, elapsed = 0): TimedPhase[] {
  const timed: TimedPhase[] = [];
  for (const phase of phases) {
    timed.push({ ...phase, ms: lengthOf(phase, times, elapsed + total(timed)) });
  }
  return timed;
}

function lengthOf(phase: Phase, times: StageTimes, elapsed: number): number | null {
  if (phase.lasts === undefined) return null;
  if (phase.lasts === 'limit') return Math.max(0, times.limit - elapsed);
  return Math.round(phase.lasts * (isStage(phase.status) ? times[phase.status] : times.running));
}

function total(phases: readonly TimedPhase[]): number {
  return phases.reduce((sum, phase) => sum + (phase.ms ?? 0), 0);
}
