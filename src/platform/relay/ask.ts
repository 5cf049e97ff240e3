// Asking a local agent: its request waits in the queue of the session, and whoever asked waits for the answer.

import { ApiError } from '../../core/errors.js';
import { overtaken } from '../../http/pipeline.js';
import { type Look, waitFor } from '../../world/waiting.js';
import type { World } from '../../world/world.js';
import { patienceMs } from './lifetimes.js';
import { relayTopic } from './sessions.js';
import {
  countUndone,
  findRelayRequest,
  findRelaySession,
  forgetAnswer,
  insertRelayRequest,
  type RelaySession,
  type Rpc,
  type RpcAnswer,
} from './store.js';

/** The most requests of a session that are not done: each may be as long as a request may be. */
const mostUndone = 20;

interface Question {
  id?: string | number | undefined;
  method: string;
  params?: Record<string, unknown> | undefined;
}

/**
 * Queues a request for an agent and resolves with its answer.
 *
 * @throws ApiError CONFLICT when too many requests wait, or the session is closed meanwhile; REQUEST_TIMEOUT when no answer
 *   has come within 30 seconds; SERVICE_UNAVAILABLE when the world ends or is replaced
 */
export async function askAgent(
  world: World,
  session: RelaySession,
  question: Question,
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

function queue(world: World, session: RelaySession, { id, method, params }: Question, now: number): string {
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
