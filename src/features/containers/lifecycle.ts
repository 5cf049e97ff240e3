// What a container is at an instant: a pure function of the courses of its deployments, and time.

import { courseOf, type Deployment, outcomeOf, type Segment, segmentAt } from './course.js';
import { type Status, stages } from './phases.js';
import type { Spec } from './plan.js';

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

/** What a container is at an instant; the same from one change to the next. */
export interface ContainerState {
  /** How many changes there have been: what only depends on the state can be kept under it. */
  version: number;
  status: Status;
  since: number;
  error: string | null;
  /** When the status changes next by itself, or null. */
  nextAt: number | null;
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
  const { status, since, error, segment, serving } = viewAt(runs, now);
  return {
    version: versionAt(deployments, now),
    status,
    since,
    error,
    nextAt: nextChange(runs.at(-1)?.course ?? [], now),
    history: historyOf(runs, now),
    segment,
    serving,
    runs,
    lastDeployedAt: lastStart(runs, now),
  };
}

/** The spec that a container has: of what runs, or of what is to run. */
export function specOf(state: ContainerState): Spec {
  const run = state.status === 'running' ? (state.serving ?? state.runs.at(-1)) : state.runs.at(-1);
  if (run === undefined) throw new RangeError('a container has no spec before its first deployment');
  return run.deployment.spec;
}

// Acts later than the instant are ignored; as a rule there are none.
function courseBy(deployment: Deployment, now: number): Segment[] {
  const last = deployment.acts.at(-1);
  if (last === undefined || last.at <= now) return deployment.course ?? courseOf(deployment);
  return courseOf({ ...deployment, acts: deployment.acts.filter((act) => act.at <= now) });
}

function runsOf(deployments: readonly Deployment[], now: number): Run[] {
  const runs: Run[] = deployments
    .filter((deployment) => deployment.startedAt <= now)
    .map((deployment) => ({
      deployment,
      course: courseBy(deployment, now),
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

function lastStart(runs: readonly Run[], now: number): number | null {
  let last: number | null = null;
  for (const { course } of runs) {
    for (const { phase, at } of course) if (phase.status === 'running' && at <= now) last = Math.max(last ?? at, at);
  }
  return last;
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
    return {
      status: 'running',
      since: Math.max(segment.at, sinceOf(serving.course, at)),
      error,
      segment: segmentAt(serving.course, at),
      serving,
    };
  }
  return { status: segment.phase.status, since: sinceOf(current.course, at), error, segment, serving };
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
  const past: StatusChange[] = [];
  for (const { deployment, course } of runs) {
    for (const [index, { phase, at }] of course.entries())
      if (at <= now) past.push({ status: phase.status, at, order: lineOrder(deployment.number, index, 0) });
  }
  // With several deployments the container's status is not that of each one's segment.
  if (runs.length > 1) {
    past.sort((a, b) => a.at - b.at || a.order - b.order);
    for (const change of past) change.status = viewAt(runs, change.at).status;
  }
  return past.filter((change, index) => change.status !== past[index - 1]?.status);
}

/** How many segments of a container's courses have begun by an instant. */
export function versionAt(deployments: readonly Deployment[], now: number): number {
  let version = 0;
  for (const deployment of deployments) {
    for (const segment of deployment.course ?? courseOf(deployment)) if (segment.at <= now) version++;
  }
  return version;
}

/** How far the latest deployment is, 0 to 100. */
export function progressOf({ runs, status }: ContainerState, now: number): number {
  const run = runs.at(-1);
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
