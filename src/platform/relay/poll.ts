// The long poll of an agent: it waits until there is a request for it. A request is taken from the queue when a poll gets
// it, and put back when the connection of that poll ends before its answer was sent.

import { nextTurn, wallNow } from '../../core/clock.js';
import { ApiError } from '../../core/errors.js';
import { overtaken } from '../../http/pipeline.js';
import { type Look, waitFor } from '../../world/waiting.js';
import type { World } from '../../world/world.js';
import { noSession, relayTopic } from './ask.js';
import {
  findRelaySession,
  firstQueued,
  type RelayRequest,
  type RelaySession,
  saveFetched,
  touchRelaySession,
} from './store.js';

interface Poll {
  session: RelaySession;
  /** In virtual and in wall time: the poll ends when it has passed in either. */
  timeoutMs: number;
  /** The virtual instant of the poll. */
  now: number;
  /** Aborts when the client leaves before it has its answer. */
  gone: AbortSignal;
  /** The id of the request, to which its changes belong. */
  requestId: string;
}

/** Changes rows for a poll, which does so after its handler has returned. */
export function changeFor<Result>(world: World, requestId: string, act: () => Result): Result {
  return world.remembered.as({ kind: 'request', request: requestId }, () => world.db.transaction(act));
}

/**
 * The next request for an agent, as soon as there is one; undefined when none has come in time.
 *
 * Virtual time ends the poll too, so that a client's loop goes on when time is advanced; wall time does, so that it goes on
 * when the clock is frozen.
 *
 * @throws ApiError NOT_FOUND when the session is closed meanwhile; SERVICE_UNAVAILABLE when the world ends or is replaced
 */
export async function nextRequest(world: World, poll: Poll): Promise<RelayRequest | undefined> {
  const { session, gone, requestId } = poll;
  const { epoch } = world;
  const endsAt = wallNow() + poll.timeoutMs;
  while (await isAsked(world, poll, endsAt)) {
    // The connection may have ended already: by then that is heard, as the machine knows it.
    await nextTurn();
    await nextTurn();
    if (gone.aborted) return undefined;
    if (world.isClosed || world.epoch !== epoch) throw overtaken();
    const request = take(world, session, requestId);
    // Another poll may have been faster.
    if (request === undefined) continue;
    putBackWhen(gone, world, session, request, requestId);
    return request;
  }
  return undefined;
}

// Waits until a request is in the queue: false when none has come in time, or the client has left.
async function isAsked(world: World, poll: Poll, endsAt: number): Promise<boolean> {
  const { session, timeoutMs, now, gone, requestId } = poll;
  const { epoch } = world;
  const until = now + timeoutMs;
  // The agent was connected while it waited, and no longer.
  const over = (): void =>
    changeFor(world, requestId, () => touchRelaySession(world.db, session.seq, Math.min(world.clock.now(), until)));
  const look = (): Look => {
    if (world.epoch !== epoch) throw overtaken();
    if (findRelaySession(world.db, session.id) === undefined) throw noSession();
    const at = world.clock.now();
    if (firstQueued(world.db, session.seq, at) !== undefined) return { holds: { isAsked: true } };
    if (at < until) return { yet: 'no request has come', state: {}, nextAt: until };
    over();
    return { holds: { isAsked: false } };
  };
  const subject = { topics: [relayTopic(session.id)], look };
  try {
    const timeout = Math.max(0, endsAt - wallNow());
    const found = await waitFor(world, subject, { timeout, advance: false, signal: gone });
    return (found as { isAsked: boolean }).isAsked;
  } catch (error) {
    if (gone.aborted) return false;
    if (!(error instanceof ApiError) || error.code !== 'REQUEST_TIMEOUT') throw error;
    over();
    return false;
  }
}

function take(world: World, session: RelaySession, requestId: string): RelayRequest | undefined {
  return changeFor(world, requestId, () => {
    const at = world.clock.now();
    const request = firstQueued(world.db, session.seq, at);
    if (request === undefined) return undefined;
    saveFetched(world.db, request.seq, at);
    touchRelaySession(world.db, session.seq, at);
    return request;
  });
}

function putBackWhen(
  gone: AbortSignal,
  world: World,
  session: RelaySession,
  request: RelayRequest,
  requestId: string,
): void {
  const { epoch } = world;
  const putBack = (): void => {
    if (world.isClosed || world.epoch !== epoch) return;
    changeFor(world, requestId, () => saveFetched(world.db, request.seq, null));
    world.bus.emit(relayTopic(session.id));
  };
  if (gone.aborted) putBack();
  else gone.addEventListener('abort', putBack, { once: true });
}
