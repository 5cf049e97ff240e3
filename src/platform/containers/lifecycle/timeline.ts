// The timeline of one deployment: the phases of its plan and the interventions on it, laid out in time.

import type { Spec } from '../wire/schema.js';
import { type Grace, stopsOf } from './grace.js';
import { type Intervention, isStage, type StageTimes, type Status, stages, type TimedPhase } from './phases.js';
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
  /** The request that began it. */
  requestId: string | null;
  interventions: readonly Intervention[];
  /** The number of GETs that have counted, where reads advance the deployment. */
  reads: number;
  refundedAt: number | null;
  /** The graces of its container, the oldest first. */
  graces: readonly Grace[];
  /** The number of its start among all that happens in its world: what a later one writes comes after it. */
  turn: number;
  /** Its timeline with all interventions; laid out once because each read needs it. */
  timeline: Segment[];
}

/** A stretch of time in one phase; without `end` it never ends. */
export interface Segment {
  phase: TimedPhase;
  at: number;
  end: number | null;
  /** The intervention that ended it early. */
  endedBy?: Intervention['kind'];
  /** The rank of its output at one instant: after all that happened to the container before. */
  order: number;
  /** The rank of the lines that it still writes at its end, where an intervention ended it early. */
  endOrder?: number;
}

// Lines are shown by their rank. Each turn has a thousand: three for each of its at most 300 segments (the change, its
// lines, the lines that it repeats), then those of what is written meanwhile.
const ranksOfTurn = 1_000;
const ranksOfSegment = 3;
const lastSegment = 300;

/** The rank of a line that is written during a turn: after the segments that the turn leads to. */
export function rankWithin(turn: number, place: number): number {
  return turn * ranksOfTurn + (lastSegment + 1) * ranksOfSegment + place;
}

/** The turn of what happened to a container last before an instant. */
export function lastTurn({ deployments }: { deployments: readonly Deployment[] }, before: number): number {
  let last = 0;
  for (const { startedAt, turn, interventions } of deployments) {
    if (startedAt < before) last = Math.max(last, turn);
    // They are in the order of their turns; those of older versions, which have none, come first.
    last = Math.max(last, interventions.findLast(({ at }) => at < before)?.turn ?? 0);
  }
  for (const { endedAt = Infinity, endedTurn = 0 } of deployments.at(-1)?.graces ?? [])
    if (endedAt < before) last = Math.max(last, endedTurn);
  return last;
}

/** The turn of what has a rank: the number of the occurrence that led to it. */
export function turnOf(order: number): number {
  return Math.floor(order / ranksOfTurn);
}

/** What the timeline of a deployment follows from. */
type Course = Pick<Deployment, 'plan' | 'graces' | 'startedAt' | 'turn' | 'interventions'>;

/** The whole timeline of a deployment as known now: its past and, without further interventions, its future. */
export function timelineOf({ plan, graces, startedAt, turn, interventions }: Course): Segment[] {
  const draft: Draft = { segments: [], rest: phasesOf(plan), at: startedAt, turn, index: 0 };
  // At the same instant the grace's end comes first: it was due before the intervention was made.
  const acts = graces.length === 0 ? interventions : [...stopsOf(graces, startedAt), ...interventions];
  for (const act of acts === interventions ? acts : acts.toSorted((a, b) => a.at - b.at)) intervene(draft, plan, act);
  const phase = flowTo(draft, plan, Infinity);
  if (phase !== undefined) draft.segments.push({ phase, at: draft.at, end: null, order: nextOrder(draft) });
  return draft.segments;
}

/** A timeline while it is laid out. */
interface Draft {
  segments: Segment[];
  /** The phases that follow, from `at` on. */
  rest: readonly TimedPhase[];
  at: number;
  /** The rank of the next segment (see Segment.order). */
  turn: number;
  index: number;
}

function nextOrder(draft: Draft): number {
  return draft.turn * ranksOfTurn + Math.min(draft.index++, lastSegment) * ranksOfSegment;
}

// Adds the phases that end by an instant without interventions; returns the one that it is in, if there is one.
function flowTo(draft: Draft, { progression }: Plan, instant: number): TimedPhase | undefined {
  const { rest, segments } = draft;
  let next = 0;
  for (; next < rest.length - 1; next++) {
    const phase = rest[next];
    if (phase === undefined || phase.ms === null) break;
    if (progression !== 'clock' && phase.status !== 'deleting') break;
    const end = draft.at + phase.ms;
    if (end > instant) break;
    segments.push({ phase, at: draft.at, end, order: nextOrder(draft) });
    draft.at = end;
  }
  if (next > 0) draft.rest = rest.slice(next);
  return rest[next];
}

function intervene(draft: Draft, plan: Plan, intervention: Intervention): void {
  const phase = flowTo(draft, plan, intervention.at);
  // A failure without phases leaves nothing that could be changed.
  if (phase === undefined) return;
  const { at, kind, turn } = intervention;
  const ended: Segment = { phase, at: draft.at, end: at, endedBy: kind, order: nextOrder(draft) };
  draft.segments.push(ended);
  draft.rest = after(intervention, draft.rest, plan.times);
  draft.at = at;
  if (turn === undefined) return;
  draft.turn = turn;
  draft.index = 0;
  ended.endOrder = nextOrder(draft);
}

function after(intervention: Intervention, rest: readonly TimedPhase[], times: StageTimes): readonly TimedPhase[] {
  switch (intervention.kind) {
    case 'advance':
      return nextStage(rest);
    case 'skip': {
      if (intervention.status === undefined) return nextStage(rest);
      const index = rest.findIndex((phase) => phase.status === intervention.status);
      if (index !== -1) return rest.slice(index);
      const stage = (stages as readonly Status[]).indexOf(intervention.status);
      const remaining = stage === -1 ? [] : stages.slice(stage).map((status) => usualPhase(status, times));
      return stage === -1 ? [usualPhase(intervention.status, times)] : [...remaining, usualPhase('running', times)];
    }
    case 'fail': {
      const phases = intervention.failure?.phases ?? [];
      const broken = phases.findIndex((phase) => phase.status === 'failed' || phase.status === 'stopped');
      return timedPhases(phases.slice(Math.max(0, broken)), times);
    }
    case 'crash': {
      const { exitCode = 1 } = intervention;
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
          ms: intervention.lasts ?? 0,
          logs: [{ at: 0, level: 'info', message: 'Deleting the container and its stack' }],
        },
        { status: 'stopped', ms: null },
      ];
    case 'suspend':
      return [{ status: 'stopped', ...intervention.phase, ms: null }];
    case 'recover':
      return [usualPhase('running', times)];
  }
}

// A stage may consist of several phases; interventions and reads advance whole stages.
function nextStage(rest: readonly TimedPhase[]): readonly TimedPhase[] {
  const next = rest.findIndex((phase) => phase.status !== rest[0]?.status);
  return next === -1 ? rest : rest.slice(next);
}

/** How a deployment ended, if it has: succeeded once it ran, failed if it never did. */
export interface Outcome {
  result: 'success' | 'failed';
  at: number;
  error: string | null;
}

/** The outcome of a timeline, with its instant (which may be in the future). */
export function outcomeOf(timeline: readonly Segment[]): Outcome | undefined {
  const end = endOf(timeline);
  if (end === undefined) return undefined;
  if (end.phase.status === 'running') return { result: 'success', at: end.at, error: null };
  return { result: 'failed', at: end.at, error: end.phase.error ?? null };
}

/** The segment with which a deployment has failed, if it never ran. */
export function failureOf(timeline: readonly Segment[]): Segment | undefined {
  const end = endOf(timeline);
  return end?.phase.status === 'running' ? undefined : end;
}

function endOf(timeline: readonly Segment[]): Segment | undefined {
  return timeline.find(({ phase }) => !isStage(phase.status));
}

/** The segment of a timeline at an instant. */
export function segmentAt(timeline: readonly Segment[], at: number): Segment {
  const segment = timeline.findLast((candidate) => candidate.at <= at) ?? timeline[0];
  if (segment === undefined) throw new RangeError('a timeline has at least one segment');
  return segment;
}
