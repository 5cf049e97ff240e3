// Quota, credits, billing and prices in one response, as command-line clients read them before they deploy.

import { hourMs } from '../../../core/instant.js';
import { memoizeLast } from '../../../core/memoize-last.js';
import { type Micros, toCredits, toMicros } from '../../../core/money.js';
import type { Caller } from '../../../http/endpoint.js';
import type { World } from '../../../world/world.js';
import { findOrganization } from '../../accounts/store.js';
import { quotaAt } from '../../quotas/tiers.js';
import { viewOf } from '../lifecycle/lifecycle.js';
import { dailyPrice, deployPrice } from '../lifecycle/pricing.js';
import { countContainers, listContainers } from '../store.js';
import { createBody } from './schema.js';

const daysPerMonth = 30;

/** The number of containers that an organization may still deploy, and their price. */
export function quotaReport(world: World, caller: Caller, now: number) {
  const { config } = world;
  const balance = findOrganization(world.db, caller.organizationId)?.balance ?? 0;
  const { running, burn: spent } = runningOf(world, caller.organizationId, now);
  const max = quotaAt(config, 'containers', balance);
  const current = countContainers(world.db, caller.organizationId);
  const deployment = deployPrice(config, usualSpec(createBody));
  const { daily, imageUpload, perAdditionalInstance } = config.prices;
  const total = deployment.amount + toMicros(imageUpload);
  const burn = rounded(toCredits(spent));
  return {
    success: true,
    data: {
      quota: {
        current,
        max,
        remaining: Math.max(0, max - current),
        percentage: max === 0 ? 100 : Math.round((current / max) * 100),
      },
      credits: { balance: toCredits(balance), canDeploy: balance >= deployment.amount && current < max },
      billing: {
        model: 'daily',
        dailyCostPerContainer: daily,
        monthlyEquivalent: rounded(daily * daysPerMonth),
        currentDailyBurn: burn,
        runningContainers: running,
        daysOfRunway: burn === 0 ? null : Math.floor(toCredits(balance) / burn),
        warningThreshold: 2,
        shutdownWarningHours: config.billing.grace / hourMs,
      },
      pricing: {
        imageUpload,
        deployment: toCredits(deployment.amount),
        totalForNewContainer: toCredits(total),
        perDay: daily,
        // The price list has whole credits for a month; what a month really costs is monthlyEquivalent.
        perMonth: Math.round(daily * daysPerMonth),
        perAdditionalInstance,
      },
      limits: { maxImageSize: 2_147_483_648, maxInstancesPerContainer: 10, maxEnvVars: 50 },
    },
  };
}

// The spec of a container whose request omits all optional fields.
const usualSpec = memoizeLast((body: typeof createBody) =>
  body.unwrap().pick({ cpu: true, memory: true, desired_count: true }).parse({}),
);

/** The number of running containers, and what all that serve cost a day. */
export function runningOf(
  { db, config }: World,
  organizationId: string,
  now: number,
): { running: number; burn: Micros } {
  let running = 0;
  let burn = 0;
  for (const { deployments } of listContainers(db, organizationId)) {
    const { serving, status } = viewOf(deployments, now);
    if (serving === undefined) continue;
    if (status === 'running') running++;
    burn += dailyPrice(config, serving.deployment.spec).amount;
  }
  return { running, burn };
}

function rounded(amount: number): number {
  return Math.round(amount * 100) / 100;
}
