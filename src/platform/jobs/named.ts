// The jobs of a world, whatever they work on: as controls show them, and by which names.

import * as z from 'zod';
import { ApiError } from '../../core/errors.js';
import { didYouMean } from '../../core/nearest.js';
import { describe } from '../../core/problems.js';
import { iso, isoOrNull } from '../../http/wire.js';
import { seededIdentity } from '../../world/seeded.js';
import type { World } from '../../world/world.js';
import { rankWithin } from '../containers/lifecycle/timeline.js';
import { namedHostedAgent } from '../hosted-agents/access.js';
import { settleHours } from '../hosted-agents/billing.js';
import { newAgent } from '../hosted-agents/create.js';
import { requireAgentMode } from '../hosted-agents/failures.js';
import { agentJobAt, endOfJob, isShared, stateAt } from '../hosted-agents/lifecycle.js';
import { beginJob, busyWith, endAgentJob, findJobNamed } from '../hosted-agents/operations.js';
import {
  type AgentJob,
  type AgentJobType,
  type AgentStatus,
  findAgentJob,
  type HostedAgent,
  jobTypes,
  listAgentJobs,
} from '../hosted-agents/store.js';
import { endJob, endOf, jobAt, jobFailed } from '../voice/jobs.js';
import { findJob, findJobOfVoice, listJobs, type Job as VoiceJob } from '../voice/store.js';

/** The statuses of jobs, in the order in which they come; processing is what in_progress is for a cloning job. */
export const allJobStatuses = ['pending', 'processing', 'in_progress', 'completed', 'failed'] as const;
export type AnyJobStatus = (typeof allJobStatuses)[number];

export const job = z.lazy(() =>
  z.object({
    id: z.string(),
    type: z.enum(['voice_clone', ...jobTypes]),
    name: z.string().describe('The name of the voice or agent that it works on'),
    voiceId: z.string().nullable(),
    voiceName: z.string().nullable(),
    agentId: z.string().nullable(),
    organizationId: z.string(),
    jobType: z.string().describe('The kind of cloning: instant or professional; otherwise the type'),
    status: z.enum(allJobStatuses),
    progress: z.int().describe('0 to 100'),
    error: z.string().nullable(),
    createdAt: z.string(),
    nextTransitionAt: z.string().nullable(),
    refundedAt: z.string().nullable().describe('When its charge was refunded'),
  }),
);

export type ControlledJob = z.output<typeof job>;

/** A job of a voice or of an agent. */
export type AnyJob = { voice: VoiceJob; agent?: never } | { agent: AgentJob; voice?: never };

/** All jobs of a world, those that began last first. */
export function listAnyJobs({ db }: World): AnyJob[] {
  const all: AnyJob[] = [...listJobs(db).map((voice) => ({ voice })), ...listAgentJobs(db).map((agent) => ({ agent }))];
  const begun = ({ voice, agent }: AnyJob): VoiceJob | AgentJob => voice ?? agent;
  return all.sort((a, b) => {
    const [one, other] = [begun(a), begun(b)];
    return other.created_at - one.created_at || other.occurrence - one.occurrence || other.seq - one.seq;
  });
}

/**
 * The job of an id, the one that makes a voice, or the latest of an agent.
 *
 * @throws ApiError NOT_FOUND with the nearest id
 */
export function namedJob(world: World, name: string): AnyJob {
  const voice = findJob(world.db, name) ?? findJobOfVoice(world.db, name);
  if (voice !== undefined) return { voice };
  const agent = findJobNamed(world, name);
  if (agent !== undefined) return { agent };
  const hint = didYouMean(name, listAnyJobs(world).map(idOf));
  throw new ApiError('NOT_FOUND', {
    message: `There is no job of id (or of a voice or hosted agent of id) ${describe(name)}${hint}`,
  });
}

export function idOf({ voice, agent }: AnyJob): string {
  return (voice ?? agent).id;
}

/** The job as it is stored now; undefined when it is gone. */
export function findAnyJob({ db }: World, id: string): AnyJob | undefined {
  const voice = findJob(db, id);
  if (voice !== undefined) return { voice };
  const agent = findAgentJob(db, id);
  return agent === undefined ? undefined : { agent };
}

/** What there is of each job, whatever it works on. */
export function factsOf({ voice, agent }: AnyJob) {
  return voice === undefined
    ? {
        type: agent.type,
        name: agent.agent_name,
        working: 'in_progress' as const,
        end: endOfJob(agent),
        stateOf: (now: number) => agentJobAt(agent, now),
      }
    : {
        type: 'voice_clone' as const,
        name: voice.voice_name,
        working: 'processing' as const,
        end: endOf(voice),
        stateOf: (now: number) => jobAt(voice, now),
      };
}

/** A job as controls show it. */
export function presentJob(one: AnyJob, now: number): ControlledJob {
  const { voice, agent } = one;
  const { id, organization_id, created_at } = voice ?? agent;
  const { type, name, stateOf } = factsOf(one);
  const { status, progress, error, nextAt } = stateOf(now);
  return {
    id,
    type,
    name,
    voiceId: voice?.voice_id ?? null,
    voiceName: voice?.voice_name ?? null,
    agentId: agent?.agent_id ?? null,
    organizationId: organization_id,
    jobType: voice?.kind ?? type,
    status,
    progress,
    error,
    createdAt: iso(created_at),
    nextTransitionAt: isoOrNull(nextAt),
    refundedAt: isoOrNull(voice?.refunded_at),
  };
}

/**
 * The job of an id, or of a voice's or an agent's id, as controls show it.
 *
 * @throws ApiError NOT_FOUND
 */
export function showJob(world: World, name: string): ControlledJob {
  const now = world.clock.now();
  world.settle(now);
  return presentJob(namedJob(world, name), now);
}

/** What a job comes to if nobody interferes, and when its status changes next; null: it does not. */
export function outlookOf(one: AnyJob, now: number): { ahead: AnyJobStatus[]; nextAt: number | null } {
  const { working, end, stateOf } = factsOf(one);
  const { status, nextAt } = stateOf(now);
  const last: AnyJobStatus[] = end.at === Infinity ? [] : [end.error === null ? 'completed' : 'failed'];
  if (status === 'pending') return { ahead: [working, ...last], nextAt };
  return { ahead: status === working ? last : [], nextAt };
}

/**
 * Ends a job now, with an error or (null) successfully.
 *
 * @throws ApiError NOT_FOUND; CONFLICT when it has ended
 */
export function endNow(
  world: World,
  name: string,
  verb: string,
  errorOf: (job: AnyJob) => string | null,
): ControlledJob {
  return world.db.transaction(() => {
    const now = world.clock.now();
    world.settle(now);
    const found = namedJob(world, name);
    const { status } = presentJob(found, now);
    if (status === 'completed' || status === 'failed')
      throw new ApiError('CONFLICT', { message: `Cannot ${verb} this job: it has ${status}` });
    const error = errorOf(found);
    if (found.agent !== undefined) endAgentJob(world, found.agent, now, error);
    else {
      endJob(world, found.voice, now, error);
      if (error !== null) jobFailed(world, found.voice.id, now);
    }
    return presentJob(findAnyJob(world, idOf(found)) ?? found, now);
  });
}

// What became of a job: each status with its instant, and its place among what else happened then.

/** A status of a job from an instant on. */
interface JobStep {
  status: AnyJobStatus;
  at: number;
  /** The rank among all that happens in its world at that instant. */
  order: number;
  /** Why it failed. */
  error: string | null;
  /** The number of the last record of the journal before the intervention that caused it; null: none did. */
  after: number | null;
}

/** The statuses of a job up to an instant. */
export function stepsOfJob(one: AnyJob, now: number): JobStep[] {
  const { voice, agent } = one;
  const { working, stateOf } = factsOf(one);
  const { status, startedAt, endedAt, error } = stateOf(now);
  const { created_at: createdAt, occurrence } = voice ?? agent;
  const act: { at: number; turn?: number; after?: number } | null = (voice ?? agent).act;
  const steps: [AnyJobStatus, number | null][] = [
    ['pending', createdAt],
    [working, startedAt],
    [status, endedAt],
  ];
  return steps.flatMap(([name, at], index): JobStep[] => {
    if (at === null) return [];
    const isByAct = act !== null && at === act.at && (index === 2 || (index === 1 && startedAt === endedAt));
    const order = rankWithin((isByAct ? act.turn : undefined) ?? occurrence, index);
    return [{ status: name, at, order, error: index === 2 ? error : null, after: isByAct ? (act.after ?? 0) : null }];
  });
}

// Begins a job of a hosted agent for a control operation.

/** The status in which a new agent is before a job of each type. */
export const statusBefore: Record<AgentJobType, AgentStatus> = {
  agent_provision: 'pending',
  agent_resume: 'stopped',
  agent_wake: 'sleeping',
  agent_restart: 'running',
  agent_suspend: 'running',
  agent_sleep: 'running',
  agent_snapshot: 'running',
  agent_delete: 'running',
};

/**
 * Begins a job now.
 *
 * @throws ApiError NOT_FOUND; VALIDATION_ERROR for an unknown failure mode; CONFLICT where the agent takes no job
 */
export function beginNow(
  world: World,
  { type, agent: name, failure }: { type: AgentJobType; agent?: string | undefined; failure?: string | undefined },
): ControlledJob {
  const mode = failure === undefined ? null : requireAgentMode(failure, 'failure');
  return world.db.transaction(() => {
    const now = world.clock.now();
    world.settle(now);
    const agent = name === undefined ? newAgentFor(world, now, type) : namedHostedAgent(world, name, 'agent');
    const { activeJob, status } = stateAt(agent, now);
    if (activeJob !== null) throw busyWith(activeJob, status);
    if (isShared(agent)) throw new ApiError('CONFLICT', { message: 'A shared agent has no jobs: it has no container' });
    const { job } = beginJob({ world, now, userId: agent.user_id, requestId: null, mode }, agent, type);
    return presentJob(findAnyJob(world, job.id) ?? { agent: job }, now);
  });
}

function newAgentFor(world: World, now: number, type: AgentJobType): HostedAgent {
  const { organizationId, userId } = seededIdentity(world);
  const made = { tier: 'dedicated-always', now, name: 'Agent', failure: null, requestId: null } as const;
  return settleHours(world, newAgent(world, { organizationId, userId }, { ...made, status: statusBefore[type] }), now);
}
