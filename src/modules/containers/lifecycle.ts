// The state of a container at an instant: a pure function of the timelines of its deployments, and time.

import { type Stage, type StageTimes, type Status, stages } from './phases.js';
import type { Spec } from './schema.js';
import { type Deployment, outcomeOf, type Segment, segmentAt, timelineOf } from './timeline.js';

/** A deployment with its timeline, up to the instant at which a later one replaced it. */
export interface Run {
  deployment: Deployment;
  timeline: Segment[];
  /** When a later deployment began to serve instead; null until then. */
  replacedAt: number | null;
}

/** A change of status; `order` ranks it among the lines of its instant (see lineOrder). */
interface StatusChange {
  status: Status;
  at: number;
  order: number;
}

/**
 * The rank of a segment's output at one instant: a later deployment or segment comes later.
 * The status change itself comes first (0), then the segment's script (1), then its chatter (2).
 */
export function lineOrder(deploymentNumber: number, segmentIndex: number, part: 0 | 1 | 2): number {
  return deploymentNumber * 10_000 + segmentIndex * 3 + part;
}

/** What a container is at an instant; the same from one change to the next. */
export interface ContainerState {
  /** The number of changes so far: a cache key for what depends on the state alone. */
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
  /** The run whose process serves, or undefined. */
  serving: Run | undefined;
  runs: Run[];
  lastDeployedAt: number | null;
}

/**
 * The state of a container at an instant, from its deployments (oldest first, at least one).
 * It depends on nothing else: one jump of ten minutes equals six hundred steps of a second.
 *
 * @param at a request whose preparation takes time may be older than a container: it sees the container as it was created
 */
export function containerAt(deployments: readonly Deployment[], at: number): ContainerState {
  const now = Math.max(at, deployments[0]?.startedAt ?? at);
  const runs = runsOf(deployments, now);
  const view = viewAt(runs, now);
  return {
    ...view,
    version: versionAt(deployments, now),
    nextAt: nextChange(deployments, view, now),
    history: historyOf(runs, now),
    runs,
    lastDeployedAt: lastStart(runs, now),
  };
}

/** What `containerAt` says of the instant alone, for readers of many: that goes through the deployments once only. */
export function viewOf(deployments: readonly Deployment[], at: number): View {
  const now = Math.max(at, deployments[0]?.startedAt ?? at);
  return viewAt(runsOf(deployments, now), now);
}

/** The spec of a container: of what runs, or of what is to run. */
export function specOf({ run }: Pick<ContainerState, 'run'>): Spec {
  return run.deployment.spec;
}

/** The runs of a container that are in progress or serve, and the latest one, whatever its outcome. */
export function openRuns({ runs }: Pick<ContainerState, 'runs'>, now: number): Run[] {
  return runs.filter((run, index) => index === runs.length - 1 || (stands(run, now) && !isOver(run, now)));
}

// Interventions later than the instant are ignored; usually there are none.
function timelineBy(deployment: Deployment, now: number): Segment[] {
  const last = deployment.interventions.at(-1);
  if (last === undefined || last.at <= now) return deployment.timeline ?? timelineOf(deployment);
  return timelineOf({
    ...deployment,
    interventions: deployment.interventions.filter((intervention) => intervention.at <= now),
  });
}

function runsOf(deployments: readonly Deployment[], now: number): Run[] {
  const runs: Run[] = deployments
    .filter((deployment) => deployment.startedAt <= now)
    .map((deployment) => ({
      deployment,
      timeline: timelineBy(deployment, now),
      replacedAt: null,
    }));
  let takenOver: number | null = null;
  for (const run of [...runs].reverse()) {
    run.replacedAt = takenOver;
    const first = run.timeline.find(({ phase, at }) => phase.status === 'running' && at <= now);
    if (first !== undefined) takenOver = Math.min(takenOver ?? first.at, first.at);
  }
  return runs;
}

// When the latest deployment began to run. One that recovers later has not been deployed again.
function lastStart(runs: readonly Run[], now: number): number | null {
  let last: number | null = null;
  for (const { timeline } of runs) {
    const start = timeline.find(({ phase }) => phase.status === 'running');
    if (start !== undefined && start.at <= now) last = Math.max(last ?? start.at, start.at);
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
  const outcome = outcomeOf(latest.timeline);
  const failure = outcome?.result === 'failed' && outcome.at <= at ? segmentAt(latest.timeline, at) : undefined;
  // After a failed update the deployment in progress gives the status, or else the one that runs.
  const run =
    failure === undefined ? latest : (standing.findLast((other) => isOnItsWay(other, at)) ?? serving ?? latest);
  const segment = segmentAt(run.timeline, at);
  if (failure === undefined || run === latest)
    return {
      status: segment.phase.status,
      since: sinceOf(run.timeline, at),
      error: segment.phase.error ?? null,
      run,
      segment,
      serving,
    };
  const since = sinceOf(run.timeline, at);
  // The error is shown until a deployment that began after it runs.
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

function statusOf({ timeline }: Run, at: number): Status {
  return segmentAt(timeline, at).phase.status;
}

// Whether no later deployment has begun to serve instead.
function stands({ replacedAt }: Run, at: number): boolean {
  return replacedAt === null || replacedAt > at;
}

function isOnItsWay(run: Run, at: number): boolean {
  return isStage(statusOf(run, at));
}

function isOver(run: Run, at: number): boolean {
  return !isOnItsWay(run, at) && statusOf(run, at) !== 'running';
}

// When the current status began: a status may last through several segments.
function sinceOf(timeline: readonly Segment[], at: number): number {
  const status = segmentAt(timeline, at).phase.status;
  const past = timeline.filter((segment) => segment.at <= at);
  return past[past.findLastIndex((segment) => segment.phase.status !== status) + 1]?.at ?? at;
}

// When the status changes without intervention; another deployment in progress may affect it.
function nextChange(deployments: readonly Deployment[], { status, run }: View, now: number): number | null {
  // A single deployment without later interventions follows its own timeline.
  if (deployments.length === 1 && (run.deployment.interventions.at(-1)?.at ?? now) <= now) {
    const { timeline } = run;
    return timeline.find(({ at }) => at > now && segmentAt(timeline, at).phase.status !== status)?.at ?? null;
  }
  const instants = deployments
    .flatMap((deployment) => timelineBy(deployment, now))
    .map(({ at }) => at)
    .filter((at) => at > now)
    .sort((a, b) => a - b);
  return instants.find((at) => viewAt(runsOf(deployments, at), at).status !== status) ?? null;
}

function historyOf(runs: readonly Run[], now: number): StatusChange[] {
  const past: StatusChange[] = [];
  for (const { deployment, timeline } of runs) {
    for (const [index, { phase, at }] of timeline.entries())
      if (at <= now) past.push({ status: phase.status, at, order: lineOrder(deployment.number, index, 0) });
  }
  // With several deployments the container's status differs from the status of each one's segment.
  if (runs.length > 1) {
    past.sort((a, b) => a.at - b.at || a.order - b.order);
    for (const change of past) change.status = viewAt(runs, change.at).status;
  }
  return past.filter((change, index) => change.status !== past[index - 1]?.status);
}

/** The number of segments of a container's timelines that have begun by an instant. */
export function versionAt(deployments: readonly Deployment[], now: number): number {
  let version = 0;
  for (const deployment of deployments) {
    for (const segment of deployment.timeline ?? timelineOf(deployment)) if (segment.at <= now) version++;
  }
  return version;
}

/** The progress of the deployment that gives the status, 0 to 100: its stage, and the time that it has spent in it. */
export function progressOf(state: ContainerState, now: number): number {
  const { run, status } = state;
  const isUnderWay = isStage(status);
  if (!isUnderWay && run.timeline.some(({ phase, at }) => phase.status === 'running' && at <= now)) return 100;
  const { plan } = run.deployment;
  const last = lastStage(state, now);
  if (last === undefined) return 0;
  if (plan.progression !== 'clock')
    return isUnderWay ? Math.round((stages.indexOf(last.stage) / stages.length) * 100) : 99;
  const expected = expectedMs(run);
  const spent = Math.min(last.until - last.since, plan.times[last.stage]);
  return expected === 0 ? 99 : Math.min(99, Math.floor(((before(last.stage, plan.times) + spent) / expected) * 100));
}

/** An instant until which the progress stays the same if the status does: the next per cent, or a little before it. */
export function nextProgressAt(state: ContainerState, now: number): number {
  const { plan } = state.run.deployment;
  const last = lastStage(state, now);
  if (last === undefined || !isStage(state.status) || plan.progression !== 'clock') return Infinity;
  const percent = progressOf(state, now);
  if (percent >= 99 || now - last.since >= plan.times[last.stage]) return Infinity;
  return last.since + Math.floor(((percent + 1) / 100) * expectedMs(state.run)) - before(last.stage, plan.times);
}

// The stage that the deployment is in, or was in at last: a container may be moved to a stage, also back to one.
function lastStage({ run: { timeline } }: ContainerState, now: number) {
  const index = timeline.findLastIndex(({ phase, at }) => at <= now && isStage(phase.status));
  const segment = timeline[index];
  if (segment === undefined || !isStage(segment.phase.status)) return undefined;
  const until = Math.min(now, timeline[index + 1]?.at ?? now);
  return { stage: segment.phase.status, since: sinceOf(timeline, segment.at), until };
}

function isStage(status: Status): status is Stage {
  return (stages as readonly Status[]).includes(status);
}

function before(stage: Stage, times: StageTimes): number {
  return stages.slice(0, stages.indexOf(stage)).reduce((sum, earlier) => sum + times[earlier], 0);
}

function expectedMs({ deployment: { plan } }: Run): number {
  return plan.times.pending + plan.times.building + plan.times.deploying;
}
