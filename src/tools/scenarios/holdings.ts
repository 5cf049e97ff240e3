// What the organizations of a world have at its end: the things that clients create and delete, by their names.

import { containerAt } from '../../platform/containers/lifecycle/lifecycle.js';
import { listContainers } from '../../platform/containers/store.js';
import { stateAt } from '../../platform/hosted-agents/lifecycle.js';
import { listHostedAgents } from '../../platform/hosted-agents/store.js';
import type { World } from '../../world/world.js';
import { listHoldings } from './holdings-store.js';

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
