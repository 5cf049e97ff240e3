// What hosted agents cost by the hour, as billing shows it, and how they are stopped.

import type * as z from 'zod';
import { hourMs } from '../../core/instant.js';
import { toCredits } from '../../core/money.js';
import type { HandlerContext } from '../../http/endpoint.js';
import { iso, isoOrNull } from '../../http/wire.js';
import type { World } from '../../world/world.js';
import { hourlyPrice, rateClassOf } from '../hosted-agents/billing.js';
import { isShared, stateAt } from '../hosted-agents/lifecycle.js';
import { removeHostedAgent, requestJob } from '../hosted-agents/operations.js';
import { agentsOf, findHostedAgent, type HostedAgent } from '../hosted-agents/store.js';
import type { activeAnswer, cancelAnswer } from './schema.js';

export type Resource = z.output<typeof activeAnswer>['resources'][number];
export type Cancelled = Omit<z.output<typeof cancelAnswer>, 'success'>;

/** The path that stops a resource, in its world. */
export function cancelEndpointOf({ prefix }: World, type: Resource['resourceType'], id: string): string {
  return `${prefix}/api/v1/billing/resources/${id}/cancel?resourceType=${type}`;
}

const type = 'agent_sandbox';

/** The agents of an organization that cost something at present, the newest first; those of the shared tier cost by use. */
export function agentResources(world: World, organizationId: string, now: number): Resource[] {
  const agents = agentsOf(world.db, organizationId);
  return agents.flatMap((agent) => resourceOf(world, agent, now) ?? []);
}

function resourceOf(world: World, agent: HostedAgent, now: number): Resource | undefined {
  const { status } = stateAt(agent, now);
  const rate = rateClassOf(agent, { status });
  if (rate !== 'running' && rate !== 'idle') return undefined;
  const { paid_until: paidUntil, activated_at: activatedAt } = agent;
  // The first activation pays several hours at once.
  const first = world.config.hostedAgents.firstHours * hourMs;
  const isFirst = activatedAt !== null && paidUntil === activatedAt + first;
  return {
    resourceType: type,
    resourceId: agent.id,
    name: agent.name,
    status,
    billingStatus: agent.billing,
    unitPrice: toCredits(hourlyPrice(world, rate)),
    billingInterval: 'hour',
    lastBilledAt: paidUntil === null ? null : iso(isFirst ? activatedAt : paidUntil - hourMs),
    nextBillingAt: isoOrNull(paidUntil),
    estimatedNextBillingAt: isoOrNull(paidUntil),
    totalBilled: toCredits(agent.total_billed),
    cancelEndpoint: cancelEndpointOf(world, type, agent.id),
    cancelAction: 'suspend_billing',
    metadata: { executionTier: agent.tier, rateClass: rate },
  };
}

/**
 * Suspends an agent that runs, or deletes it; undefined where the caller's organization has none of the id.
 *
 * @throws ApiError CONFLICT while another job of it is in progress
 */
export function cancelAgent(call: HandlerContext, id: string, mode: 'stop' | 'delete'): Cancelled | undefined {
  const { world, now, caller } = call;
  const agent = findHostedAgent(world.db, id, caller.organizationId);
  if (agent === undefined) return undefined;
  const { status } = stateAt(agent, now);
  const named = { resourceType: type, resourceId: id, action: mode === 'delete' ? mode : 'suspend_billing' } as const;
  const idle = 'The agent does not run; while it is idle it costs less, and nothing once it is deleted';
  if (mode === 'stop' && rateClassOf(agent, { status }) !== 'running') return { ...named, status, message: idle };
  if (isShared(agent)) removeHostedAgent(world, agent);
  else requestJob(call, agent, mode === 'stop' ? 'agent_suspend' : 'agent_delete');
  const left = findHostedAgent(world.db, id);
  const message = mode === 'stop' ? 'The agent is being suspended' : 'The agent is being deleted';
  return { ...named, status: left === undefined ? 'deleted' : stateAt(left, now).status, message };
}
