// The state of a container at an instant: a pure function of the timelines of its deployments, and time.

import { isStage, type Stage, type StageTimes, type Status, stages } from './phases.js';
import { type Deployment, type Segment, segmentAt, timelineOf } from './timeline.js';

/** A deployment with its timeline, up to the instant at which a later one replaced it. */
export interface Run {
  deployment: Deployment;
  timeline: Segment[];
  /** When it first ran; null: it has not yet. */
  ranAt: number | null;
  /** When a later deployment began to serve instead; null until then. */
  replacedAt: number | null;
  /** The rank of that among what happened in that instant. */
  replacedOrder: number;
}

/** The state of a container at an instant; it is the same from one change to the next. */
export interface ContainerState {
  status: Status;
  since: number;
  error: string | null;
  /** When the status changes next by itself, or null. */
  nextAt: number | null;
  /** The run that gives the status, and its segment. */
  run: Run;
  segment: Segment;
  /** The run whose process serves, or undefined. */
  serving: Run | undefined;
  runs: Run[];
  lastDeployedAt: number | null;
}

/**
 * The state of a container at an instant, from its deployments (oldest first, at least one). The state depends on nothing
 * else: one jump of ten minutes equals six hundred steps of a second.
 *
 * @param at a request whose preparation takes time may be older than a container: it sees the container as it was created
 */
export function containerAt(deployments: readonly Deployment[], at: number): ContainerState {
  const now = Math.max(at, deployments[0]?.startedAt ?? at);
  const runs = runsOf(deployments, now);
  const view = viewAt(runs, now);
  return {
    ...view,
    nextAt: nextChange(deployments, view, now),
    runs,
    // When the latest deployment began to run. One that recovers later has not been deployed again.
    lastDeployedAt: runs.reduce<number | null>(
      (last, { ranAt }) => (ranAt === null ? last : Math.max(last ?? ranAt, ranAt)),
      null,
    ),
  };
}

/**
 * The view in `containerAt`, for readers of many containers: it goes through the deployments only once. It uses whole
 * timelines, because interventions after the instant change nothing before them.
 */
export function viewOf(deployments: readonly Deployment[], at: number): View {
  const now = Math.max(at, deployments[0]?.startedAt ?? at);
  return viewAt(
    runsOf(deployments, now, ({ timeline }) => timeline),
    now,
  );
}

/** The runs of a container that are in progress, the last one that came to run, and the one that gives the status. */
export function openRuns(state: Pick<ContainerState, 'runs' | 'run'>, now: number): Run[] {
  return state.runs.filter(
    (run) =>
      run === state.run ||
      ((run.replacedAt === null || run.replacedAt > now) && (run.ranAt !== null || isStage(statusOf(run, now)))),
  );
}

// Interventions later than the instant are ignored; usually there are none.
function timelineBy(deployment: Deployment, now: number): Segment[] {
  const last = deployment.interventions.at(-1);
  if (last === undefined || last.at <= now) return deployment.timeline;
  return timelineOf({
    ...deployment,
    interventions: deployment.interventions.filter((intervention) => intervention.at <= now),
  });
}

/** The runs of deployments (oldest first) by an instant. */
export function runsOf(deployments: readonly Deployment[], now: number, timelineFor = timelineBy): Run[] {
  const runs: Run[] = [];
  for (const deployment of deployments) {
    if (deployment.startedAt > now) continue;
    const timeline = timelineFor(deployment, now);
    const first = timeline.find(({ phase }) => phase.status === 'running');
    const ranAt = first !== undefined && first.at <= now ? first.at : null;
    runs.push({ deployment, timeline, ranAt, replacedAt: null, replacedOrder: 0 });
  }
  let takenOver: Segment | undefined;
  for (let index = runs.length - 1; index >= 0; index--) {
    const run = runs[index];
    if (run === undefined) continue;
    run.replacedAt = takenOver?.at ?? null;
    run.replacedOrder = takenOver?.order ?? 0;
    if (run.ranAt === null) continue;
    const first = run.timeline.find(({ phase }) => phase.status === 'running');
    if (first !== undefined && (takenOver === undefined || compareSegments(first, takenOver) < 0)) takenOver = first;
  }
  return runs;
}

type View = Pick<ContainerState, 'status' | 'since' | 'error' | 'run' | 'segment' | 'serving'>;

function viewAt(runs: readonly Run[], at: number): View {
  const begun = runs.filter((run) => run.deployment.startedAt <= at);
  const latest = begun.at(-1);
  const served = begun.findLastIndex(({ ranAt }) => ranAt !== null && ranAt <= at);
  const run = chooseRun(begun, served, (one) => statusOf(one, at));
  if (latest === undefined || run === undefined)
    throw new RangeError('a container has no state before its first deployment');
  const segment = segmentAt(run.timeline, at);
  const { status } = segment.phase;
  const last = begun[served];
  const serving = last !== undefined && statusOf(last, at) === 'running' ? last : undefined;
  const since = sinceOf(run.timeline, at);
  const error = segment.phase.error ?? null;
  if (run === latest) return { status, since: since.at, error, run, segment, serving };
  // The error of the latest one is shown until something happens to the one that came to run.
  const failure = failureAt(latest, at);
  const isOld = run === last && compareSegments(failure, since) < 0;
  return {
    status,
    since: Math.max(failure.at, since.at),
    error: isOld ? error : (failure.phase.error ?? null),
    run,
    segment,
    serving,
  };
}

// Finds the segment in which a deployment ended that is no longer in progress and never ran.
function failureAt({ timeline }: Run, at: number): Segment {
  const now = segmentAt(timeline, at);
  const last = timeline.findLastIndex((segment) => segment.at <= now.at && isStage(segment.phase.status));
  return timeline[last + 1] ?? now;
}

function statusOf({ timeline }: Run, at: number): Status {
  return segmentAt(timeline, at).phase.status;
}

// With which segment the current status began: a status may last through several.
function sinceOf(timeline: readonly Segment[], at: number): Segment {
  let index = timeline.findLastIndex((segment) => segment.at <= at);
  const status = timeline[index]?.phase.status;
  while (index > 0 && timeline[index - 1]?.phase.status === status) index--;
  return timeline[Math.max(index, 0)] ?? segmentAt(timeline, at);
}

// When the status changes without intervention; another deployment in progress may affect it.
function nextChange(deployments: readonly Deployment[], { status, run }: View, now: number): number | null {
  // A single deployment without later interventions follows its own timeline.
  if (deployments.length === 1 && (run.deployment.interventions.at(-1)?.at ?? now) <= now) {
    const { timeline } = run;
    const next = timeline.slice(timeline.findLastIndex(({ at }) => at <= now) + 1);
    return next.find(({ at }) => segmentAt(next, at).phase.status !== status)?.at ?? null;
  }
  // The last status of each instant counts.
  let next: StatusChange | undefined;
  const timelines = deployments.map((deployment) => ({ timeline: timelineBy(deployment, now) }));
  for (const change of changesAfter(timelines, now)) {
    if (next !== undefined && change.at > next.at && next.status !== status) return next.at;
    next = change;
  }
  return next === undefined || next.status === status ? null : next.at;
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
  return { stage: segment.phase.status, since: sinceOf(timeline, segment.at).at, until };
}

function before(stage: Stage, times: StageTimes): number {
  return stages.slice(0, stages.indexOf(stage)).reduce((sum, earlier) => sum + times[earlier], 0);
}

function expectedMs({ deployment: { plan } }: Run): number {
  return plan.times.pending + plan.times.building + plan.times.deploying;
}

// The statuses one after the other: what happens in one instant has an order too.

/** A change of status; `order` ranks it among the lines of its instant. */
export interface StatusChange {
  status: Status;
  at: number;
  order: number;
}

/**
 * The deployment that gives a container's status: the latest one while it is in progress, and once it has run. After a
 * failed update it is the one that is still in progress, or else the last one that came to run, whatever became of it.
 *
 * @param begun its deployments that have begun, oldest first
 * @param served the place of the last one that came to run and that no later one has replaced; -1: none
 */
function chooseRun<Each>(begun: readonly Each[], served: number, statusOf: (each: Each) => Status): Each | undefined {
  for (let place = begun.length - 1; place > served; place--) {
    const each = begun[place];
    if (each !== undefined && isStage(statusOf(each))) return each;
  }
  return begun[served === -1 ? begun.length - 1 : served];
}

/**
 * The changes of a container after an instant, up to another one, from the timelines of its deployments (oldest first), in
 * their order.
 */
export function changesAfter(
  runs: readonly { timeline: readonly Segment[] }[],
  now: number,
  until = Infinity,
): StatusChange[] {
  // By the place of each deployment; empty at those that have not begun.
  const begun: (Segment | undefined)[] = [];
  let served = -1;
  const next: { place: number; segment: Segment }[] = [];
  for (const [place, { timeline }] of runs.entries()) {
    const first = timeline.findLastIndex(({ at }) => at <= now) + 1;
    const current = timeline[first - 1];
    if (current !== undefined) begun[place] = current;
    if (timeline.slice(0, first).some(({ phase }) => phase.status === 'running')) served = place;
    for (const segment of timeline.slice(first)) if (segment.at <= until) next.push({ place, segment });
  }
  next.sort((a, b) => compareSegments(a.segment, b.segment));
  return next.map(({ place, segment }) => {
    begun[place] = segment;
    if (segment.phase.status === 'running') served = Math.max(served, place);
    const chosen = chooseRun(begun, served, (one = segment) => one.phase.status);
    return { status: (chosen ?? segment).phase.status, at: segment.at, order: segment.order };
  });
}

/** Compares two segments of a container by instant, and by what happened first in it. */
function compareSegments(a: Segment, b: Segment): number {
  return a.at - b.at || a.order - b.order;
}
