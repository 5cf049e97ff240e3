// Asking a local agent: its request waits in the queue of the session, and whoever asked waits for the answer.

import { ApiError } from '../../core/errors.js';
import type { Caller } from '../../http/endpoint.js';
import { overtaken } from '../../http/pipeline.js';
import { type Look, waitFor } from '../../world/waiting.js';
import type { World } from '../../world/world.js';
import type { RpcAsked } from './schema.js';
import {
  countUndone,
  findRelayRequest,
  findRelaySession,
  forgetAnswer,
  insertRelayRequest,
  insertRelaySession,
  patienceMs,
  type RelaySession,
  type Rpc,
  type RpcAnswer,
  sessionLifeMs,
} from './store.js';

/** The most requests of a session that are not done: each may be as long as a request may be. */
const mostUndone = 20;

/**
 * Queues a request for an agent and resolves with its answer.
 *
 * @throws ApiError CONFLICT when too many requests wait, or the session is closed meanwhile; REQUEST_TIMEOUT when no answer
 *   has come within 30 seconds; SERVICE_UNAVAILABLE when the world ends or is replaced
 */
export async function askAgent(
  world: World,
  session: RelaySession,
  question: RpcAsked,
  signal: AbortSignal | undefined,
): Promise<RpcAnswer> {
  const { epoch } = world;
  const now = world.clock.now();
  const until = now + patienceMs;
  // It goes on after others have had their turn: its changes are its own all the same.
  const change = <Result>(act: () => Result): Result =>
    world.remembered.as({ kind: 'control', subject: 'control.relay.ask' }, () => world.db.transaction(act));
  const id = change(() => queue(world, session, question, now));
  const topic = relayTopic(session.id);
  world.bus.emit(topic);
  const look = (): Look => {
    if (world.epoch !== epoch) throw overtaken();
    return change((): Look => {
      const request = findRelayRequest(world.db, session.seq, id);
      if (request === undefined && findRelaySession(world.db, session.id) === undefined)
        return { never: 'The session was closed before the agent answered', state: { requestId: id } };
      if (request?.answer != null) {
        forgetAnswer(world.db, request.seq);
        return { holds: request.answer };
      }
      const isFetched = request?.fetched_at != null;
      const yet = isFetched
        ? 'the agent has fetched the request and not answered it'
        : 'no poll of the agent has fetched the request';
      const state = { requestId: id, fetched: isFetched };
      if (world.clock.now() >= until) throw unanswered(yet, state);
      return { yet, state, nextAt: until };
    });
  };
  try {
    return (await waitFor(
      world,
      { topics: [topic], look },
      { timeout: patienceMs, advance: false, signal },
    )) as RpcAnswer;
  } catch (error) {
    // Of a frozen clock nothing need be said: wall time ends the wait as well.
    if (error instanceof ApiError && error.code === 'REQUEST_TIMEOUT') return lastLook(look);
    throw error;
  }
}

function lastLook(look: () => Look): RpcAnswer {
  const last = look();
  if ('holds' in last) return last.holds as RpcAnswer;
  if ('never' in last) throw new ApiError('CONFLICT', { message: last.never, details: last.state });
  throw unanswered(last.yet, last.state);
}

function unanswered(why: string, state: object): ApiError {
  return new ApiError('REQUEST_TIMEOUT', { message: `After ${patienceMs / 1_000} s, ${why}`, details: state });
}

function queue(world: World, session: RelaySession, { id, method, params }: RpcAsked, now: number): string {
  if (countUndone(world.db, session.seq, now) >= mostUndone)
    throw new ApiError('CONFLICT', {
      message: `${mostUndone} requests of this session are not done: answer them first`,
    });
  const seq = world.nextNumber('relay-requests');
  const requestId = world.random.uuid('relay-request', seq);
  const rpc: Rpc = { jsonrpc: '2.0', id: id ?? requestId, method, params: params ?? {} };
  insertRelayRequest(world.db, { seq, id: requestId, session_seq: session.seq, rpc, queued_at: now });
  return requestId;
}

// The life of a session of a local agent: it begins, and ends when it is closed or nothing was heard of the agent for long.

/** The topic that announces that the requests of a session have changed, or that it was closed. */
export function relayTopic(sessionId: string): string {
  return `relay:${sessionId}`;
}

/** Begins a session, within the caller's transaction. */
export function beginRelaySession(
  world: World,
  {
    caller,
    runtimeAgentId,
    agentName,
    now,
  }: { caller: Caller; runtimeAgentId: string; agentName?: string | undefined; now: number },
): RelaySession {
  const seq = world.nextNumber('relay-sessions');
  const session: RelaySession = {
    seq,
    id: world.random.uuid('relay-session', seq),
    organization_id: caller.organizationId,
    user_id: caller.userId,
    runtime_agent_id: runtimeAgentId,
    agent_name: agentName ?? null,
    created_at: now,
    last_seen_at: now,
  };
  insertRelaySession(world.db, session);
  return session;
}

/** Whether an agent still counts as connected. */
export function isOpen({ last_seen_at }: RelaySession, now: number): boolean {
  return now < last_seen_at + sessionLifeMs;
}

/**
 * A session of the caller's organization that is open.
 *
 * @throws ApiError NOT_FOUND for one that is unknown, closed or expired; FORBIDDEN for another organization's
 */
export function ownSession(
  { world, caller, now }: { world: World; caller: Caller; now: number },
  id: string,
): RelaySession {
  const session = findRelaySession(world.db, id);
  if (session === undefined || !isOpen(session, now)) throw noSession();
  requireOwn(session, caller);
  return session;
}

/** @throws ApiError FORBIDDEN for another organization's session */
export function requireOwn({ organization_id }: RelaySession, { organizationId }: Caller): void {
  if (organization_id !== organizationId) throw new ApiError('FORBIDDEN', { message: 'Forbidden' });
}

export function noSession(): ApiError {
  return new ApiError('NOT_FOUND', { message: 'Session not found' });
}
