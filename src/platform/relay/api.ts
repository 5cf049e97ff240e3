// Endpoints of the gateway relay, by which an agent that runs elsewhere gets requests and answers them.

import { ApiError } from '../../core/errors.js';
import { type Endpoint, endpoint } from '../../http/endpoint.js';
import { type JsonAnswer, keeping, ok } from '../../http/response.js';
import { iso } from '../../http/wire.js';
import { beginRelaySession, ownSession, relayTopic, requireOwn } from './ask.js';
import { changeFor, nextRequest } from './poll.js';
import * as schema from './schema.js';
import {
  deleteRelaySession,
  findRelayRequest,
  findRelaySession,
  type RelayRequest,
  type RelaySession,
  requestLifeMs,
  saveAnswer,
  touchRelaySession,
} from './store.js';

const base = '/api/v1/eliza/gateway-relay/sessions';
// What an agent does here changes the queue: even its polls take requests out of it.
const write = { name: 'agents', level: 'write' } as const;

export const relayEndpoints: Endpoint[] = [
  endpoint({
    id: 'relay.register',
    method: 'POST',
    path: base,
    summary: 'Connect an agent that runs elsewhere: it then polls for requests and answers them',
    permission: write,
    body: schema.registerBody,
    example: { runtimeAgentId: 'agent-1', agentName: 'Ada' },
    responses: { 200: { description: 'The session', schema: schema.registerAnswer } },
    assumptions: ['relay.sessions'],
    handle({ world, caller, body, now }) {
      const session = beginRelaySession(world, { caller, ...body, now });
      return ok({ success: true, data: { session: presentSession(session) } });
    },
  }),
  endpoint({
    id: 'relay.next',
    method: 'GET',
    path: `${base}/{sessionId}/next`,
    summary: 'Wait for the next request to the agent; null when none has come in time',
    permission: write,
    params: schema.sessionParams,
    query: schema.nextQuery,
    responses: { 200: { description: 'The request, or null', schema: schema.nextAnswer } },
    errors: ['NOT_FOUND'],
    assumptions: ['relay.polls', 'relay.sessions'],
    handle(call) {
      const { world, params, query, now, isHead, requestId } = call;
      const session = ownSession(call, params.sessionId);
      if (isHead) return presentNext(undefined);
      changeFor(world, requestId, () => touchRelaySession(world.db, session.seq, now));
      const { timeoutMs } = query;
      return {
        kind: 'later',
        ready: async (gone) => presentNext(await nextRequest(world, { session, timeoutMs, now, gone, requestId })),
      };
    },
  }),
  endpoint({
    id: 'relay.respond',
    method: 'POST',
    path: `${base}/{sessionId}/responses`,
    summary: 'Answer a request to the agent',
    permission: write,
    params: schema.sessionParams,
    body: schema.respondBody,
    example: { requestId: 'request-1', response: { jsonrpc: '2.0', id: 'request-1', result: { text: 'Hello' } } },
    responses: { 200: { description: 'The answer has arrived', schema: schema.confirmed } },
    errors: ['NOT_FOUND'],
    assumptions: ['relay.responses', 'relay.sessions'],
    handle(call) {
      const { world, params, body, now, warn } = call;
      const session = ownSession(call, params.sessionId);
      touchRelaySession(world.db, session.seq, now);
      const request = findRelayRequest(world.db, session.seq, body.requestId);
      if (request === undefined || now >= request.queued_at + requestLifeMs) return keeping(gone());
      if (request.answered_at !== null) warn('the request was answered before: the first answer counts');
      else saveAnswer(world.db, request.seq, body.response, now);
      world.bus.emit(relayTopic(session.id));
      return ok({ success: true });
    },
  }),
  endpoint({
    id: 'relay.close',
    method: 'DELETE',
    path: `${base}/{sessionId}`,
    summary: 'Disconnect the agent; a session that is not there is no error',
    permission: write,
    params: schema.sessionParams,
    responses: { 200: { description: 'The session is not there any more', schema: schema.confirmed } },
    assumptions: ['relay.sessions'],
    handle({ world, params, caller }) {
      const session = findRelaySession(world.db, params.sessionId);
      if (session !== undefined) {
        requireOwn(session, caller);
        deleteRelaySession(world.db, session.seq);
        world.bus.emit(relayTopic(session.id));
      }
      return ok({ success: true });
    },
  }),
];

// Returned, not thrown: the agent was heard of.
function gone(): ApiError {
  return new ApiError('NOT_FOUND', { message: 'Request not found: it is unknown here, or older than two minutes' });
}

function presentSession(session: RelaySession) {
  return {
    id: session.id,
    organizationId: session.organization_id,
    userId: session.user_id,
    runtimeAgentId: session.runtime_agent_id,
    agentName: session.agent_name,
    platform: 'local-runtime' as const,
    createdAt: iso(session.created_at),
    lastSeenAt: iso(session.last_seen_at),
  };
}

function presentNext(request: RelayRequest | undefined): JsonAnswer {
  const shown =
    request === undefined ? null : { requestId: request.id, rpc: request.rpc, queuedAt: iso(request.queued_at) };
  return ok({ success: true, data: { request: shown } });
}
