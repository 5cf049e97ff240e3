// Reads what the organizations of a world have, beside containers and hosted agents: the rows that clients create and delete.

import type { Db } from '../../db/db.js';

export interface HoldingRow {
  kind: 'agent' | 'key' | 'document' | 'voice' | 'session';
  id: string;
  name: string;
}

/** Agents, active keys, documents that somebody sees, voices, and sessions that were not ended, of all organizations. */
export function listHoldings(db: Db): HoldingRow[] {
  return db.all<HoldingRow>(
    `SELECT 'agent' AS kind, id, name FROM agents
     UNION ALL SELECT 'key', id, name FROM api_keys WHERE is_active = 1
     UNION ALL SELECT 'document', id, name FROM knowledge_documents WHERE organization_id <> ''
     UNION ALL SELECT 'voice', id, name FROM voices
     UNION ALL SELECT 'session', id, origin FROM sessions WHERE revoked_at IS NULL`,
  );
}
