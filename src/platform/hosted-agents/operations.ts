// Jobs of hosted agents begin and end; what changes rows runs in a transaction.

import { ApiError } from '../../core/errors.js';
import { nextOccurrence } from '../../db/occurrences.js';
import type { HandlerContext } from '../../http/endpoint.js';
import { placeNow } from '../../world/place.js';
import type { World } from '../../world/world.js';
import { hourEffect, settleHours } from './billing.js';
import { failureFor, readAgentFailure, requireAgentMode } from './failures.js';
import { type AgentState, agentJobAt, baseOf, endOfJob, isStart, stateAt } from './lifecycle.js';
import { drawAgentPlan } from './plan.js';
import {
  type AgentJob,
  type AgentJobType,
  type AgentStatus,
  deleteActsOfAgent,
  deleteHostedAgent,
  findAgentJob,
  findHostedAgent,
  type HostedAgent,
  insertAgentAct,
  insertAgentJob,
  saveAgentJobAct,
  saveHostedAgent,
} from './store.js';

/** The effect of the end of an agent's job: its hours begin, or it is removed. */
export const jobEffect = 'hostedAgents.job';

/** Who begins a job, and when. */
export interface Beginning {
  world: World;
  now: number;
  userId: string;
  /** null: a control operation. */
  requestId: string | null;
  /** The failure mode that the job follows instead of the agent's. */
  mode?: string | null;
}

/** An agent with its job, which has just begun or was under way. */
export interface Begun {
  agent: HostedAgent;
  job: AgentJob;
  alreadyInProgress: boolean;
}

/**
 * Begins a job of an agent that has none in progress.
 *
 * @returns the agent as it is now: the job may have ended at once
 * @throws ApiError SERVICE_UNAVAILABLE where the failure mode refuses a request
 */
export function beginJob(
  { world, now, userId, requestId, mode }: Beginning,
  agent: HostedAgent,
  type: AgentJobType,
): Begun {
  const state = stateAt(agent, now);
  const failure = failureFor(mode ?? agent.failure, type);
  // Whatever the request has written is taken back.
  if (failure?.refuses === true && requestId !== null)
    throw new ApiError('SERVICE_UNAVAILABLE', { message: failure.error ?? undefined, flatCode: 'service_unavailable' });
  const seq = world.nextNumber('agent_jobs');
  const id = world.random.uuid('agent job', seq);
  const job: AgentJob = {
    seq,
    id,
    organization_id: agent.organization_id,
    user_id: userId,
    agent_id: agent.id,
    agent_name: agent.name,
    type,
    plan: drawAgentPlan({ config: world.config, random: world.random, jobId: id, type, mode: mode ?? agent.failure }),
    act: null,
    previous: state.status,
    request_id: requestId,
    created_at: now,
    occurrence: nextOccurrence(world.db),
  };
  insertAgentJob(world.db, job);
  const busy: HostedAgent = { ...agent, base: baseOf(state), job, updated_at: now };
  saveHostedAgent(world.db, busy);
  const { at } = endOfJob(job);
  world.schedule(jobEffect, job.agent_id, at === Infinity ? undefined : at);
  announce(world, job);
  if (endOfJob(job).at <= now) jobDue(world, agent.id, now);
  return { agent: findHostedAgent(world.db, agent.id) ?? busy, job, alreadyInProgress: false };
}

type Request = Pick<HandlerContext, 'world' | 'now' | 'caller' | 'requestId' | 'header' | 'warn'>;

/**
 * Begins a job for a request, unless one of this type is in progress: then that is meant.
 *
 * @throws ApiError CONFLICT while another job is in progress; VALIDATION_ERROR for an unknown mode in the header
 */
export function requestJob(call: Request, agent: HostedAgent, type: AgentJobType): Begun {
  const { world, now, caller, requestId } = call;
  const { activeJob, status } = stateAt(agent, now);
  if (activeJob?.type === type) return { agent, job: activeJob, alreadyInProgress: true };
  if (activeJob !== null) throw busyWith(activeJob, status);
  return beginJob({ world, now, userId: caller.userId, requestId, mode: modeOfHeader(call, type) }, agent, type);
}

/**
 * Starts an agent that does not run, or finds the start that is in progress; its gates are passed.
 *
 * @throws ApiError CONFLICT while another job is in progress; SERVICE_UNAVAILABLE by a failure mode
 */
export function startAgent(
  call: Request,
  agent: HostedAgent,
  type: 'agent_provision' | 'agent_resume' | 'agent_wake',
): Begun {
  const { activeJob } = stateAt(agent, call.now);
  if (activeJob !== null && isStart(activeJob.type)) return { agent, job: activeJob, alreadyInProgress: true };
  return requestJob(call, agent, type);
}

/** The code, in the flat style, of a 409 for an agent that is not in the state that it takes. */
export const notReady = 'session_not_ready';

/** The 409 of what cannot happen while a job is in progress. */
export function busyWith({ type, id }: AgentJob, status: AgentStatus): ApiError {
  const what = status === 'provisioning' ? 'Agent is already being provisioned' : `Agent is busy (${status})`;
  return new ApiError('CONFLICT', {
    message: `${what}: its job ${type} is in progress. Wait until GET /api/v1/jobs/${id} says that it has ended`,
    details: { jobId: id, type },
    flatCode: notReady,
  });
}

/** The failure mode of the header, if it concerns jobs of this type. */
export function modeOfHeader(call: Pick<Request, 'header' | 'warn'>, type: AgentJobType): string | null {
  const named = call.header('x-emulator-failure');
  if (named === undefined) return null;
  const mode = requireAgentMode(named, 'header X-Emulator-Failure');
  const { jobs } = readAgentFailure(mode);
  if (!jobs.includes(type)) call.warn(`X-Emulator-Failure: ${mode} concerns ${jobs.join(', ')}, not ${type}`);
  return mode;
}

/** Ends a job now by an intervention, with an error or (null) successfully. */
export function endAgentJob(world: World, job: AgentJob, now: number, error: string | null): AgentJob {
  const act = { ...placeNow(world, now), error };
  saveAgentJobAct(world.db, job.seq, act);
  jobDue(world, job.agent_id, now);
  announce(world, job);
  return { ...job, act };
}

/** What the end of a job brings about: a deleted agent is removed, hours begin. */
export function jobDue(world: World, agentId: string, at: number): void {
  world.schedule(jobEffect, agentId, undefined);
  const agent = findHostedAgent(world.db, agentId);
  if (agent === undefined) return;
  if (agent.job !== null) announce(world, agent.job);
  if (stateAt(agent, at).gone) removeHostedAgent(world, agent);
  else settleHours(world, agent, at);
}

/** Removes an agent; its jobs stay, so that clients see how its deletion ended. */
export function removeHostedAgent(world: World, agent: HostedAgent): void {
  for (const kind of [hourEffect, jobEffect]) world.schedule(kind, agent.id, undefined);
  deleteActsOfAgent(world.db, agent.id);
  deleteHostedAgent(world.db, agent.id);
  world.bus.emit(`hosted-agent:${agent.id}`);
}

/** Sets the state of an agent now: an intervention. A job in progress is given up. */
export function setAgentStatus(
  world: World,
  agent: HostedAgent,
  now: number,
  { status, error }: { status: AgentStatus; error: string | null },
): HostedAgent {
  const { job } = agent;
  const place = placeNow(world, now);
  const before: AgentState = stateAt(agent, now);
  if (job !== null && agentJobAt(job, now).endedAt === null)
    saveAgentJobAct(world.db, job.seq, { ...place, error: error ?? `The agent was set to ${status}` });
  insertAgentAct(world.db, { ...place, agent_id: agent.id, previous: before.status, status, error });
  world.schedule(jobEffect, agent.id, undefined);
  const errors = error === null ? before.errors : before.errors + 1;
  const database = status === 'running' ? 'ready' : before.database;
  const base = { status, since: now, error, errors, database };
  const set: HostedAgent = { ...agent, base, job: null, updated_at: now };
  saveHostedAgent(world.db, set);
  if (job !== null) announce(world, job);
  world.bus.emit(`hosted-agent:${agent.id}`);
  return settleHours(world, set, now);
}

function announce(world: World, { id, agent_id }: AgentJob): void {
  world.bus.emit(`job:${id}`);
  world.bus.emit(`hosted-agent:${agent_id}`);
}

/** The job of an id, or the latest one of an agent. */
export function findJobNamed(world: World, name: string): AgentJob | undefined {
  return findAgentJob(world.db, name) ?? findHostedAgent(world.db, name)?.job ?? undefined;
}
