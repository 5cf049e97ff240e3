// Endpoints of all other paths of a hosted agent's own API, which only a process of the user's own can answer. They are
// there where the settings name one; otherwise the paths are 501.

import { ApiError, type ErrorCode } from '../../core/errors.js';
import type { AssumptionId } from '../../http/assumptions.js';
import { readWhole } from '../../http/body.js';
import { type Endpoint, endpoint, type HandlerContext } from '../../http/endpoint.js';
import { agentParams, base, ownHostedAgent, read, write } from '../hosted-agents/access.js';
import { requireRunning } from './talk.js';
import { passOn } from './upstream.js';

type OfAgent = HandlerContext<{ agentId: string }>;

const path = `${base}/{agentId}/api/{path}`;
const common = {
  path,
  idHasSlashes: true,
  params: agentParams,
  errors: ['NOT_FOUND', 'CONFLICT', 'NOT_IMPLEMENTED'] satisfies ErrorCode[],
  assumptions: ['hostedAgents.talk'] satisfies AssumptionId[],
};
const responses = { 200: { description: 'What the process behind the agent answers' } };

/** The endpoints that are there where the setting hostedAgents.upstreams names a process. */
export const agentRestEndpoints: Endpoint[] = [
  endpoint({
    ...common,
    id: 'hostedAgents.read',
    method: 'GET',
    harmless: true,
    summary: 'Read something of the own API of a hosted agent',
    permission: read,
    responses,
    handle: (call) => restOf(call, undefined),
  }),
  endpoint({
    ...common,
    id: 'hostedAgents.write',
    method: 'POST',
    summary: 'Send something to the own API of a hosted agent',
    permission: write,
    responses,
    prepare({ world, content }) {
      const { maxBody } = world.config.server;
      return readWhole(content, maxBody, `The body is larger than ${maxBody} bytes`);
    },
    handle: (call) => restOf(call, call.prepared),
  }),
];

function restOf(call: OfAgent, body: Buffer | undefined) {
  const agent = ownHostedAgent(call);
  requireRunning(agent, call.now);
  const passed = passOn(call, agent, { body });
  if (passed !== undefined) return passed;
  throw new ApiError('NOT_IMPLEMENTED', {
    message: `Not implemented: this path of an agent. The setting hostedAgents.upstreams names no process that answers for ${agent.name}`,
  });
}
