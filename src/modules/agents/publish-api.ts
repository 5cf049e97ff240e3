// Endpoints that put agents on the marketplace and take them off it.

import { type Endpoint, endpoint } from '../../http/endpoint.js';
import { ok } from '../../http/response.js';
import { own, write } from './access.js';
import { presentPublished } from './present.js';
import { publishAgent, unpublishAgent } from './publish.js';
import * as schema from './schema.js';

const path = '/api/v1/agents/{agentId}/publish';

export const publishEndpoints: Endpoint[] = [
  endpoint({
    id: 'agents.publish',
    method: 'POST',
    path,
    summary: 'Publish an agent to the marketplace; again changes how it is offered',
    auth: 'caller',
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
    summary: 'Take an agent off the marketplace',
    auth: 'caller',
    permission: write,
    params: schema.publishParams,
    responses: { 200: { description: 'The agent is private', schema: schema.publishAnswer } },
    errors: ['NOT_FOUND'],
    assumptions: ['agents.unpublish', 'agents.access'],
    handle(call) {
      const agent = own(call, call.params.agentId, 'unpublish it');
      const taken = unpublishAgent(call.world, agent, call.now);
      const message = agent.is_public ? 'Agent unpublished' : 'Agent is not published';
      return ok({ success: true, message, agent: presentPublished(taken, call.baseUrl) });
    },
  }),
];
