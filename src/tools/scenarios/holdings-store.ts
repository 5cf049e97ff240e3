// Reads what the organizations of a world have, beside containers and hosted agents: the rows that clients create and delete.

import type { Db } from '../../db/db.js';
import { containerAt } from '../../platform/containers/lifecycle/lifecycle.js';
import { listContainers } from '../../platform/containers/store.js';
import { stateAt } from '../../platform/hosted-agents/lifecycle.js';
import { listHostedAgents } from '../../platform/hosted-agents/store.js';
import type { World } from '../../world/world.js';

interface HoldingRow {
  kind: 'agent' | 'key' | 'document' | 'voice' | 'session';
  id: string;
  name: string;
}

/** Agents, active keys, documents that somebody sees, voices, and sessions that were not ended, of all organizations. */
function listHoldings(db: Db): HoldingRow[] {
  return db.all<HoldingRow>(
    `SELECT 'agent' AS kind, id, name FROM agents
     UNION ALL SELECT 'key', id, name FROM api_keys WHERE is_active = 1
     UNION ALL SELECT 'document', id, name FROM knowledge_documents WHERE organization_id <> ''
     UNION ALL SELECT 'voice', id, name FROM voices
     UNION ALL SELECT 'session', id, origin FROM sessions WHERE revoked_at IS NULL`,
  );
}

// What the organizations of a world have at its end: the things that clients create and delete, by their names.

export const holdingKinds = ['container', 'agent', 'key', 'document', 'voice', 'session', 'hosted agent'] as const;

/** A thing that a client created, or that its scenario began with. */
export interface Holding {
  kind: (typeof holdingKinds)[number];
  id: string;
  /** Its name; of a container its project. */
  name: string;
  /** It is there, but does not run: a container that failed or was stopped, a hosted agent in error. */
  isOver: boolean;
}

const over: readonly string[] = ['failed', 'stopped'];

/** Everything that the organizations of a world have now. A container or hosted agent that is being deleted is gone. */
export function holdingsIn(world: World): Holding[] {
  const now = world.clock.now();
  const holdings: Holding[] = listHoldings(world.db).map((row) => ({ ...row, isOver: false }));
  for (const agent of listHostedAgents(world.db)) {
    const { id, name } = agent;
    const { status, gone } = stateAt(agent, now);
    if (!gone && status !== 'deletion_pending')
      holdings.push({ kind: 'hosted agent', id, name, isOver: status === 'error' });
  }
  for (const record of listContainers(world.db)) {
    const { status } = containerAt(record.deployments, now);
    if (status === 'deleting') continue;
    holdings.push({ kind: 'container', id: record.id, name: record.project_name, isOver: over.includes(status) });
  }
  return holdings;
}
