// Stored sessions, whose tokens are derived from their rows, and the logins of command-line clients.

import type { Db } from '../../db/db.js';
import { insert } from '../../db/insert.js';

export interface Session {
  id: string;
  /** The order of the sessions. */
  seq: number;
  user_id: string;
  /** login: on the login page; control: created for a test. */
  origin: 'login' | 'control';
  /** Seconds, as the token states them for clients; the row's own instants decide. */
  iat: number;
  exp: number;
  created_at: number;
  expires_at: number;
  revoked_at: number | null;
}

/** The login of a command-line client that waits for a key. */
export interface CliSession {
  /** Chosen by the client. */
  id: string;
  seq: number;
  created_at: number;
  expires_at: number;
  completed_at: number | null;
  /** The recipe of the key's value, until the client has fetched it. */
  key_recipe: string | null;
  /** The key that it gave; none where an older version completed it. */
  key_id: string | null;
  told_at: number | null;
}

// Ended ones are kept, to explain refusals, until this many newer ones exist.
const keptRows = 10_000;

export function insertSession(db: Db, session: Session): void {
  db.run('DELETE FROM sessions WHERE seq <= @seq AND expires_at <= @created_at', {
    seq: session.seq - keptRows,
    created_at: session.created_at,
  });
  insert(db, 'sessions', session);
}

export function findSession(db: Db, id: string): Session | undefined {
  return db.get<Session>('SELECT * FROM sessions WHERE id = @id', { id });
}

/** All sessions, oldest first. */
export function listSessions(db: Db): Session[] {
  return db.all<Session>('SELECT * FROM sessions ORDER BY seq');
}

/** Ends a session; an ended one keeps its instant. */
export function revokeSession(db: Db, id: string, at: number): void {
  db.run('UPDATE sessions SET revoked_at = @at WHERE id = @id AND revoked_at IS NULL', { at, id });
}

/** Begins the login of a command-line client; false when the id exists. */
export function insertCliSession(db: Db, id: string, at: number, expiresAt: number): boolean {
  const newest = '(SELECT max(seq) FROM cli_sessions)';
  db.run(`DELETE FROM cli_sessions WHERE seq <= ${newest} - @keptRows AND expires_at <= @at`, { keptRows, at });
  return insert(db, 'cli_sessions', { id, created_at: at, expires_at: expiresAt }, 'ON CONFLICT (id) DO NOTHING') === 1;
}

export function findCliSession(db: Db, id: string): CliSession | undefined {
  return db.get<CliSession>('SELECT * FROM cli_sessions WHERE id = @id', { id });
}

export function completeCliSession(db: Db, key: { id: string; keyRecipe: string; keyId: string; at: number }): void {
  const set = 'completed_at = @at, key_recipe = @keyRecipe, key_id = @keyId';
  db.run(`UPDATE cli_sessions SET ${set} WHERE id = @id`, key);
}

/** Records that the key was fetched; its value cannot be fetched again. */
export function markTold(db: Db, id: string, at: number): void {
  db.run('UPDATE cli_sessions SET told_at = @at, key_recipe = NULL WHERE id = @id', { at, id });
}
