// The course of one deployment: the phases of its plan and what people did, laid out in time.

import { type Grace, stopsOf } from './grace.js';
import { type Intervention, type Spec, type StageTimes, type Status, stages, type TimedPhase } from './phases.js';
import { type Plan, phasesOf, timedPhases, usualPhase } from './plan.js';

export interface Deployment {
  id: string;
  containerSeq: number;
  number: number;
  kind: string;
  spec: Spec;
  plan: Plan;
  /** Micro-credits. */
  cost: number;
  startedAt: number;
  acts: Intervention[];
  /** How many GETs of a client have counted, where reads move it on. */
  reads: number;
  refundedAt: number | null;
  /** Those of its container, the oldest first. */
  graces: readonly Grace[];
  /** Its course with all acts, kept because it is asked for at each read. */
  course?: Segment[];
}

/** A stretch of time in one phase; without `end` it lasts for good. */
export interface Segment {
  phase: TimedPhase;
  at: number;
  end: number | null;
  /** The act that ended it before its time. */
  endedBy?: Intervention['kind'];
}

/** The whole course of a deployment as it stands now: past and, if nobody acts, future. */
export function courseOf(deployment: Deployment): Segment[] {
  const { plan } = deployment;
  const acts = actsOn(deployment);
  const course: Segment[] = [];
  let rest = phasesOf(plan);
  let at = deployment.startedAt;
  let nextAct = 0;
  for (let phase = rest[0]; phase !== undefined; phase = rest[0]) {
    const flows = plan.progression === 'clock' || phase.status === 'deleting';
    const natural = flows && phase.ms !== null && rest.length > 1 ? at + phase.ms : null;
    const act = acts[nextAct];
    if (act !== undefined && (natural === null || act.at < natural)) {
      course.push({ phase, at, end: act.at, endedBy: act.kind });
      rest = after(act, rest, plan.times);
      at = act.at;
      nextAct++;
    } else {
      course.push({ phase, at, end: natural });
      if (natural === null) break;
      rest = rest.slice(1);
      at = natural;
    }
  }
  return course;
}

// Of two at one instant the grace's end came first: it lies in the past when somebody acts.
function actsOn({ acts, graces, startedAt }: Deployment): readonly Intervention[] {
  if (graces.length === 0) return acts;
  return [...stopsOf(graces, startedAt), ...acts].sort((a, b) => a.at - b.at);
}

function after(act: Intervention, rest: TimedPhase[], times: StageTimes): TimedPhase[] {
  switch (act.kind) {
    case 'advance':
      return nextStage(rest);
    case 'skip': {
      if (act.status === undefined) return nextStage(rest);
      const index = rest.findIndex((phase) => phase.status === act.status);
      if (index !== -1) return rest.slice(index);
      const stage = (stages as readonly Status[]).indexOf(act.status);
      const remaining = stage === -1 ? [] : stages.slice(stage).map((status) => usualPhase(status, times));
      return stage === -1 ? [usualPhase(act.status, times)] : [...remaining, usualPhase('running', times)];
    }
    case 'fail': {
      const phases = act.failure?.phases ?? [];
      const broken = phases.findIndex((phase) => phase.status === 'failed' || phase.status === 'stopped');
      return timedPhases(phases.slice(Math.max(0, broken)), times);
    }
    case 'crash': {
      const { exitCode = 1 } = act;
      const error = `Essential container in task exited (exit code ${exitCode})`;
      return [
        {
          status: 'failed',
          ms: null,
          error,
          exitCode,
          checks: { http: 'failing', memory: 'passing', disk: 'passing' },
          reason: 'the process is gone',
          logs: [{ at: 0, level: 'error', message: error }],
        },
      ];
    }
    case 'stop':
      return [{ status: 'stopped', ms: null, logs: [{ at: 0, level: 'info', message: 'Container stopped' }] }];
    case 'delete':
      return [
        {
          status: 'deleting',
          ms: act.lasts ?? 0,
          logs: [{ at: 0, level: 'info', message: 'Deleting the container and its stack' }],
        },
        { status: 'stopped', ms: null },
      ];
    case 'suspend':
      return [{ status: 'stopped', ...act.phase, ms: null }];
    case 'recover':
      return [usualPhase('running', times)];
  }
}

// A stage may be told in several phases; what people and reads move on is the stage.
function nextStage(rest: TimedPhase[]): TimedPhase[] {
  const next = rest.findIndex((phase) => phase.status !== rest[0]?.status);
  return next === -1 ? rest : rest.slice(next);
}

/** How a deployment ended, if it has: it is a success once it ran, and failed if it never did. */
export interface Outcome {
  result: 'success' | 'failed';
  at: number;
  error: string | null;
}

/** The outcome of a course, with its instant (which may lie ahead). */
export function outcomeOf(course: readonly Segment[]): Outcome | undefined {
  for (const { phase, at } of course) {
    if (phase.status === 'running') return { result: 'success', at, error: null };
    if (phase.status === 'failed' || phase.status === 'stopped' || phase.status === 'deleting')
      return { result: 'failed', at, error: phase.error ?? null };
  }
  return undefined;
}

/** The segment of a course at an instant. */
export function segmentAt(course: readonly Segment[], at: number): Segment {
  const segment = course.findLast((candidate) => candidate.at <= at) ?? course[0];
  if (segment === undefined) throw new RangeError('a course has at least one segment');
  return segment;
}
