// What all hosted agents of an organization cost.

import { toCredits } from '../../core/money.js';
import type { World } from '../../world/world.js';
import { findOrganization } from '../accounts/store.js';
import { hourlyPrice, rateClassOf, startPrice } from './billing.js';
import { stateAt } from './lifecycle.js';
import type { HostedAgent } from './store.js';

/** The hours of a month, for estimates. */
export const hoursOfMonth = 730;

/** The summary in a list of an organization's agents. */
export function presentSummary(
  agents: readonly HostedAgent[],
  { world, now, organizationId }: { world: World; now: number; organizationId: string },
) {
  const rates = agents.map((agent) => rateClassOf(agent, stateAt(agent, now)));
  const shared = rates.filter((rate) => rate === 'shared-usage').length;
  const running = rates.filter((rate) => rate === 'running').length;
  const idle = rates.filter((rate) => rate === 'idle').length;
  const dedicated = rates.length - shared;
  const hourly = rates.reduce((sum, rate) => sum + hourlyPrice(world, rate), 0);
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
