// Stored hosted agents and their jobs.

import { cached } from '../../db/cached-reads.js';
import type { Db } from '../../db/db.js';
import { insert } from '../../db/insert.js';
import { requireRoom } from '../../db/room.js';
import { findRow, listRows } from '../../db/stored-json.js';

export const tiers = ['shared', 'dedicated-lazy', 'dedicated-always', 'custom'] as const;
export type Tier = (typeof tiers)[number];

export const agentStatuses = [
  'pending',
  'provisioning',
  'running',
  'stopped',
  'sleeping',
  'disconnected',
  'deletion_pending',
  'deletion_failed',
  'error',
] as const;
export type AgentStatus = (typeof agentStatuses)[number];

export const jobTypes = [
  'agent_provision',
  'agent_resume',
  'agent_wake',
  'agent_restart',
  'agent_suspend',
  'agent_sleep',
  'agent_snapshot',
  'agent_delete',
] as const;
export type AgentJobType = (typeof jobTypes)[number];

/** The state in which an agent was when its last job began, or an intervention set it. */
export interface Base {
  status: AgentStatus;
  since: number;
  error: string | null;
  /** How many of its jobs have failed. */
  errors: number;
  database: 'none' | 'provisioning' | 'ready' | 'error';
}

/** The planned progress of a job, drawn when it begins. */
export interface AgentJobPlan {
  /** Milliseconds in the queue. */
  pending: number;
  /** Milliseconds of work, of all attempts together; null: it hangs. */
  work: number | null;
  /** Why it fails in the end; null: it completes. */
  error: string | null;
  /** The attempts that it takes. */
  attempts: number;
  /** The failure mode that it follows. */
  mode: string | null;
}

/** An intervention that ended a job. */
interface AgentJobAct {
  at: number;
  turn: number;
  after: number;
  /** Why it failed; null: it completed. */
  error: string | null;
}

export interface AgentJob {
  seq: number;
  id: string;
  organization_id: string;
  user_id: string;
  agent_id: string;
  agent_name: string;
  type: AgentJobType;
  plan: AgentJobPlan;
  act: AgentJobAct | null;
  /** The status of the agent before it. */
  previous: AgentStatus;
  /** The request that began it; null: a control operation did. */
  request_id: string | null;
  created_at: number;
  occurrence: number;
}

/** A hosted agent, with the job that its state follows. */
export interface HostedAgent {
  seq: number;
  id: string;
  organization_id: string;
  user_id: string;
  name: string;
  character_id: string | null;
  config: Record<string, unknown>;
  environment_vars: Record<string, string>;
  docker_image: string | null;
  tier: Tier;
  /** The failure mode that its jobs follow. */
  failure: string | null;
  base: Base;
  job: AgentJob | null;
  /** When it first ran, which is when its first hours were charged. */
  activated_at: number | null;
  /** Until when it is paid for, and as what. */
  paid_until: number | null;
  paid_as: 'running' | 'idle' | null;
  total_billed: number;
  billing: 'active' | 'suspended' | 'exempt';
  request_id: string | null;
  created_at: number;
  updated_at: number;
  occurrence: number;
}

/** An agent as it is stored: with the number of its job. */
type AgentRow = Omit<HostedAgent, 'job'> & { job_seq: number | null };

/** @throws ApiError VALIDATION_ERROR where the world holds no more */
export function insertHostedAgent(db: Db, { job, ...agent }: HostedAgent): void {
  requireRoom(db, 'hosted_agents');
  insert(db, 'hosted_agents', { ...agent, job_seq: job?.seq ?? null });
}

/** An agent of an organization, or of any. */
export function findHostedAgent(db: Db, id: string, organizationId?: string): HostedAgent | undefined {
  const sql =
    'SELECT * FROM hosted_agents WHERE id = @id AND organization_id = ifnull(@organizationId, organization_id)';
  const row = findRow<AgentRow>(db, 'hosted_agents', sql, { id, organizationId: organizationId ?? null });
  if (row === undefined) return undefined;
  const { job_seq, ...agent } = row;
  const job = findRow<AgentJob>(db, 'agent_jobs', 'SELECT * FROM agent_jobs WHERE seq = @job_seq', { job_seq });
  return { ...agent, job: job ?? null };
}

/** All hosted agents of a world, newest first. */
export function listHostedAgents(db: Db): readonly HostedAgent[] {
  return allAgents(db);
}

const allAgents = cached(['hosted_agents', 'agent_jobs'], (db): readonly HostedAgent[] => {
  const ofJobs = 'SELECT * FROM agent_jobs WHERE seq IN (SELECT job_seq FROM hosted_agents)';
  const jobs = new Map(listRows<AgentJob>(db, 'agent_jobs', ofJobs).map((job) => [job.seq, job]));
  const rows = listRows<AgentRow>(db, 'hosted_agents', 'SELECT * FROM hosted_agents ORDER BY seq DESC');
  return rows.map(({ job_seq, ...agent }) => ({ ...agent, job: jobs.get(job_seq ?? 0) ?? null }));
});

/** An organization's agents, newest first. */
export function agentsOf(db: Db, organizationId: string): HostedAgent[] {
  return allAgents(db).filter((agent) => agent.organization_id === organizationId);
}

/** How many agents an organization has that count towards its quota. */
export function countHostedAgents(db: Db, organizationId: string): number {
  return agentsOf(db, organizationId).length;
}

/** Stores what of an agent changes. */
export function saveHostedAgent(db: Db, { job, ...changing }: HostedAgent): void {
  db.run(
    `UPDATE hosted_agents SET name = @name, config = @config, environment_vars = @environment_vars, tier = @tier,
       failure = @failure, base = @base, job_seq = @job_seq, activated_at = @activated_at, paid_until = @paid_until,
       paid_as = @paid_as, total_billed = @total_billed, billing = @billing, updated_at = @updated_at WHERE seq = @seq`,
    { ...changing, job_seq: job?.seq ?? null },
  );
}

export function deleteHostedAgent(db: Db, id: string): void {
  db.run('DELETE FROM hosted_agents WHERE id = @id', { id });
}

export function insertAgentJob(db: Db, job: AgentJob): void {
  insert(db, 'agent_jobs', job);
}

/** A job of an organization, or of any. */
export function findAgentJob(db: Db, id: string, organizationId?: string): AgentJob | undefined {
  const sql = 'SELECT * FROM agent_jobs WHERE id = @id AND organization_id = ifnull(@organizationId, organization_id)';
  return findRow(db, 'agent_jobs', sql, { id, organizationId: organizationId ?? null });
}

/** The jobs of an agent, newest first; those of an agent that is gone stay. */
export function listJobsOfAgent(db: Db, agentId: string): AgentJob[] {
  const sql = 'SELECT * FROM agent_jobs WHERE agent_id = @agentId ORDER BY seq DESC';
  return listRows(db, 'agent_jobs', sql, { agentId });
}

/** The jobs of all agents, newest first. */
export function listAgentJobs(db: Db): readonly AgentJob[] {
  return allJobs(db);
}

const allJobs = cached(['agent_jobs'], (db): readonly AgentJob[] =>
  listRows(db, 'agent_jobs', 'SELECT * FROM agent_jobs ORDER BY seq DESC'),
);

export function saveAgentJobAct(db: Db, seq: number, act: AgentJobAct): void {
  db.run('UPDATE agent_jobs SET act = @act WHERE seq = @seq', { act, seq });
}

// Stored statuses that hosted agents came to without a job: an intervention set them, or their hours could not be paid.

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

export function deleteActsOfAgent(db: Db, agentId: string): void {
  db.run('DELETE FROM agent_acts WHERE agent_id = @agentId', { agentId });
}
