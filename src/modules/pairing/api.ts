// Endpoints of pairing: the owner of an agent gets a token, and the page of the agent gets a key for it.

import { ApiError } from '../../core/errors.js';
import { type Endpoint, endpoint, type HandlerContext } from '../../http/endpoint.js';
import { type JsonAnswer, json } from '../../http/response.js';
import { agentParams, base, ownHostedAgent, webUiUrl, write } from '../hosted-agents/access.js';
import { isShared, stateAt } from '../hosted-agents/lifecycle.js';
import { startAgent } from '../hosted-agents/operations.js';
import * as schema from './schema.js';
import { beginPairing, type Paired, pair, pairingLifeMs } from './tokens.js';

const noStore = { 'Cache-Control': 'no-store' };
const retryAfterMs = 5_000;

export const pairingEndpoints: Endpoint[] = [
  endpoint({
    id: 'pairing.create',
    method: 'POST',
    path: `${base}/{agentId}/pairing-token`,
    summary: 'Get a token with which the page of an agent gets a key; an agent that does not run is started',
    permission: write,
    params: agentParams,
    responses: {
      200: { description: 'The token, for 60 seconds', schema: schema.tokenAnswer },
      202: { description: 'The agent starts: ask again', schema: schema.startingAnswer },
    },
    errors: ['NOT_FOUND', 'INSUFFICIENT_CREDITS', 'CONFLICT', 'SERVICE_UNAVAILABLE', 'INTERNAL_ERROR'],
    assumptions: ['pairing.tokens'],
    handle(call) {
      const { world, caller, params, now, baseUrl } = call;
      const agent = ownHostedAgent(world, caller, params.agentId);
      if (isShared(agent)) throw noPage();
      const { status, error } = stateAt(agent, now);
      if (status === 'error') throw new ApiError('INTERNAL_ERROR', { message: `The agent is in an error: ${error}` });
      if (status !== 'running') return starting(call, startAgent(call, agent, startOf(status)));
      const page = `${webUiUrl(baseUrl, agent)}/pair`;
      const { userId, permissions } = caller;
      const { token } = beginPairing(world, { agent, userId, permissions, origin: new URL(page).origin, now });
      const data = { token, redirectUrl: `${page}?token=${token}`, expiresIn: pairingLifeMs / 1_000 };
      return json(200, { success: true, data }, noStore);
    },
  }),
  endpoint({
    id: 'pairing.pair',
    method: 'POST',
    path: '/api/auth/pair',
    summary: 'Get a key for the token of a pairing: for a page of the origin that the token is for',
    auth: 'public',
    body: schema.pairBody,
    secrets: ['token'],
    responses: { 200: { description: 'A key of whoever asked for the token', schema: schema.pairAnswer } },
    errors: ['UNAUTHORIZED'],
    assumptions: ['pairing.pair'],
    handle(call) {
      const { world, body, now } = call;
      const origin = call.header('origin') ?? '';
      if (origin === '') throw noOrigin();
      const paired = pair(world, { ...body, origin }, now);
      if (paired === undefined) throw new ApiError('UNAUTHORIZED', { message: 'Invalid or expired pairing code' });
      return presentPaired(paired);
    },
  }),
  endpoint({
    id: 'pairing.native',
    method: 'POST',
    path: '/api/auth/pair/native',
    summary: 'Get a key for the token of a pairing: for an app, which names the origin itself',
    permission: 'unrestricted',
    body: schema.nativeBody,
    secrets: ['token'],
    responses: { 200: { description: 'A key of whoever asked for the token', schema: schema.pairAnswer } },
    errors: ['GONE'],
    assumptions: ['pairing.pair'],
    handle({ world, body, caller, now }) {
      const { token, agentId, expectedOrigin: origin } = body;
      const paired = pair(world, { token, agentId, origin, organizationId: caller.organizationId }, now);
      if (paired !== undefined) return presentPaired(paired);
      const message = 'Invalid or expired pairing code';
      throw new ApiError('GONE', { message, flatCode: 'pairing_token_invalid' });
    },
  }),
];

function presentPaired({ apiKey, agent }: Paired): JsonAnswer {
  return json(200, { message: 'Paired successfully', apiKey, agentName: agent.name, agentId: agent.id }, noStore);
}

function startOf(status: string): Parameters<typeof startAgent>[2] {
  if (status === 'stopped') return 'agent_resume';
  return status === 'sleeping' ? 'agent_wake' : 'agent_provision';
}

function starting(
  { params }: HandlerContext<{ agentId: string }>,
  { job, alreadyInProgress }: ReturnType<typeof startAgent>,
) {
  const message = 'The agent is starting: ask again for a token';
  const data = { agentId: params.agentId, status: 'starting', jobId: job.id, alreadyInProgress, retryAfterMs, message };
  return json(202, { success: true, data }, { ...noStore, 'Retry-After': String(retryAfterMs / 1_000) });
}

function noPage(): ApiError {
  return new ApiError('SERVICE_UNAVAILABLE', {
    message: 'A shared agent has no page of its own that could be paired: create one with alwaysOn',
    flatCode: 'AGENT_WEB_UI_NOT_READY',
    extra: { retryable: true },
  });
}

function noOrigin(): ApiError {
  return new ApiError('VALIDATION_ERROR', {
    message: 'Origin header required',
    details: [{ path: 'headers.origin', message: 'is required: the origin of the page, as browsers send it' }],
  });
}
