// Publishing agents to the marketplace and taking them back.

import type * as z from 'zod';
import { type Endpoint, endpoint } from '../../http/endpoint.js';
import { ok } from '../../http/response.js';
import type { World } from '../../world/world.js';
import { own, write } from './access.js';
import { presentPublished } from './present.js';
import * as schema from './schema.js';
import { type Agent, type Publishing, saveVisibility } from './store.js';

const path = '/api/v1/agents/{agentId}/publish';

export const publishEndpoints: Endpoint[] = [
  endpoint({
    id: 'agents.publish',
    method: 'POST',
    path,
    summary: 'Publish an agent to the marketplace, or change the terms of a published one',
    permission: write,
    params: schema.publishParams,
    body: schema.publishBody,
    bodyOptional: true,
    example: { enableMonetization: true, markupPercentage: 10 },
    responses: { 200: { description: 'The agent is public', schema: schema.publishAnswer } },
    errors: ['NOT_FOUND'],
    assumptions: ['agents.publish', 'agents.access'],
    handle(call) {
      const agent = own(call, call.params.agentId, 'publish it');
      const published = publishAgent(call.world, agent, call.body, call.now);
      const message = agent.is_public ? 'Agent is already published' : 'Agent published successfully';
      return ok({ success: true, message, agent: presentPublished(published, call.baseUrl) });
    },
  }),
  endpoint({
    id: 'agents.unpublish',
    method: 'DELETE',
    path,
    summary: 'Remove an agent from the marketplace',
    permission: write,
    params: schema.publishParams,
    responses: { 200: { description: 'The agent is private', schema: schema.publishAnswer } },
    errors: ['NOT_FOUND'],
    assumptions: ['agents.unpublish', 'agents.access'],
    handle(call) {
      const agent = own(call, call.params.agentId, 'unpublish it');
      // How it was offered is kept for the next time.
      const { publishing } = agent;
      const taken = change(call.world, agent, call.now, { is_public: false, publishing });
      const message = agent.is_public ? 'Agent unpublished' : 'Agent is not published';
      return ok({ success: true, message, agent: presentPublished(taken, call.baseUrl) });
    },
  }),
];

/** Makes an agent public. What the request leaves out stays as it was, so that publishing can be repeated. */
function publishAgent(world: World, agent: Agent, request: z.output<typeof schema.publishBody>, now: number): Agent {
  const before = agent.publishing;
  const wallet = request.payoutWalletAddress;
  return change(world, agent, now, {
    is_public: true,
    publishing: {
      monetizationEnabled: request.enableMonetization ?? before.monetizationEnabled,
      markupPercentage: request.markupPercentage ?? before.markupPercentage,
      payoutWalletAddress: wallet === undefined ? before.payoutWalletAddress : wallet,
      a2aEnabled: request.a2aEnabled ?? before.a2aEnabled,
      mcpEnabled: request.mcpEnabled ?? before.mcpEnabled,
    },
  });
}

// A repetition that changes nothing must not count as an update.
function change(
  world: World,
  agent: Agent,
  now: number,
  wanted: { is_public: boolean; publishing: Publishing },
): Agent {
  const same =
    wanted.is_public === agent.is_public && JSON.stringify(wanted.publishing) === JSON.stringify(agent.publishing);
  if (same) return agent;
  const changed = { ...agent, ...wanted, updated_at: now };
  saveVisibility(world.db, changed);
  return changed;
}
