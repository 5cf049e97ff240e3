// The life of a session of a local agent: it begins, and ends when it is closed or nothing was heard of the agent for long.

import { ApiError } from '../../core/errors.js';
import type { Caller } from '../../http/endpoint.js';
import type { World } from '../../world/world.js';
import { sessionLifeMs } from './lifetimes.js';
import { findRelaySession, insertRelaySession, type RelaySession } from './store.js';

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
