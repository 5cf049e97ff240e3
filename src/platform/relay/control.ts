// Control operations of the gateway relay: ask an agent that is connected, and list the sessions.

import * as z from 'zod';
import { byId, type ControlContext, listed, operation } from '../../control/operation.js';
import { noSuch } from '../../control/options.js';
import { didYouMean } from '../../core/nearest.js';
import { iso } from '../../http/wire.js';
import type { World } from '../../world/world.js';
import { askAgent, isOpen } from './ask.js';
import { type RpcAsked, rpcAnswer, rpcAsked } from './schema.js';
import {
  findRelaySession,
  listRelayRequests,
  listRelaySessions,
  type RelayRequest,
  type RelaySession,
  type RpcAnswer,
  sessionLifeMs,
} from './store.js';

const request = z.object({
  requestId: z.string(),
  method: z.string(),
  state: z.enum(['queued', 'fetched', 'answered']).describe('fetched: a poll has got it, and no answer has come'),
  queuedAt: z.string(),
  answer: z.record(z.string(), z.unknown()).nullable().describe('Where nobody waits for it any more'),
});

export const relaySession = z.lazy(() =>
  z.object({
    id: z.string(),
    runtimeAgentId: z.string(),
    agentName: z.string().nullable(),
    organizationId: z.string(),
    state: z.enum(['open', 'expired']).describe('expired: nothing was heard of the agent for 90 s'),
    createdAt: z.string(),
    lastSeenAt: z.string(),
    expiresAt: z.string(),
    requests: z.array(request).describe('Of the last two minutes, the oldest first'),
  }),
);

/** The session of a local agent. */
type ControlledRelaySession = z.output<typeof relaySession>;

export const relayOperations = {
  /** Lists the sessions of local agents, the oldest first, with the requests that wait for them. */
  list: operation({
    id: 'control.relay.list',
    route: 'GET /relay',
    summary: 'List the sessions of local agents behind the gateway relay',
    output: listed('relay', relaySession),
    command: {
      line: 'relay list',
      columns: 'id agentName state runtimeAgentId? expiresAt?',
      examples: [['relay list', 'which local agents are connected, and until when']],
    },
    run: ({ world }): ControlledRelaySession[] => {
      const now = world.clock.now();
      return listRelaySessions(world.db).map((session) => view(world, session, now));
    },
  }),
  /**
   * Asks a local agent by its session, as the platform would, and resolves with its answer.
   *
   * @param request its `rpc`: a JSON-RPC request, whose `jsonrpc` and `id` may be left out
   * @param call.signal ends the wait; the request stays in the queue for two minutes
   * @example await controls.relay.ask(session.id, { rpc: { method: 'message.send', params: { text: 'Hello' } } })
   * @throws ApiError NOT_FOUND; CONFLICT when 20 requests are not done, or the session is closed meanwhile; REQUEST_TIMEOUT
   *   after 30 seconds of virtual or of wall time; SERVICE_UNAVAILABLE when the world ends
   */
  ask: operation({
    id: 'control.relay.ask',
    route: 'POST /relay/{id}',
    summary: 'Send a request to a local agent through the gateway relay, and wait for its answer',
    params: byId('session'),
    body: z.lazy(() => z.object({ rpc: rpcAsked })),
    extras: ['signal'],
    output: rpcAnswer,
    errors: ['NOT_FOUND', 'CONFLICT', 'REQUEST_TIMEOUT', 'SERVICE_UNAVAILABLE'],
    command: {
      line: 'relay ask <id>',
      names: { 'rpc.method': 'method', 'rpc.params': 'params' },
      only: ['id', 'rpc.method', 'rpc.params'],
      requires: ['rpc.method'],
      prints: 'indented-json',
      examples: [
        [`relay ask 51e58c0e-27c4-… --method message.send --params '{"text": "Hello"}'`, 'prints the agent’s answer'],
      ],
    },
    runs: 'async',
    run: async (
      { world }: ControlContext,
      sessionId: string,
      { rpc }: { rpc: RpcAsked },
      call: { signal?: AbortSignal | undefined } = {},
    ): Promise<RpcAnswer> => askAgent(world, openSession(world, sessionId), rpc, call.signal),
  }),
};

function openSession(world: World, id: string): RelaySession {
  const now = world.clock.now();
  const session = findRelaySession(world.db, id);
  if (session !== undefined && isOpen(session, now)) return session;
  if (session !== undefined) throw noSuch('open session of an agent', id, `: it expired at ${iso(endOf(session))}`);
  const open = listRelaySessions(world.db).flatMap((one) => (isOpen(one, now) ? one.id : []));
  throw noSuch('session of an agent', id, didYouMean(id, open));
}

function endOf({ last_seen_at }: RelaySession): number {
  return last_seen_at + sessionLifeMs;
}

function view(world: World, session: RelaySession, now: number): ControlledRelaySession {
  return {
    id: session.id,
    runtimeAgentId: session.runtime_agent_id,
    agentName: session.agent_name,
    organizationId: session.organization_id,
    state: isOpen(session, now) ? 'open' : 'expired',
    createdAt: iso(session.created_at),
    lastSeenAt: iso(session.last_seen_at),
    expiresAt: iso(endOf(session)),
    requests: listRelayRequests(world.db, session.seq, now).map(viewRequest),
  };
}

function viewRequest({ id, rpc, queued_at, fetched_at, answered_at, answer }: RelayRequest) {
  const state = answered_at !== null ? 'answered' : fetched_at !== null ? 'fetched' : 'queued';
  return { requestId: id, method: rpc.method, state, queuedAt: iso(queued_at), answer } as const;
}
