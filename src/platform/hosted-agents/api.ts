// Endpoints that create, list, show, change and delete hosted agents.

import { ApiError, type FieldProblem, invalid, isAbout } from '../../core/errors.js';
import { describe } from '../../core/problems.js';
import { type Endpoint, endpoint, type HandlerContext } from '../../http/endpoint.js';
import { type JsonAnswer, json, ok } from '../../http/response.js';
import { iso } from '../../http/wire.js';
import { agentParams, base, ownHostedAgent, read, webUiUrl, write } from './access.js';
import { actionEndpoints, suspend } from './actions-api.js';
import * as answers from './answers.js';
import { type Created, createHostedAgent } from './create.js';
import { agentJobAt, isShared, stateAt } from './lifecycle.js';
import { busyWith, removeHostedAgent, requestJob } from './operations.js';
import {
  estimateOf,
  presentBegun,
  presentHostedAgent,
  presentHostedDetails,
  presentPolling,
  presentSummary,
} from './present.js';
import * as schema from './schema.js';
import { agentsOf, type HostedAgent, saveHostedAgent } from './store.js';

/** Matches a response that shows an agent with a job in progress. */
const isBusy = (body: string): boolean => body.includes('"activeJob":{');

export const hostedAgentEndpoints: Endpoint[] = [
  endpoint({
    id: 'hostedAgents.create',
    method: 'POST',
    path: base,
    begins: 'job',
    summary: 'Create a hosted agent, or get the one that the organization has',
    permission: write,
    query: schema.createQuery,
    body: schema.createBody,
    example: { agentName: 'Support', agentConfig: {} },
    secrets: ['environmentVars'],
    responses: {
      200: { description: 'The agent that the organization has already', schema: answers.reusedAnswer },
      201: {
        description: 'The new agent: shared or from the warm pool and running, or pending',
        schema: answers.createdAnswer,
      },
      202: { description: 'The new agent, which is being provisioned', schema: answers.provisionedAnswer },
    },
    errors: [
      'NOT_FOUND',
      'FORBIDDEN',
      'PRICE_NOT_CONFIRMED',
      'INSUFFICIENT_CREDITS',
      'AGENT_QUOTA_EXCEEDED',
      'SERVICE_UNAVAILABLE',
    ],
    assumptions: ['hostedAgents.create', 'hostedAgents.tiers', 'hostedAgents.environment', 'hostedAgents.billing'],
    flatAs: (error) => (isAbout(error, 'autoProvision') ? { error: 'Invalid autoProvision' } : {}),
    handle: (call) => answerCreated(createHostedAgent(call), call),
  }),
  endpoint({
    id: 'hostedAgents.list',
    method: 'GET',
    harmless: true,
    path: base,
    polls: { for: 'job', underWay: isBusy },
    summary: 'List the hosted agents of the organization, newest first, with what they cost',
    permission: read,
    responses: { 200: { description: 'The agents, and a summary', schema: answers.listAnswer } },
    assumptions: ['hostedAgents.item', 'hostedAgents.billing'],
    handle(call) {
      const { organizationId } = call.caller;
      const agents = agentsOf(call.world.db, organizationId);
      return ok({
        success: true,
        data: agents.map((agent) => presentHostedAgent(agent, call)),
        hostingSummary: presentSummary(agents, { ...call, organizationId }),
      });
    },
  }),
  endpoint({
    id: 'hostedAgents.get',
    method: 'GET',
    harmless: true,
    path: `${base}/{agentId}`,
    polls: { for: 'job', underWay: isBusy },
    summary: 'Get a hosted agent',
    permission: read,
    params: agentParams,
    responses: { 200: { description: 'The agent', schema: answers.getAnswer } },
    errors: ['NOT_FOUND'],
    assumptions: ['hostedAgents.item'],
    handle: (call) => ok({ success: true, data: presentHostedDetails(ownHostedAgent(call), call) }),
  }),
  endpoint({
    id: 'hostedAgents.update',
    method: 'PATCH',
    path: `${base}/{agentId}`,
    summary: 'Change the name or configuration of a hosted agent, or suspend it',
    permission: write,
    params: agentParams,
    body: schema.updateBody,
    example: { agentName: 'Support at night' },
    responses: {
      200: { description: 'The agent is changed, or there is nothing to suspend', schema: answers.doneAnswer },
      202: { description: 'The job that suspends it', schema: answers.jobAnswer },
    },
    errors: ['NOT_FOUND', 'CONFLICT'],
    assumptions: ['hostedAgents.changes', 'hostedAgents.jobs'],
    handle: update,
  }),
  endpoint({
    id: 'hostedAgents.delete',
    method: 'DELETE',
    path: `${base}/{agentId}`,
    summary: 'Delete a hosted agent',
    permission: write,
    params: agentParams,
    body: schema.deleteBody,
    bodyOptional: true,
    responses: {
      200: { description: 'A shared agent is deleted', schema: answers.deletedAnswer },
      202: { description: 'The job that deletes a dedicated one', schema: answers.jobAnswer },
    },
    errors: ['NOT_FOUND', 'CONFLICT'],
    assumptions: ['hostedAgents.delete', 'hostedAgents.jobs'],
    flatAs: ({ code }) =>
      code === 'VALIDATION_ERROR' || code === 'INVALID_JSON' ? { error: 'Invalid conditional delete request' } : {},
    handle(call) {
      const agent = ownHostedAgent(call);
      checkExpected(agent, call.body ?? {});
      if (isShared(agent)) {
        removeHostedAgent(call.world, agent);
        const data = { agentId: agent.id, status: 'deleted', executionTier: agent.tier };
        return ok({ success: true, deleted: true, source: 'shared_runtime', data });
      }
      return json(202, presentBegun(requestJob(call, agent, 'agent_delete'), call));
    },
  }),
  ...actionEndpoints,
];

function answerCreated({ agent, created, isWarm, begun }: Created, call: HandlerContext): JsonAnswer {
  const { world, now, baseUrl } = call;
  const executionTier = agent.tier;
  const common = { id: agent.id, agentId: agent.id, agentName: agent.name };
  if (begun !== undefined) {
    const { job } = begun;
    const data = {
      ...common,
      status: agentJobAt(job, now).status,
      jobId: job.id,
      estimatedCompletionAt: estimateOf(world, job),
      executionTier,
    };
    const message = 'The agent is being provisioned';
    return json(202, { success: true, created: true, message, data, polling: presentPolling(world, job) });
  }
  const { status } = stateAt(agent, now);
  const data = { ...common, status, createdAt: iso(agent.created_at), executionTier };
  if (!created) return ok({ success: true, created: false, data });
  const page = webUiUrl(baseUrl, agent);
  if (isWarm === true) {
    const warm = { ...data, bridgeUrl: `${page}/bridge`, healthUrl: `${page}/api/health` };
    return json(201, { success: true, created: true, source: 'warm_pool', data: warm });
  }
  if (!isShared(agent)) return json(201, { success: true, created: true, data });
  const shared = { ...data, webUiUrl: page };
  return json(201, { success: true, created: true, source: 'shared_runtime', data: shared });
}

type UpdateCall = HandlerContext<{ agentId: string }, unknown, typeof schema.updateBody._output>;

function update(call: UpdateCall): JsonAnswer {
  const { world, now, body } = call;
  const agent = ownHostedAgent(call);
  if (body.action !== undefined) return suspend(call, agent);
  const { activeJob, status } = stateAt(agent, now);
  if (activeJob !== null && status !== 'running') throw busyWith(activeJob, status);
  const changed: HostedAgent = {
    ...agent,
    name: body.agentName ?? agent.name,
    config: body.agentConfig ?? agent.config,
    updated_at: now,
  };
  saveHostedAgent(world.db, changed);
  const { id, name, tier, updated_at } = changed;
  return ok({ success: true, data: { id, agentName: name, executionTier: tier, updatedAt: iso(updated_at) } });
}

// A client that deletes by what it has seen is refused where the agent is another one by now.
function checkExpected(agent: HostedAgent, body: typeof schema.deleteBody._output): void {
  const { expectedAgentName, expectedCreatedAt, expectedExecutionTier } = body;
  const problems: FieldProblem[] = [];
  const compare = (path: string, expected: string | undefined, actual: string, isSame: boolean): void => {
    if (expected !== undefined && !isSame)
      problems.push({ path, message: `is not that of the agent: ${actual}`, received: describe(expected) });
  };
  compare('expectedAgentName', expectedAgentName, describe(agent.name), expectedAgentName === agent.name);
  const created = iso(agent.created_at);
  compare('expectedCreatedAt', expectedCreatedAt, created, Date.parse(expectedCreatedAt ?? '') === agent.created_at);
  compare('expectedExecutionTier', expectedExecutionTier, agent.tier, expectedExecutionTier === agent.tier);
  const [first] = problems;
  if (first === undefined) return;
  const { options } = invalid(...problems);
  throw new ApiError('CONFLICT', {
    ...options,
    message: `The agent is not the one that was expected: ${first.path} ${first.message}`,
    flatCode: 'identity_conflict',
  });
}
