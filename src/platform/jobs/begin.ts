// Begins a job of a hosted agent for a control operation.

import { ApiError } from '../../core/errors.js';
import { seededIdentity } from '../../world/seeded.js';
import type { World } from '../../world/world.js';
import { namedHostedAgent } from '../hosted-agents/access.js';
import { settleHours } from '../hosted-agents/billing.js';
import { newAgent } from '../hosted-agents/create.js';
import { requireAgentMode } from '../hosted-agents/failures.js';
import { isShared, stateAt } from '../hosted-agents/lifecycle.js';
import { beginJob, busyWith } from '../hosted-agents/operations.js';
import type { AgentJobType, AgentStatus, HostedAgent } from '../hosted-agents/store.js';
import { type ControlledJob, findAnyJob, presentJob } from './named.js';

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
