// Jobs of the platform as clients see them: those of hosted agents, and those that clone voices.

import { iso, isoOrNull } from '../../http/wire.js';
import { waitMs } from '../../world/to-client-time.js';
import { webUiUrl } from '../hosted-agents/access.js';
import { agentJobAt, maxAttempts, stateAt } from '../hosted-agents/lifecycle.js';
import { pollInterval } from '../hosted-agents/plan.js';
import { estimateOf, type Viewing } from '../hosted-agents/present.js';
import { type AgentJob, findHostedAgent } from '../hosted-agents/store.js';
import { jobAt } from '../voice/jobs.js';
import type { Job as VoiceJob } from '../voice/store.js';

const isOpen = (status: string): boolean => status === 'pending' || status === 'in_progress';

/** The response with a job of an agent. */
export function presentAgentJob(job: AgentJob, { world, now, baseUrl }: Viewing) {
  const { status, error, attempts, startedAt, endedAt } = agentJobAt(job, now);
  const agent = findHostedAgent(world.db, job.agent_id);
  const isGone = agent === undefined || stateAt(agent, now).gone;
  const result = {
    agentId: job.agent_id,
    status: isGone ? 'deleted' : stateAt(agent, now).status,
    ...(!isGone && { webUiUrl: webUiUrl(baseUrl, agent) }),
  };
  return respond({
    id: job.id,
    type: job.type,
    status,
    result: status === 'completed' ? result : null,
    error,
    attempts,
    estimatedCompletionAt: estimateOf(world, job),
    startedAt,
    endedAt,
    createdAt: job.created_at,
    intervalMs: pollInterval(world, job.type),
  });
}

/** The response with a cloning job. */
export function presentVoiceJob(job: VoiceJob, { world, now }: Viewing) {
  const { status: own, error, startedAt, endedAt } = jobAt(job, now);
  const status = own === 'processing' ? 'in_progress' : own;
  const planned = job.plan.pending + job.plan.processing;
  return respond({
    id: job.id,
    type: 'voice_clone',
    status,
    result: status === 'completed' ? { voiceId: job.voice_id } : null,
    error,
    attempts: status === 'pending' ? 0 : 1,
    estimatedCompletionAt: iso(job.created_at + planned),
    startedAt,
    endedAt,
    createdAt: job.created_at,
    intervalMs: waitMs(world, Math.min(5_000, Math.max(250, Math.round(planned / 10)))),
  });
}

interface Shown {
  id: string;
  type: string;
  status: string;
  result: Record<string, unknown> | null;
  error: string | null;
  attempts: number;
  estimatedCompletionAt: string;
  startedAt: number | null;
  endedAt: number | null;
  createdAt: number;
  intervalMs: number;
}

function respond({ startedAt, endedAt, createdAt, intervalMs, ...job }: Shown) {
  return {
    success: true as const,
    status: job.status,
    data: {
      ...job,
      maxAttempts,
      scheduledFor: iso(createdAt),
      startedAt: isoOrNull(startedAt),
      completedAt: isoOrNull(endedAt),
      createdAt: iso(createdAt),
      updatedAt: iso(endedAt ?? startedAt ?? createdAt),
    },
    polling: { intervalMs, shouldContinue: isOpen(job.status) },
  };
}
