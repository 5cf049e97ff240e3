// The hosted agents of an organization, as a scenario describes them.

import { stateAt } from '../../platform/hosted-agents/lifecycle.js';
import { type AgentJob, type HostedAgent, listHostedAgents } from '../../platform/hosted-agents/store.js';
import type { World } from '../../world/world.js';
import { ageOf, withoutEmpty, withoutValues } from './saved.js';
import type { ScenarioInput } from './schema.js';

type Saved = NonNullable<NonNullable<ScenarioInput['data']>['hostedAgents']>[number];

const most = 500;

/** The oldest agents of an organization at an instant. Jobs that have ended are left out, and so the backups that they made. */
export function hostedAgentsOf({ db }: World, organizationId: string, now: number): Saved[] {
  const own = listHostedAgents(db).filter((agent) => agent.organization_id === organizationId);
  const there = own.reverse().filter((agent) => !stateAt(agent, now).gone);
  return there.slice(0, most).map((agent) => hostedAgentOf(agent, now));
}

function hostedAgentOf(agent: HostedAgent, now: number): Saved {
  const { name, tier, docker_image: dockerImage, failure, created_at: createdAt } = agent;
  const state = stateAt(agent, now);
  const { activeJob } = state;
  // The status before its job leads to the others, as time goes on.
  const { status, error } = activeJob === null ? state : agent.base;
  const { EMULATOR_FAIL: _, ...variables } = agent.environment_vars;
  const isUsual = tier === (dockerImage === null ? 'dedicated-always' : 'custom');
  return withoutEmpty<Saved>({
    name,
    tier: isUsual ? undefined : tier,
    agentConfig: agent.config,
    environmentVars: withoutValues(variables),
    dockerImage: dockerImage ?? undefined,
    age: ageOf(createdAt, now),
    // No job leaves an agent in the statuses that jobs alone have.
    status: tier === 'shared' ? undefined : (status as Saved['status']),
    error: tier === 'shared' ? undefined : (error ?? undefined),
    mode: failure ?? undefined,
    unpaid: agent.billing === 'suspended' || undefined,
    job: activeJob === null ? undefined : jobOf(activeJob, agent, now),
  });
}

function jobOf({ type, plan, created_at: createdAt }: AgentJob, { failure }: HostedAgent, now: number): Saved['job'] {
  const mode = plan.mode === null || plan.mode === failure ? undefined : plan.mode;
  return withoutEmpty<NonNullable<Saved['job']>>({ type, age: ageOf(createdAt, now), mode });
}
