// Endpoints of what is done with a hosted agent: provision, suspend, resume, sleep, wake, snapshot, restore, environment.

import { isIP } from 'node:net';
import { ApiError, found, invalid, isAbout } from '../../core/errors.js';
import { describe } from '../../core/problems.js';
import { type Endpoint, endpoint, type HandlerContext } from '../../http/endpoint.js';
import { type JsonAnswer, json, ok } from '../../http/response.js';
import { iso } from '../../http/wire.js';
import { reservedAmong, setByPlatform } from '../containers/wire/reserved-variables.js';
import { agentParams, base, ownHostedAgent, read, webUiUrl, write } from './access.js';
import * as answers from './answers.js';
import { backupsOf } from './backups.js';
import { requireStart } from './gates.js';
import { isShared, stateAt } from './lifecycle.js';
import { busyWith, notReady, requestJob, startAgent } from './operations.js';
import { presentBegun } from './present.js';
import * as schema from './schema.js';
import { type AgentJobType, type AgentStatus, type HostedAgent, saveHostedAgent } from './store.js';

// Addresses that a server on the internet may be asked to call.

const localName = /(^|\.)(localhost|local|internal)\.?$/;
const localV4 = /^(0|10|127|169\.254|192\.168|172\.(1[6-9]|2\d|3[01])|100\.(6[4-9]|[789]\d|1[01]\d|12[0-7]))\./;
const localV6 = /^(::|::1|::ffff:.*|f[cd].*|fe[89ab].*)$/;

/** Whether a text is an http or https URL of a host that is not, by its name or address, inside some network. */
function isPublicUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  if (protocol !== 'http:' && protocol !== 'https:') return false;
  const host = hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) === 4) return !localV4.test(host);
  return isIP(host) === 6 ? !localV6.test(host) : !localName.test(host);
}

interface ActionDeclaration {
  name: string;
  summary: string;
  handle: (call: Call, agent: HostedAgent) => JsonAnswer;
}

type Call = HandlerContext<{ agentId: string }>;

/** An endpoint that begins a job, or has nothing to do. */
const action = ({ name, summary, handle }: ActionDeclaration): Endpoint =>
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
    errors: ['NOT_FOUND', 'CONFLICT'],
    assumptions: ['hostedAgents.jobs'],
    handle: (call) => handle(call, ownHostedAgent(call)),
  });

/** What all endpoints share that start an agent. */
const starting = {
  method: 'POST',
  begins: 'job',
  permission: write,
  params: agentParams,
  responses: {
    200: { description: 'It runs', schema: answers.doneAnswer },
    202: { description: 'The job that starts it', schema: answers.jobAnswer },
    409: { description: 'That job is in progress already', schema: answers.jobAnswer },
  },
  errors: ['NOT_FOUND', 'CONFLICT', 'PRICE_NOT_CONFIRMED', 'INSUFFICIENT_CREDITS', 'SERVICE_UNAVAILABLE'],
  assumptions: ['hostedAgents.jobs', 'hostedAgents.billing'],
} satisfies Partial<Endpoint>;

const syncing = {
  query: schema.syncQuery,
  flatAs: (error: ApiError) => (isAbout(error, 'sync') ? { error: 'Invalid sync' } : {}),
};

export const actionEndpoints: Endpoint[] = [
  endpoint({
    ...starting,
    ...syncing,
    id: 'hostedAgents.provision',
    path: `${base}/{agentId}/provision`,
    summary: 'Provision a hosted agent: give it a container, and start it',
    handle(call) {
      const agent = ownHostedAgent(call);
      if (call.query.sync === 'true') requireContainer(agent, 'provision');
      return start(call, agent, 'agent_provision');
    },
  }),
  action({ name: 'suspend', summary: 'Stop a hosted agent; a backup is made first', handle: suspend }),
  endpoint({
    ...starting,
    ...syncing,
    id: 'hostedAgents.resume',
    path: `${base}/{agentId}/resume`,
    summary: 'Start a hosted agent that was stopped',
    handle(call) {
      const agent = ownHostedAgent(call);
      if (call.query.sync === 'true') {
        requireContainer(agent, 'resume');
        if (stateAt(agent, call.now).activeJob?.type === 'agent_delete')
          throw conflict('Agent resume cannot target capacity with deletion in progress');
      }
      return start(call, agent, 'agent_resume');
    },
  }),
  action({
    name: 'sleep',
    summary: 'Put a hosted agent to sleep: a backup is made, and its node is freed',
    handle(call, agent) {
      requireContainer(agent, 'sleep');
      const { status, activeJob } = stateAt(agent, call.now);
      if (status === 'sleeping') return done(call, agent, 'sleep', 'Agent is already sleeping');
      if (activeJob === null && status !== 'running') throw notRunning('sleep', status);
      return begun(call, agent, 'agent_sleep');
    },
  }),
  endpoint({
    ...starting,
    id: 'hostedAgents.wake',
    path: `${base}/{agentId}/wake`,
    summary: 'Wake a hosted agent that sleeps, from its last backup',
    handle: (call) => start(call, ownHostedAgent(call), 'agent_wake'),
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
      const agent = ownHostedAgent(call);
      requireContainer(agent, 'snapshot');
      const { status, activeJob } = stateAt(agent, call.now);
      if (activeJob === null && status !== 'running') throw conflict(`Sandbox is not running: the agent is ${status}`);
      return begun(call, agent, 'agent_snapshot');
    },
  }),
  endpoint({
    id: 'hostedAgents.backups',
    method: 'GET',
    harmless: true,
    path: `${base}/{agentId}/backups`,
    summary: 'List the backups of a hosted agent, newest first',
    permission: read,
    params: agentParams,
    responses: { 200: { description: 'The backups', schema: answers.backupsAnswer } },
    errors: ['NOT_FOUND'],
    assumptions: ['hostedAgents.backups'],
    handle(call) {
      const backups = backupsOf(call.world, ownHostedAgent(call), call.now).reverse();
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

function begun(call: Call, agent: HostedAgent, type: AgentJobType): JsonAnswer {
  return json(202, presentBegun(requestJob(call, agent, type), call));
}

// The 200 of what is so already.
function done({ now, baseUrl }: Call, agent: HostedAgent, action: string, message: string): JsonAnswer {
  const { id, name, tier } = agent;
  const data = {
    id,
    agentId: id,
    agentName: name,
    action,
    status: stateAt(agent, now).status,
    executionTier: tier,
    message,
    webUiUrl: webUiUrl(baseUrl, agent),
  };
  return ok({ success: true, ...(isShared(agent) && { source: 'shared_runtime' }), message, data });
}

/** Suspends an agent, for its own endpoint and for PATCH. */
export function suspend(call: Call, agent: HostedAgent): JsonAnswer {
  if (isShared(agent)) return done(call, agent, 'suspend', 'Shared-runtime agents do not use dedicated compute');
  const { status, activeJob } = stateAt(agent, call.now);
  if (activeJob === null && (status === 'stopped' || status === 'sleeping'))
    return done(call, agent, 'suspend', 'Agent is already suspended/stopped');
  if (activeJob === null && !['running', 'error', 'disconnected'].includes(status)) throw notRunning('suspend', status);
  return begun(call, agent, 'agent_suspend');
}

type Start = 'agent_provision' | 'agent_resume' | 'agent_wake';

/** The states from which no start of this kind leads. */
const notFrom: Record<Start, (status: AgentStatus) => boolean> = {
  agent_provision: () => false,
  agent_resume: (status) => status === 'deletion_failed',
  agent_wake: (status) => status !== 'sleeping',
};

// A start of the same kind that is in progress is the answer; any other job has to end first.
function start(call: Call, agent: HostedAgent, type: Start): JsonAnswer {
  const action = type.replace('agent_', '');
  if (isShared(agent)) return done(call, agent, action, 'Agent is already available on the shared runtime');
  const { activeJob, status } = stateAt(agent, call.now);
  if (status === 'running' && activeJob === null) return done(call, agent, action, 'Agent is already running');
  requireStart(call, agent.organization_id);
  if (activeJob === null && notFrom[type](status)) throw notRunning(action, status);
  if (activeJob !== null && activeJob.type !== type) throw busyWith(activeJob, status);
  requireWebhook(call);
  const started = startAgent(call, agent, type);
  return json(started.alreadyInProgress ? 409 : 202, presentBegun(started, call));
}

/** @throws ApiError VALIDATION_ERROR for an address that the platform would not call */
function requireWebhook(call: Call): void {
  const url = call.header('x-webhook-url');
  if (url === undefined || isPublicUrl(url)) return;
  throw invalid({
    path: 'header x-webhook-url',
    message: 'must be an http or https URL of a public host',
    received: describe(url),
  });
}

function notRunning(verb: string, status: AgentStatus): ApiError {
  return conflict(`Cannot ${verb} this agent: it is ${status}`);
}

function conflict(message: string): ApiError {
  return new ApiError('CONFLICT', { message, flatCode: notReady });
}

function requireContainer(agent: HostedAgent, what: string): void {
  if (isShared(agent)) throw conflict(`Agent ${what} requires a container-backed execution tier`);
}

function restore(call: HandlerContext<{ agentId: string }, unknown, { backupId?: string | undefined } | undefined>) {
  const { world, now } = call;
  const agent = ownHostedAgent(call);
  requireContainer(agent, 'restore');
  const { activeJob, status } = stateAt(agent, now);
  if (activeJob !== null) throw busyWith(activeJob, status);
  const backups = backupsOf(world, agent, now);
  const wanted = call.body?.backupId;
  const chosen = wanted === undefined ? backups.at(-1) : backups.find(({ id }) => id === wanted);
  const backup = found(chosen, 'No backup found');
  saveHostedAgent(world.db, { ...agent, updated_at: now });
  const data = {
    restoredFromBackupId: backup.id,
    snapshotType: backup.snapshotType,
    createdAt: iso(backup.createdAt),
  };
  return ok({ success: true, data });
}

// The environment variables of a hosted agent: what a client may set of them.

type EnvironmentCall = HandlerContext<{ agentId: string }, unknown, typeof schema.environmentBody._output>;

/**
 * Sets and removes variables of an agent, within the caller's transaction.
 *
 * @throws ApiError NOT_FOUND, CONFLICT while a job is in progress, VALIDATION_ERROR
 */
function changeEnvironment(call: EnvironmentCall): JsonAnswer {
  const { world, now, body } = call;
  const agent = ownHostedAgent(call);
  const { activeJob, status } = stateAt(agent, now);
  if (activeJob !== null) throw busyWith(activeJob, status);
  const entries = Object.entries(body.environmentVars);
  const reservedKeys = reservedAmong(entries.map(([name]) => name));
  if (reservedKeys.length > 0) throw setByPlatform(reservedKeys, { extra: { reservedKeys } });
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
