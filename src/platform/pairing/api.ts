// Endpoints of pairing: the owner of an agent gets a token, and the page of the agent gets a key for it.

import { ApiError, type ErrorCode, invalid, isAbout } from '../../core/errors.js';
import { wantsPage } from '../../http/accept.js';
import { type Endpoint, endpoint, type HandlerContext } from '../../http/endpoint.js';
import { type JsonAnswer, json } from '../../http/response.js';
import type { World } from '../../world/world.js';
import { agentParams, base, ownHostedAgent, webUiUrl, write } from '../hosted-agents/access.js';
import { requireCredits } from '../hosted-agents/gates.js';
import { isShared, stateAt } from '../hosted-agents/lifecycle.js';
import { startAgent } from '../hosted-agents/operations.js';
import { findHostedAgent } from '../hosted-agents/store.js';
import { pairedPage, pairPage } from './pages.js';
import * as schema from './schema.js';
import { agentToPair, beginPairing, type Paired, pair, pairingLifeMs } from './tokens.js';

const noStore = { 'Cache-Control': 'no-store' };
const retryAfterMs = 5_000;
const invalidCode = 'Invalid or expired pairing code';
const page = { auth: 'public', page: true, path: `${base}/{agentId}/pair`, params: agentParams } as const;

/** The codes of the native form in the flat style. */
const nativeCodes: Partial<Record<ErrorCode, string>> = {
  UNAUTHORIZED: 'cloud_auth_required',
  VALIDATION_ERROR: 'invalid_native_pairing_request',
  INVALID_JSON: 'invalid_native_pairing_request',
  GONE: 'pairing_token_invalid',
};

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
      const { world, caller, now, baseUrl } = call;
      const agent = ownHostedAgent(call);
      if (isShared(agent)) throw noPage();
      const { status, error, activeJob } = stateAt(agent, now);
      if (status === 'error') throw new ApiError('INTERNAL_ERROR', { message: `The agent is in an error: ${error}` });
      if (status !== 'running') {
        // No price is confirmed here: it was when the agent was created.
        if (activeJob === null) requireCredits(world, caller.organizationId);
        return starting(call, startAgent(call, agent, startOf(status)));
      }
      const address = `${webUiUrl(baseUrl, agent)}/pair`;
      const { userId, permissions } = caller;
      const { token } = beginPairing(world, { agent, userId, permissions, origin: new URL(address).origin, now });
      const data = { token, redirectUrl: `${address}?token=${token}`, expiresIn: pairingLifeMs / 1_000 };
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
    errors: ['UNAUTHORIZED', 'SERVICE_UNAVAILABLE'],
    assumptions: ['pairing.pair'],
    flatAs: (error) =>
      isAbout(error, 'token', 'agentId') || error.code === 'INVALID_JSON'
        ? { error: 'Pairing code (and agent identity) required' }
        : {},
    handle(call) {
      const { world, body, now } = call;
      const origin = call.header('origin') ?? '';
      if (origin === '') throw noOrigin();
      const paired = pair(world, { ...body, origin }, now);
      if (paired === undefined) throw new ApiError('UNAUTHORIZED', { message: invalidCode });
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
    errors: ['GONE', 'SERVICE_UNAVAILABLE'],
    assumptions: ['pairing.pair'],
    flatAs: ({ code }) => ({ code: nativeCodes[code] }),
    handle({ world, body, caller, now }) {
      const { token, agentId, expectedOrigin: origin } = body;
      const paired = pair(world, { token, agentId, origin, organizationId: caller.organizationId }, now);
      if (paired !== undefined) return presentPaired(paired);
      throw new ApiError('GONE', { message: invalidCode });
    },
  }),
  endpoint({
    ...page,
    id: 'pairing.page',
    method: 'GET',
    summary: 'Show the page that the redirectUrl of a token leads to',
    query: schema.pageQuery,
    responses: { 200: { description: 'A page for the browser', contentTypes: ['text/html'] } },
    errors: ['NOT_FOUND'],
    assumptions: ['pairing.page'],
    handle({ world, params, query, now, baseUrl }) {
      const { origin, pathname } = new URL(baseUrl);
      const { agentId } = params;
      requireAgent(world, agentId);
      const agentName = agentToPair(world, { token: query.token, agentId, origin }, now)?.name;
      return pairPage(world, { agentId, agentName, prefix: pathname.replace(/\/+$/, '') });
    },
  }),
  endpoint({
    ...page,
    id: 'pairing.submit',
    method: 'POST',
    summary: 'Pair, as the button of that page does',
    form: true,
    query: schema.pageQuery,
    body: schema.pageBody,
    bodyOptional: true,
    example: {},
    secrets: ['token'],
    responses: {
      200: {
        description: 'A key of whoever asked for the token; a page where the client accepts text/html',
        schema: schema.pairAnswer,
        contentTypes: ['application/json', 'text/html'],
      },
    },
    errors: ['NOT_FOUND', 'GONE', 'SERVICE_UNAVAILABLE'],
    assumptions: ['pairing.page'],
    handle(call) {
      const { world, params, query, body, now, baseUrl } = call;
      requireAgent(world, params.agentId);
      const token = body.token ?? query.token;
      if (token === '') throw invalid({ path: 'token', message: 'is required' });
      const shown = { token, agentId: params.agentId, origin: new URL(baseUrl).origin };
      const paired = pair(world, shown, now);
      if (paired === undefined) throw new ApiError('GONE', { message: invalidCode });
      return wantsPage(call.header('accept')) ? pairedPage(world, paired) : presentPaired(paired);
    },
  }),
];

function requireAgent(world: World, id: string): void {
  const agent = findHostedAgent(world.db, id);
  if (agent === undefined || stateAt(agent, world.clock.now()).gone)
    throw new ApiError('NOT_FOUND', { message: 'Agent not found' });
}

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
