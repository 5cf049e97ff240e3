// Stored statuses that hosted agents came to without a job: an intervention set them, or their hours could not be paid.

import type { Db } from '../../db/db.js';
import { insert } from '../../db/insert.js';
import type { AgentStatus } from './store.js';

export interface AgentAct {
  agent_id: string;
  /** Its number among all that happens in its world; a job that it gave up has the same. */
  turn: number;
  at: number;
  previous: AgentStatus;
  status: AgentStatus;
  error: string | null;
  /** The number of the last record of the journal before it. */
  after: number;
}

export function insertAgentAct(db: Db, act: AgentAct): void {
  insert(db, 'agent_acts', { ...act });
}

/** The acts on an agent, the oldest first. */
export function listActsOfAgent(db: Db, agentId: string): AgentAct[] {
  return db.all<AgentAct>('SELECT * FROM agent_acts WHERE agent_id = @agentId ORDER BY turn', { agentId });
}

/** The acts on all agents, the oldest first. */
export function listAgentActs(db: Db): AgentAct[] {
  return db.all<AgentAct>('SELECT * FROM agent_acts ORDER BY turn');
}

export function deleteActsOfAgent(db: Db, agentId: string): void {
  db.run('DELETE FROM agent_acts WHERE agent_id = @agentId', { agentId });
}
