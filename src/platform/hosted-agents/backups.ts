// Backups of hosted agents: they follow from the jobs that made them, and from the clock.

import { cached } from '../../db/cached-reads.js';
import type { World } from '../../world/world.js';
import { agentJobAt } from './lifecycle.js';
import { type AgentJob, type HostedAgent, listJobsOfAgent } from './store.js';

export interface Backup {
  id: string;
  snapshotType: 'manual' | 'pre-shutdown';
  backupKind: 'full' | 'incremental';
  parentBackupId: string | null;
  sizeBytes: number;
  createdAt: number;
}

const makers = ['agent_snapshot', 'agent_suspend', 'agent_sleep'];

const jobsWithBackups = cached(['agent_jobs'], (db, agentId: string): readonly AgentJob[] =>
  listJobsOfAgent(db, agentId)
    .filter(({ type }) => makers.includes(type))
    .reverse(),
);

const kilobyte = 1_024;
// Of a full backup in kilobytes, and of one that holds only what is new.
const sizes = { full: 4_096, incremental: 256 };

/** The backups of an agent by an instant, the oldest first; every fifth one is full. */
export function backupsOf({ db, random }: World, { id }: Pick<HostedAgent, 'id'>, now: number): Backup[] {
  const backups: Backup[] = [];
  for (const job of jobsWithBackups(db, id)) {
    const { status, endedAt } = agentJobAt(job, now);
    if (status !== 'completed' || endedAt === null) continue;
    const backupKind = backups.length % 5 === 0 ? 'full' : 'incremental';
    const kilobytes = Math.round(sizes[backupKind] * (1 + random.fraction('backup size', job.id)));
    backups.push({
      id: random.uuid('backup', job.id),
      snapshotType: job.type === 'agent_snapshot' ? 'manual' : 'pre-shutdown',
      backupKind,
      parentBackupId: backupKind === 'full' ? null : (backups.at(-1)?.id ?? null),
      sizeBytes: kilobytes * kilobyte,
      createdAt: endedAt,
    });
  }
  return backups;
}

/** The newest backup of an agent by an instant. */
export function lastBackup(world: World, agent: HostedAgent, now: number): Backup | undefined {
  // Most agents have had no job.
  return agent.job === null && agent.base.since === agent.created_at ? undefined : backupsOf(world, agent, now).at(-1);
}
