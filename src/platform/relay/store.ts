// Stored sessions of local agents, and the requests that wait for them.

import type { Db } from '../../db/db.js';
import { insert } from '../../db/insert.js';
import { findRow, listRows } from '../../db/stored-json.js';

// How long sessions and requests of the gateway relay live, in virtual milliseconds.

/** A session, after the agent was last heard of. */
export const sessionLifeMs = 90_000;
/** A request, after it was queued. */
export const requestLifeMs = 120_000;
/** Whoever asks an agent waits for its answer. */
export const patienceMs = 30_000;
/** The longest that a poll of an agent may wait. */
export const longestPollMs = 25_000;

export interface RelaySession {
  seq: number;
  id: string;
  organization_id: string;
  user_id: string;
  /** The id that the agent has where it runs. */
  runtime_agent_id: string;
  agent_name: string | null;
  created_at: number;
  last_seen_at: number;
}

/** A JSON-RPC request. */
export interface Rpc {
  jsonrpc: '2.0';
  id: string | number;
  method: string;
  params: Record<string, unknown>;
}

/** A JSON-RPC answer, as the agent wrote it. */
export type RpcAnswer = Record<string, unknown>;

export interface RelayRequest {
  seq: number;
  id: string;
  session_seq: number;
  rpc: Rpc;
  queued_at: number;
  /** When a poll got it. */
  fetched_at: number | null;
  answered_at: number | null;
  /** Kept until whoever asked has it. */
  answer: RpcAnswer | null;
}

// Ended sessions are kept, so that lists show them, until this many newer ones exist.
const keptSessions = 1_000;

/** Begins a session, and forgets old ones that have ended. */
export function insertRelaySession(db: Db, session: RelaySession): void {
  db.run('DELETE FROM relay_sessions WHERE seq <= @before AND last_seen_at <= @at', {
    before: session.seq - keptSessions,
    at: session.created_at - sessionLifeMs,
  });
  insert(db, 'relay_sessions', session);
}

export function findRelaySession(db: Db, id: string): RelaySession | undefined {
  return db.get<RelaySession>('SELECT * FROM relay_sessions WHERE id = @id', { id });
}

/** All sessions, the oldest first. */
export function listRelaySessions(db: Db): RelaySession[] {
  return db.all<RelaySession>('SELECT * FROM relay_sessions ORDER BY seq');
}

/** Notes that an agent was heard of. */
export function touchRelaySession(db: Db, seq: number, at: number): void {
  db.run('UPDATE relay_sessions SET last_seen_at = @at WHERE seq = @seq AND last_seen_at < @at', { at, seq });
}

export function deleteRelaySession(db: Db, seq: number): void {
  db.run('DELETE FROM relay_sessions WHERE seq = @seq', { seq });
}

/** Queues a request, and forgets those whose time is over. */
export function insertRelayRequest(db: Db, request: Omit<RelayRequest, 'fetched_at' | 'answered_at' | 'answer'>): void {
  db.run('DELETE FROM relay_requests WHERE queued_at <= @ended', { ended: request.queued_at - requestLifeMs });
  insert(db, 'relay_requests', request);
}

/** How many requests of a session are not done: no answer has come, or nobody has taken it. */
export function countUndone(db: Db, sessionSeq: number, now: number): number {
  const row = db.get<{ count: number }>(
    `SELECT count(*) AS count FROM relay_requests WHERE session_seq = @sessionSeq AND queued_at > @ended
       AND (answered_at IS NULL OR answer IS NOT NULL)`,
    { sessionSeq, ended: now - requestLifeMs },
  );
  return row?.count ?? 0;
}

/** A request of a session. */
export function findRelayRequest(db: Db, sessionSeq: number, id: string): RelayRequest | undefined {
  const sql = 'SELECT * FROM relay_requests WHERE session_seq = @sessionSeq AND id = @id';
  return findRow(db, 'relay_requests', sql, { sessionSeq, id });
}

/** The requests of a session whose time is not over, the oldest first. */
export function listRelayRequests(db: Db, sessionSeq: number, now: number): RelayRequest[] {
  const sql = 'SELECT * FROM relay_requests WHERE session_seq = @sessionSeq AND queued_at > @ended ORDER BY seq';
  return listRows(db, 'relay_requests', sql, { sessionSeq, ended: now - requestLifeMs });
}

/** The oldest request that no poll has got yet. */
export function firstQueued(db: Db, sessionSeq: number, now: number): RelayRequest | undefined {
  const sql = `SELECT * FROM relay_requests WHERE session_seq = @sessionSeq AND queued_at > @ended
    AND fetched_at IS NULL AND answered_at IS NULL ORDER BY seq LIMIT 1`;
  return findRow(db, 'relay_requests', sql, { sessionSeq, ended: now - requestLifeMs });
}

/** Notes when a poll got a request; null puts it back in its place in the queue. */
export function saveFetched(db: Db, seq: number, at: number | null): void {
  db.run('UPDATE relay_requests SET fetched_at = @at WHERE seq = @seq', { at, seq });
}

/** Keeps the answer to a request. */
export function saveAnswer(db: Db, seq: number, answer: RpcAnswer, at: number): void {
  db.run('UPDATE relay_requests SET answer = @answer, answered_at = @at WHERE seq = @seq', { answer, at, seq });
}

/** Forgets an answer that whoever asked has. */
export function forgetAnswer(db: Db, seq: number): void {
  db.run('UPDATE relay_requests SET answer = NULL WHERE seq = @seq', { seq });
}
