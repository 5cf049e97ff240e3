// What costs an organization credits as time passes: its containers that run, and its hosted agents.

import { toCredits } from '../../core/money.js';
import { iso, isoOrNull } from '../../http/wire.js';
import type { World } from '../../world/world.js';
import { nextMidnight } from '../containers/lifecycle/billing.js';
import { containerAt } from '../containers/lifecycle/lifecycle.js';
import { dailyPrice } from '../containers/lifecycle/pricing.js';
import { type ContainerRecord, listContainers } from '../containers/store.js';
import { presentBilling } from '../containers/wire/present-billing.js';
import { billedFor } from '../credits/store.js';
import { agentResources } from './agents.js';
import { cancelEndpointOf, type Resource } from './resources.js';

/** All of an organization: its containers and then its hosted agents, the newest first. */
export function activeResources(world: World, organizationId: string, now: number): Resource[] {
  const resources: Resource[] = [];
  for (const record of listContainers(world.db, organizationId)) {
    const resource = containerResource(world, record, now);
    if (resource !== undefined) resources.push(resource);
  }
  return [...resources, ...agentResources(world, organizationId, now)];
}

/** What resources cost in a day, in credits. */
export function dailyCostOf(resources: readonly Resource[]): number {
  const cost = resources.reduce((sum, one) => sum + one.unitPrice * (one.billingInterval === 'hour' ? 24 : 1), 0);
  return Math.round(cost * 1e6) / 1e6;
}

function containerResource(world: World, record: ContainerRecord, now: number): Resource | undefined {
  const state = containerAt(record.deployments, now);
  const spec = state.serving?.deployment.spec;
  if (spec === undefined) return undefined;
  const billing = presentBilling(world, record, state, now);
  const { total, last } = billedFor(world.db, record.id);
  const isBilled = world.config.billing.daily;
  return {
    resourceType: 'container',
    resourceId: record.id,
    name: record.name,
    status: state.status,
    billingStatus: billing?.billing_status ?? 'active',
    unitPrice: isBilled ? toCredits(dailyPrice(world.config, spec).amount) : 0,
    billingInterval: 'day',
    lastBilledAt: isoOrNull(last),
    nextBillingAt: billing?.next_billing_at ?? null,
    estimatedNextBillingAt: isBilled ? iso(nextMidnight(now)) : null,
    totalBilled: toCredits(total),
    cancelEndpoint: cancelEndpointOf(world, 'container', record.id),
    cancelAction: 'stop',
    metadata: {
      projectName: record.project_name,
      cpu: spec.cpu,
      memory: spec.memory,
      desiredCount: spec.desired_count,
    },
  };
}
