// What a container is at an instant: a pure function of its deployments' plans, what people did, and time.

import { type Failure, type Status, stages } from './phases.js';
import { phasesOf, type Plan, type Spec, type StageTimes, timedPhases, type TimedPhase, usualPhase } from './plan.js';

/** Something a person (or a client's read) did to a deployment at an instant. */
export interface Act {
  at: number;
  kind: 'advance' | 'skip' | 'fail' | 'crash' | 'stop' | 'recover';
  status?: Status;
  failure?: Failure;
}

export interface Deployment {
  id: string;
  number: number;
  kind: string;
  spec: Spec;
  plan: Plan;
  /** Micro-credits. */
  cost: number;
  startedAt: number;
  acts: Act[];
  /** How many GETs of a client have counted, where reads move it on. */
  reads: number;
  refundedAt: number | null;
}

/** A stretch of time in one phase; without `end` it lasts for good. */
export interface Segment {
  phase: TimedPhase;
  at: number;
  end: number | null;
  /** The act that ended it before its time. */
  endedBy?: Act['kind'];
}

/** The whole course of a deployment as it stands now: past and, if nobody acts, future. */
export function courseOf(deployment: Deployment): Segment[] {
  const { plan, acts } = deployment;
  const course: Segment[] = [];
  let rest = phasesOf(plan);
  let at = deployment.startedAt;
  let nextAct = 0;
  for (let phase = rest[0]; phase !== undefined; phase = rest[0]) {
    const natural = plan.progression === 'clock' && phase.ms !== null && rest.length > 1 ? at + phase.ms : null;
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

function after(act: Act, rest: TimedPhase[], times: StageTimes): TimedPhase[] {
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
    case 'crash':
      return [
        {
          status: 'failed',
          ms: null,
          error: 'Essential container in task exited (exit code 1)',
          exitCode: 1,
          checks: { http: 'failing', memory: 'passing', disk: 'passing' },
          reason: 'the process is gone',
          logs: [{ at: 0, level: 'error', message: 'Essential container in task exited (exit code 1)' }],
        },
      ];
    case 'stop':
      return [{ status: 'stopped', ms: null, logs: [{ at: 0, level: 'info', message: 'Container stopped' }] }];
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
    if (phase.status === 'failed' || phase.status === 'stopped') return { result: 'failed', at, error: phase.error ?? null };
  }
  return undefined;
}

/** A deployment on its course, up to the instant at which a later one took over. */
export interface Run {
  deployment: Deployment;
  course: Segment[];
  /** When a later deployment began to answer instead; null while none does. */
  replacedAt: number | null;
}

/** A change of status; `order` places it among the lines of its instant (see lineOrder). */
export interface StatusChange {
  status: Status;
  at: number;
  order: number;
}

/**
 * The place of what a segment writes, among things of one instant: a later deployment or segment comes later.
 * The status change itself comes first (0), then the segment's script (1), then its chatter (2).
 */
export function lineOrder(deploymentNumber: number, segmentIndex: number, part: 0 | 1 | 2): number {
  return deploymentNumber * 10_000 + segmentIndex * 3 + part;
}

/** What a container is at an instant. */
export interface ContainerState {
  status: Status;
  since: number;
  error: string | null;
  /** When the status changes next by itself, or null. */
  nextAt: number | null;
  /** 0 to 100. */
  progress: number;
  history: StatusChange[];
  /** The segment that gives the status. */
  segment: Segment;
  /** The run whose process answers, or undefined. */
  serving: Run | undefined;
  runs: Run[];
  lastDeployedAt: number | null;
}

/**
 * The state of a container at an instant, from its deployments (oldest first, at least one begun by then).
 * It depends on nothing else: one jump of ten minutes equals six hundred steps of a second.
 */
export function containerAt(deployments: readonly Deployment[], now: number): ContainerState {
  const runs = runsOf(deployments, now);
  const here = viewAt(runs, now);
  const ran = runs.flatMap((run) => run.course).filter(({ phase, at }) => phase.status === 'running' && at <= now);
  return {
    ...here,
    nextAt: nextChange(runs.at(-1)?.course ?? [], now),
    progress: progressAt(runs.at(-1), here.status, now),
    history: historyOf(runs, now),
    runs,
    lastDeployedAt: ran.length === 0 ? null : Math.max(...ran.map((segment) => segment.at)),
  };
}

/** The spec that a container has: of what runs, or of what is to run. */
export function specOf(state: ContainerState): Spec {
  const run = state.status === 'running' ? (state.serving ?? state.runs.at(-1)) : state.runs.at(-1);
  if (run === undefined) throw new RangeError('a container has no spec before its first deployment');
  return run.deployment.spec;
}

function runsOf(deployments: readonly Deployment[], now: number): Run[] {
  const runs: Run[] = deployments
    .filter((deployment) => deployment.startedAt <= now)
    .map((deployment) => ({
      deployment,
      course: courseOf({ ...deployment, acts: deployment.acts.filter((act) => act.at <= now) }),
      replacedAt: null,
    }));
  let takenOver: number | null = null;
  for (const run of [...runs].reverse()) {
    run.replacedAt = takenOver;
    const first = run.course.find(({ phase, at }) => phase.status === 'running' && at <= now);
    if (first !== undefined) takenOver = Math.min(takenOver ?? first.at, first.at);
  }
  return runs;
}

interface View {
  status: Status;
  since: number;
  error: string | null;
  segment: Segment;
  serving: Run | undefined;
}

function viewAt(runs: readonly Run[], at: number): View {
  const begun = runs.filter((run) => run.deployment.startedAt <= at);
  const current = begun.at(-1);
  if (current === undefined) throw new RangeError('a container has no state before its first deployment');
  const segment = segmentAt(current.course, at);
  const serving = begun.findLast(
    (run) => segmentAt(run.course, at).phase.status === 'running' && (run.replacedAt === null || run.replacedAt > at),
  );
  const error = segment.phase.error ?? null;
  const outcome = outcomeOf(current.course);
  // An update that failed leaves the old deployment running, with the error told.
  if (serving !== undefined && serving !== current && outcome?.result === 'failed' && outcome.at <= at) {
    return { status: 'running', since: Math.max(segment.at, sinceOf(serving.course, at)), error, segment: segmentAt(serving.course, at), serving };
  }
  return { status: segment.phase.status, since: sinceOf(current.course, at), error, segment, serving };
}

/** The segment of a course at an instant. */
export function segmentAt(course: readonly Segment[], at: number): Segment {
  const segment = course.findLast((candidate) => candidate.at <= at) ?? course[0];
  if (segment === undefined) throw new RangeError('a course has at least one segment');
  return segment;
}

// When the status of an instant began: a status may last through several segments.
function sinceOf(course: readonly Segment[], at: number): number {
  const status = segmentAt(course, at).phase.status;
  const past = course.filter((segment) => segment.at <= at);
  return past[past.findLastIndex((segment) => segment.phase.status !== status) + 1]?.at ?? at;
}

function nextChange(course: readonly Segment[], now: number): number | null {
  const status = segmentAt(course, now).phase.status;
  return course.find((segment) => segment.at > now && segment.phase.status !== status)?.at ?? null;
}

function historyOf(runs: readonly Run[], now: number): StatusChange[] {
  const changes: StatusChange[] = runs.flatMap(({ deployment, course }) =>
    course.map(({ phase, at }, index) => ({ status: phase.status, at, order: lineOrder(deployment.number, index, 0) })),
  );
  const past = changes.filter((change) => change.at <= now);
  // With several deployments the container's status is not that of each one's segment.
  if (runs.length > 1) {
    past.sort((a, b) => a.at - b.at || a.order - b.order);
    for (const change of past) change.status = viewAt(runs, change.at).status;
  }
  return past.filter((change, index) => change.status !== past[index - 1]?.status);
}

function progressAt(run: Run | undefined, status: Status, now: number): number {
  if (run === undefined) return 0;
  if (status === 'running' || run.course.some(({ phase, at }) => phase.status === 'running' && at <= now)) return 100;
  const { plan, startedAt } = run.deployment;
  const end = outcomeOf(run.course)?.at ?? now;
  const reached = Math.min(now, end);
  if (plan.progression !== 'clock') {
    const stage = (stages as readonly Status[]).indexOf(segmentAt(run.course, reached).phase.status);
    return stage === -1 ? 99 : Math.round((stage / stages.length) * 100);
  }
  const expected = plan.times.pending + plan.times.building + plan.times.deploying;
  return expected === 0 ? 99 : Math.min(99, Math.floor(((reached - startedAt) / expected) * 100));
}
