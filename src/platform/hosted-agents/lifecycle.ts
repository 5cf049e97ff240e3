// The state of a hosted agent and of its jobs at an instant: a function of what is stored and the clock.

import { type CourseState, courseAt } from '../../core/course.js';
import type { AgentJob, AgentJobType, AgentStatus, Base, HostedAgent } from './store.js';

export const agentJobStatuses = ['pending', 'in_progress', 'completed', 'failed'] as const;

/** How often a job is tried at most. */
export const maxAttempts = 3;

type Course = CourseState<'in_progress'>;

export interface AgentJobState extends Course {
  attempts: number;
}

export interface AgentState extends Base {
  /** The job in progress. */
  activeJob: AgentJob | null;
  /** When its status changes next by itself, or null. */
  nextAt: number | null;
  /** Its deletion has completed: nobody can see it. */
  gone: boolean;
}

type Timed = Pick<AgentJob, 'plan' | 'act' | 'created_at'>;

/** When and how a job ends; at Infinity: it hangs. */
export function endOfJob({ plan, act, created_at: created }: Timed): { at: number; error: string | null } {
  if (act !== null) return act;
  return { at: plan.work === null ? Infinity : created + plan.pending + plan.work, error: plan.error };
}

/**
 * The state of a job at an instant.
 *
 * @example agentJobAt(job, world.clock.now()).status
 */
export function agentJobAt(job: Timed, now: number): AgentJobState {
  const { pending, work } = job.plan;
  const course = courseAt({ begins: job.created_at + pending, work, end: endOfJob(job) }, 'in_progress', now);
  return { ...course, attempts: attemptsBy(job, course, now) };
}

function attemptsBy({ plan, act, created_at: created }: Timed, { status, endedAt }: Course, at: number): number {
  if (status === 'pending') return 0;
  if (endedAt !== null && act === null) return plan.attempts;
  if (plan.work === null || plan.work === 0) return 1;
  const now = endedAt ?? at;
  const spent = Math.max(0, now - created - plan.pending) / plan.work;
  return Math.min(plan.attempts, 1 + Math.floor(spent * plan.attempts));
}

/** What a type of job does to the status of its agent: while it is in progress, once it has completed or failed. */
export const courses: Record<AgentJobType, { during?: AgentStatus; done?: AgentStatus; failed?: AgentStatus }> = {
  agent_provision: { during: 'provisioning', done: 'running', failed: 'error' },
  agent_resume: { during: 'provisioning', done: 'running', failed: 'error' },
  agent_wake: { during: 'provisioning', done: 'running', failed: 'error' },
  agent_restart: { during: 'provisioning', done: 'running', failed: 'error' },
  agent_suspend: { done: 'stopped', failed: 'error' },
  agent_sleep: { done: 'sleeping', failed: 'error' },
  agent_snapshot: {},
  agent_delete: { during: 'deletion_pending', failed: 'deletion_failed' },
};

/** Whether a job of this type starts the agent, so that its hours cost. */
export function isStart(type: AgentJobType): boolean {
  return courses[type].done === 'running';
}

/**
 * The state of an agent at an instant. It depends on its record alone: one jump of an hour equals thousands of steps.
 *
 * @param at a request that began before its last job sees the agent as it was when that began
 * @example stateAt(ownHostedAgent(call), now).status === 'running'
 */
export function stateAt({ base, job }: Pick<HostedAgent, 'base' | 'job'>, at: number): AgentState {
  const settled = { activeJob: null, nextAt: null, gone: false };
  if (job === null) return { ...base, ...settled };
  const { during, done, failed } = courses[job.type];
  const { endedAt, error, nextAt } = agentJobAt(job, Math.max(at, job.created_at));
  if (endedAt === null) {
    const database = during === 'provisioning' && base.database !== 'ready' ? 'provisioning' : base.database;
    const since = during === undefined ? base.since : job.created_at;
    return { ...base, status: during ?? base.status, since, database, activeJob: job, nextAt, gone: false };
  }
  if (error !== null) {
    const database = isStart(job.type) && base.database !== 'ready' ? 'error' : base.database;
    const since = failed === undefined ? base.since : endedAt;
    return { ...settled, status: failed ?? base.status, since, error, errors: base.errors + 1, database };
  }
  return {
    ...settled,
    status: done ?? base.status,
    since: done === undefined ? base.since : endedAt,
    error: done === undefined ? base.error : null,
    errors: base.errors,
    database: isStart(job.type) ? 'ready' : base.database,
    gone: job.type === 'agent_delete',
  };
}

/** The state that a later job finds, as it is stored. */
export function baseOf({ status, since, error, errors, database }: AgentState): Base {
  return { status, since, error, errors, database };
}

/** Whether an agent runs on the shared runtime: at once, without a container or jobs. */
export function isShared({ tier }: Pick<HostedAgent, 'tier'>): boolean {
  return tier === 'shared';
}
