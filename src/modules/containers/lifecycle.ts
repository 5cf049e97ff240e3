// What a container is at an instant: a pure function of the courses of its deployments, and time.

import type { Spec } from './phases.js';
import { type Status, stages } from './phases.js';
import { courseOf, type Deployment, outcomeOf, type Segment, segmentAt } from './timeline.js';

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
  /** The run that gives the status, and its segment. */
  run: Run;
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
  const view = viewAt(runs, now);
  return {
    ...view,
    version: versionAt(deployments, now),
    nextAt: nextChange(deployments, view.status, now),
    history: historyOf(runs, now),
    runs,
    lastDeployedAt: lastStart(runs, now),
  };
}

/** The spec that a container has: of what runs, or of what is to run. */
export function specOf({ run }: Pick<ContainerState, 'run'>): Spec {
  return run.deployment.spec;
}

/** The runs of a container that are on their way or answer, and the latest one, whatever has become of it. */
export function openRuns({ runs }: Pick<ContainerState, 'runs'>, now: number): Run[] {
  return runs.filter((run, index) => index === runs.length - 1 || (stands(run, now) && !isOver(run, now)));
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

type View = Pick<ContainerState, 'status' | 'since' | 'error' | 'run' | 'segment' | 'serving'>;

function viewAt(runs: readonly Run[], at: number): View {
  const begun = runs.filter((run) => run.deployment.startedAt <= at);
  const latest = begun.at(-1);
  if (latest === undefined) throw new RangeError('a container has no state before its first deployment');
  const standing = begun.filter((run) => stands(run, at));
  const serving = standing.findLast((run) => statusOf(run, at) === 'running');
  const outcome = outcomeOf(latest.course);
  const failure = outcome?.result === 'failed' && outcome.at <= at ? segmentAt(latest.course, at) : undefined;
  // An update that failed leaves what is on its way, or else what runs.
  const run =
    failure === undefined ? latest : (standing.findLast((other) => isOnItsWay(other, at)) ?? serving ?? latest);
  const segment = segmentAt(run.course, at);
  if (failure === undefined || run === latest)
    return {
      status: segment.phase.status,
      since: sinceOf(run.course, at),
      error: segment.phase.error ?? null,
      run,
      segment,
      serving,
    };
  const since = sinceOf(run.course, at);
  // The error is told until something runs that began to run after it.
  const isOld = run === serving && since > failure.at;
  return {
    status: segment.phase.status,
    since: Math.max(failure.at, since),
    error: isOld ? null : (failure.phase.error ?? null),
    run,
    segment,
    serving,
  };
}

function statusOf({ course }: Run, at: number): Status {
  return segmentAt(course, at).phase.status;
}

// Whether no later deployment has begun to answer instead.
function stands({ replacedAt }: Run, at: number): boolean {
  return replacedAt === null || replacedAt > at;
}

function isOnItsWay(run: Run, at: number): boolean {
  return (stages as readonly Status[]).includes(statusOf(run, at));
}

function isOver(run: Run, at: number): boolean {
  return !isOnItsWay(run, at) && statusOf(run, at) !== 'running';
}

// When the status of an instant began: a status may last through several segments.
function sinceOf(course: readonly Segment[], at: number): number {
  const status = segmentAt(course, at).phase.status;
  const past = course.filter((segment) => segment.at <= at);
  return past[past.findLastIndex((segment) => segment.phase.status !== status) + 1]?.at ?? at;
}

// When the status changes, if nobody interferes; what is on its way beside it may have a say.
function nextChange(deployments: readonly Deployment[], status: Status, now: number): number | null {
  const instants = deployments
    .flatMap((deployment) => courseBy(deployment, now))
    .map(({ at }) => at)
    .filter((at) => at > now)
    .sort((a, b) => a - b);
  return instants.find((at) => viewAt(runsOf(deployments, at), at).status !== status) ?? null;
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

/** How far the deployment is that gives the status, 0 to 100. */
export function progressOf({ run, status }: ContainerState, now: number): number {
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
