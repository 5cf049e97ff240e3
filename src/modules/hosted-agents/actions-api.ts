// Endpoints of what is done with a hosted agent: provision, suspend, resume, sleep, wake, snapshot, restore, environment.

import { ApiError, invalid } from '../../core/errors.js';
import { type Endpoint, endpoint, type HandlerContext } from '../../http/endpoint.js';
import { type JsonAnswer, json, ok } from '../../http/response.js';
import { iso } from '../../http/wire.js';
import { agentParams, base, ownHostedAgent, read, webUiUrl, write } from './access.js';
import * as answers from './answers.js';
import { backupsOf } from './backups.js';
import { agentJobAt, isShared, stateAt } from './lifecycle.js';
import { busyWith, notReady, requestJob, startAgent } from './operations.js';
import { presentBegun } from './present.js';
import * as schema from './schema.js';
import { type AgentJobType, type AgentStatus, type HostedAgent, saveHostedAgent } from './store.js';

interface ActionDeclaration {
  name: string;
  summary: string;
  /** It may refuse for want of credits. */
  starts?: true;
  handle: (call: Call, agent: HostedAgent) => JsonAnswer;
}

type Call = HandlerContext<{ agentId: string }>;

/** An endpoint that begins a job, or has nothing to do. */
const action = ({ name, summary, starts, handle }: ActionDeclaration): Endpoint =>
  endpoint({
    id: `hostedAgents.${name}`,
    method: 'POST',
    path: `${base}/{agentId}/${name}`,
    begins: 'job',
    summary,
    permission: write,
    params: agentParams,
    responses: {
      200: { description: 'There is nothing to do', schema: answers.doneAnswer },
      202: { description: 'The job that does it', schema: answers.jobAnswer },
    },
    errors: [
      'NOT_FOUND',
      'CONFLICT',
      ...(starts === true ? (['INSUFFICIENT_CREDITS', 'SERVICE_UNAVAILABLE'] as const) : []),
    ],
    assumptions: ['hostedAgents.jobs', ...(starts === true ? (['hostedAgents.billing'] as const) : [])],
    handle: (call) => handle(call, ownHostedAgent(call.world, call.caller, call.params.agentId)),
  });

export const actionEndpoints: Endpoint[] = [
  endpoint({
    id: 'hostedAgents.provision',
    method: 'POST',
    path: `${base}/{agentId}/provision`,
    begins: 'job',
    summary: 'Provision a hosted agent: give it a container, and start it',
    permission: write,
    params: agentParams,
    query: schema.provisionQuery,
    responses: {
      200: { description: 'It runs', schema: answers.doneAnswer },
      202: { description: 'The job that provisions it', schema: answers.jobAnswer },
    },
    errors: ['NOT_FOUND', 'CONFLICT', 'INSUFFICIENT_CREDITS', 'SERVICE_UNAVAILABLE'],
    assumptions: ['hostedAgents.jobs', 'hostedAgents.billing'],
    handle: provision,
  }),
  action({ name: 'suspend', summary: 'Stop a hosted agent; a backup is made first', handle: suspend }),
  action({ name: 'resume', summary: 'Start a hosted agent that was stopped', starts: true, handle: resume }),
  action({
    name: 'sleep',
    summary: 'Put a hosted agent to sleep: a backup is made, and its node is freed',
    handle(call, agent) {
      requireContainer(agent, 'Sleep');
      const { status, activeJob } = stateAt(agent, call.now);
      if (status === 'sleeping') return done(call, agent, 'Agent is already sleeping');
      if (activeJob === null && status !== 'running') throw notRunning('sleep', status);
      return begun(call, agent, 'agent_sleep');
    },
  }),
  action({
    name: 'wake',
    summary: 'Wake a hosted agent that sleeps, from its last backup',
    starts: true,
    handle(call, agent) {
      const { status, activeJob } = stateAt(agent, call.now);
      if (status === 'running' && activeJob === null) return done(call, agent, 'Agent is already running');
      if (activeJob === null && status !== 'sleeping')
        throw conflict(`Agent is not sleeping, but ${status}: resume or provision it`);
      return start(call, agent, 'agent_wake');
    },
  }),
  endpoint({
    id: 'hostedAgents.snapshot',
    method: 'POST',
    path: `${base}/{agentId}/snapshot`,
    begins: 'job',
    summary: 'Make a backup of a hosted agent that runs',
    permission: write,
    params: agentParams,
    responses: { 202: { description: 'The job that makes it', schema: answers.jobAnswer } },
    errors: ['NOT_FOUND', 'CONFLICT'],
    assumptions: ['hostedAgents.jobs', 'hostedAgents.backups'],
    handle(call) {
      const agent = own(call);
      requireContainer(agent, 'Snapshot');
      const { status, activeJob } = stateAt(agent, call.now);
      if (activeJob === null && status !== 'running') throw conflict(`Sandbox is not running: the agent is ${status}`);
      return begun(call, agent, 'agent_snapshot');
    },
  }),
  endpoint({
    id: 'hostedAgents.backups',
    method: 'GET',
    path: `${base}/{agentId}/backups`,
    summary: 'List the backups of a hosted agent, newest first',
    permission: read,
    params: agentParams,
    responses: { 200: { description: 'The backups', schema: answers.backupsAnswer } },
    errors: ['NOT_FOUND'],
    assumptions: ['hostedAgents.backups'],
    handle(call) {
      const backups = backupsOf(call.world, own(call), call.now).reverse();
      return ok({ success: true, data: backups.map((one) => ({ ...one, createdAt: iso(one.createdAt) })) });
    },
  }),
  endpoint({
    id: 'hostedAgents.restore',
    method: 'POST',
    path: `${base}/{agentId}/restore`,
    summary: 'Restore a hosted agent from a backup, by default the newest',
    permission: write,
    params: agentParams,
    body: schema.restoreBody,
    bodyOptional: true,
    responses: { 200: { description: 'It is restored', schema: answers.restoredAnswer } },
    errors: ['NOT_FOUND', 'CONFLICT'],
    assumptions: ['hostedAgents.backups'],
    handle: restore,
  }),
  endpoint({
    id: 'hostedAgents.environment',
    method: 'PATCH',
    path: `${base}/{agentId}/environment`,
    summary: 'Set or remove environment variables of a hosted agent',
    permission: write,
    params: agentParams,
    body: schema.environmentBody,
    example: { environmentVars: { LOG_LEVEL: 'debug' } },
    secrets: ['environmentVars'],
    responses: { 200: { description: 'The names of what has changed', schema: answers.environmentAnswer } },
    errors: ['NOT_FOUND', 'CONFLICT'],
    assumptions: ['hostedAgents.environment'],
    handle: changeEnvironment,
  }),
];

function own({ world, caller, params }: Call): HostedAgent {
  return ownHostedAgent(world, caller, params.agentId);
}

function begun(call: Call, agent: HostedAgent, type: AgentJobType): JsonAnswer {
  return json(202, presentBegun(requestJob(call, agent, type), call));
}

// The 200 of what is so already.
function done({ now, baseUrl }: Call, agent: HostedAgent, message: string): JsonAnswer {
  const { id, name, tier } = agent;
  const data = {
    id,
    agentId: id,
    agentName: name,
    status: stateAt(agent, now).status,
    executionTier: tier,
    message,
    webUiUrl: webUiUrl(baseUrl, agent),
  };
  return ok({ success: true, ...(isShared(agent) && { source: 'shared_runtime' }), message, data });
}

const onShared = 'The agent runs on the shared runtime: it has no container that could be started or stopped';

function provision(call: HandlerContext<{ agentId: string }, { sync: boolean }>): JsonAnswer {
  const { now } = call;
  const agent = own(call);
  if (isShared(agent)) return done(call, agent, onShared);
  const { status, activeJob } = stateAt(agent, now);
  if (status === 'running' && activeJob === null) return done(call, agent, 'Agent is already running');
  if (activeJob !== null) throw busyWith(activeJob, status);
  const started = startAgent(call, agent, 'agent_provision');
  const isDone = agentJobAt(started.job, now).status === 'completed';
  if (call.query.sync && isDone) return done(call, started.agent, 'The agent is provisioned');
  if (call.query.sync) call.warn('sync has no effect: the job takes virtual time, so the response is 202');
  return json(202, presentBegun(started, call));
}

/** Suspends an agent, for its own endpoint and for PATCH. */
export function suspend(call: Call, agent: HostedAgent): JsonAnswer {
  if (isShared(agent)) return done(call, agent, onShared);
  const { status, activeJob } = stateAt(agent, call.now);
  if (activeJob === null && (status === 'stopped' || status === 'sleeping'))
    return done(call, agent, 'Agent is already suspended/stopped');
  if (activeJob === null && !['running', 'error', 'disconnected'].includes(status)) throw notRunning('suspend', status);
  return begun(call, agent, 'agent_suspend');
}

function resume(call: Call, agent: HostedAgent): JsonAnswer {
  if (isShared(agent)) return done(call, agent, onShared);
  const { status, activeJob } = stateAt(agent, call.now);
  if (status === 'running' && activeJob === null) return done(call, agent, 'Agent is already running');
  if (activeJob === null && status === 'deletion_failed') throw notRunning('resume', status);
  return start(call, agent, 'agent_resume');
}

// A start of another kind that is in progress is a job like any other.
function start(call: Call, agent: HostedAgent, type: 'agent_resume' | 'agent_wake'): JsonAnswer {
  const { activeJob, status } = stateAt(agent, call.now);
  if (activeJob !== null && activeJob.type !== type) throw busyWith(activeJob, status);
  return json(202, presentBegun(startAgent(call, agent, type), call));
}

function notRunning(verb: string, status: AgentStatus): ApiError {
  return conflict(`Cannot ${verb} this agent: it is ${status}`);
}

function conflict(message: string): ApiError {
  return new ApiError('CONFLICT', { message, flatCode: notReady });
}

function requireContainer(agent: HostedAgent, what: string): void {
  if (isShared(agent)) throw conflict(`${what} requires a container-backed execution tier: the agent is shared`);
}

function restore(call: HandlerContext<{ agentId: string }, unknown, { backupId?: string | undefined } | undefined>) {
  const { world, now } = call;
  const agent = own(call);
  requireContainer(agent, 'Restore');
  const { activeJob, status } = stateAt(agent, now);
  if (activeJob !== null) throw busyWith(activeJob, status);
  const backups = backupsOf(world, agent, now);
  const wanted = call.body?.backupId;
  const backup = wanted === undefined ? backups.at(-1) : backups.find(({ id }) => id === wanted);
  if (backup === undefined) throw new ApiError('NOT_FOUND', { message: 'No backup found' });
  saveHostedAgent(world.db, { ...agent, updated_at: now });
  const data = {
    restoredFromBackupId: backup.id,
    snapshotType: backup.snapshotType,
    createdAt: iso(backup.createdAt),
  };
  return ok({ success: true, data });
}

type EnvironmentCall = HandlerContext<{ agentId: string }, unknown, typeof schema.environmentBody._output>;

function changeEnvironment(call: EnvironmentCall): JsonAnswer {
  const { world, now, body } = call;
  const agent = own(call);
  const { activeJob, status } = stateAt(agent, now);
  if (activeJob !== null) throw busyWith(activeJob, status);
  const entries = Object.entries(body.environmentVars);
  const reservedKeys = schema.reservedAmong(entries.map(([name]) => name));
  if (reservedKeys.length > 0) throw keptByPlatform(reservedKeys);
  const removedKeys = entries.filter(([name, value]) => value === null && name in agent.environment_vars);
  const set = entries.filter((entry): entry is [string, string] => entry[1] !== null);
  const kept = Object.entries(agent.environment_vars).filter(([name]) => body.environmentVars[name] !== null);
  const environment_vars = { ...Object.fromEntries(kept), ...Object.fromEntries(set) };
  const checked = schema.environment.safeParse(environment_vars);
  const issue = checked.error?.issues[0];
  if (issue !== undefined)
    throw invalid({ path: ['environmentVars', ...issue.path].join('.'), message: issue.message });
  saveHostedAgent(world.db, { ...agent, environment_vars, updated_at: now });
  const data = {
    agentId: agent.id,
    updatedKeys: set.map(([name]) => name),
    removedKeys: removedKeys.map(([name]) => name),
    status,
    executionTier: agent.tier,
    needsRestart: !isShared(agent) && status === 'running',
  };
  return ok({ success: true, data });
}

function keptByPlatform(reservedKeys: readonly string[]): ApiError {
  const { options } = invalid(
    ...reservedKeys.map((name) => ({ path: `environmentVars.${name}`, message: 'is a variable of the platform' })),
  );
  return new ApiError('VALIDATION_ERROR', { ...options, extra: { reservedKeys } });
}
