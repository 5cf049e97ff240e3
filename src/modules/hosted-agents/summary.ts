// What all hosted agents of an organization cost.

import { toCredits } from '../../core/money.js';
import type { World } from '../../world/world.js';
import { findOrganization } from '../accounts/store.js';
import { hourlyPrice, rateClassOf, startPrice } from './billing.js';
import { stateAt } from './lifecycle.js';
import type { HostedAgent } from './store.js';

/** The hours of a month, for estimates. */
export const hoursOfMonth = 730;

/** How many agents there are of each kind, and what an hour of all of them costs, in micro-credits. */
export interface Costs {
  shared: number;
  running: number;
  idle: number;
  dedicated: number;
  hourly: number;
}

export const noCosts: Costs = { shared: 0, running: 0, idle: 0, dedicated: 0, hourly: 0 };

interface At {
  world: World;
  now: number;
}

/** The costs with those of further agents. */
export function addToCosts(before: Costs, agents: readonly HostedAgent[], { world, now }: At): Costs {
  const costs = { ...before };
  for (const agent of agents) {
    const rate = rateClassOf(agent, stateAt(agent, now));
    if (rate === 'shared-usage') costs.shared++;
    else costs.dedicated++;
    if (rate === 'running' || rate === 'idle') costs[rate]++;
    costs.hourly += hourlyPrice(world, rate);
  }
  return costs;
}

/** The summary in a list of agents. */
export function presentSummary(
  { shared, running, idle, dedicated, hourly }: Costs,
  { world, organizationId }: { world: World; organizationId: string },
) {
  const balance = findOrganization(world.db, organizationId)?.balance ?? 0;
  const { runningHour, idleHour, lowCredit } = world.config.hostedAgents;
  return {
    sharedCount: shared,
    dedicatedRunningCount: running,
    dedicatedIdleCount: idle,
    hasAgents: shared + dedicated > 0,
    hasDedicatedHosting: dedicated > 0,
    hourlyHostingCostUsd: toCredits(hourly),
    monthlyHostingCostUsd: roundedUsd(toCredits(hourly) * hoursOfMonth),
    creditBalanceUsd: toCredits(balance),
    hoursRemaining: hourly === 0 ? null : Math.floor(balance / hourly),
    lowBalance: hourly > 0 && toCredits(balance) < lowCredit,
    dedicatedRunningHourlyRateUsd: runningHour,
    dedicatedIdleHourlyRateUsd: idleHour,
    minimumDepositUsd: toCredits(startPrice(world)),
    lowCreditWarningUsd: lowCredit,
  };
}

/** An amount without what floating point adds. */
export function roundedUsd(usd: number): number {
  return Math.round(usd * 1e6) / 1e6;
}
