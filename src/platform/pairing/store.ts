// Stored tokens of pairings: of each only the hash.

import { hashSecret } from '../../core/random.js';
import type { Db } from '../../db/db.js';
import { insert } from '../../db/insert.js';

export interface Pairing {
  seq: number;
  hash: string;
  agent_id: string;
  organization_id: string;
  /** Whose key the page gets. */
  user_id: string;
  /** The permissions of the key, a word each: those of whoever asked for the token; null: all. */
  permissions: string | null;
  /** The origin of the page that may use the token. */
  origin: string;
  created_at: number;
  expires_at: number;
  used_at: number | null;
}

// Nobody asks any more about those that expired before so many newer ones.
const kept = 1_000;

export function insertPairing(db: Db, pairing: Pairing): void {
  db.run('DELETE FROM pairings WHERE seq <= @before AND expires_at <= @at', {
    before: pairing.seq - kept,
    at: pairing.created_at,
  });
  insert(db, 'pairings', pairing);
}

export function findPairing(db: Db, token: string): Pairing | undefined {
  return db.get<Pairing>('SELECT * FROM pairings WHERE hash = @hash', { hash: hashSecret(token) });
}

/** Uses a token up. */
export function markPaired(db: Db, seq: number, at: number): void {
  db.run('UPDATE pairings SET used_at = @at WHERE seq = @seq', { at, seq });
}
