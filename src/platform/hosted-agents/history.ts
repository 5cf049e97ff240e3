// What became of a hosted agent: each status with its instant, and its place among what else happened then.

import type { World } from '../../world/world.js';
import { rankWithin } from '../containers/lifecycle/timeline.js';
import { courses, endOfJob } from './lifecycle.js';
import {
  type AgentAct,
  type AgentJob,
  type AgentStatus,
  type HostedAgent,
  listActsOfAgent,
  listJobsOfAgent,
} from './store.js';

/** A status of an agent from an instant on. */
interface AgentStep {
  status: AgentStatus;
  at: number;
  /** The rank among all that happens in its world at that instant. */
  order: number;
  error: string | null;
  /** The request that caused it, and the number of the journal's last record before an intervention that did. */
  requestId: string | null;
  after: number | null;
  /** Time alone has brought it about. */
  isByTime: boolean;
}

// What a job brings about comes after the status of the job itself.
const beginPlace = 10;
const endPlace = 12;

/** The statuses of an agent up to an instant, from the stored jobs of it and acts on it. */
export function stepsOf(
  agent: HostedAgent,
  now: number,
  jobs: readonly AgentJob[],
  acts: readonly AgentAct[],
): AgentStep[] {
  const events = [...jobs, ...acts].sort((a, b) => numberOf(a) - numberOf(b));
  const first = events[0]?.previous ?? agent.base.status;
  const created = {
    at: agent.created_at,
    order: rankWithin(agent.occurrence, 0),
    requestId: agent.request_id,
    isByTime: false,
  };
  const all: AgentStep[] = [{ ...created, status: first, error: null, after: null }];
  for (const event of events) all.push(...('turn' in event ? [stepOfAct(event)] : stepsOfCourse(event, acts)));
  const passed = all.filter(({ at }) => at <= now);
  return passed.filter(({ status }, index) => status !== passed[index - 1]?.status);
}

const numberOf = (event: AgentJob | AgentAct): number => ('turn' in event ? event.turn : event.occurrence);

function stepOfAct({ status, at, turn, error, after }: AgentAct): AgentStep {
  return { status, at, order: rankWithin(turn, beginPlace), error, requestId: null, after, isByTime: false };
}

function stepsOfCourse(job: AgentJob, acts: readonly AgentAct[]): AgentStep[] {
  const { type, act, created_at: at, occurrence, request_id: requestId } = job;
  const { during, done, failed } = courses[type];
  const steps: AgentStep[] = [];
  const begun = { at, order: rankWithin(occurrence, beginPlace), error: null, requestId, after: null, isByTime: false };
  if (during !== undefined) steps.push({ ...begun, status: during });
  const end = endOfJob(job);
  const status = end.error === null ? done : failed;
  // Of a job that was given up only the act shows.
  const isGivenUp = act !== null && acts.some(({ turn }) => turn === act.turn);
  if (status === undefined || end.at === Infinity || isGivenUp) return steps;
  const order = rankWithin(act?.turn ?? occurrence, endPlace);
  const cause = { requestId: null, after: act?.after ?? null, isByTime: act === null };
  return [...steps, { status, at: end.at, order, error: end.error, ...cause }];
}

/** The statuses of an agent up to an instant. */
export function historyOfAgent({ db }: World, agent: HostedAgent, now: number): AgentStep[] {
  return stepsOf(agent, now, listJobsOfAgent(db, agent.id), listActsOfAgent(db, agent.id));
}
