// Quota, credits, billing and prices in one response, as command-line clients read them before they deploy.

import { toCredits, toMicros } from '../../core/money.js';
import type { Caller } from '../../http/endpoint.js';
import type { World } from '../../world/world.js';
import { findOrganization } from '../accounts/store.js';
import { quotaAt } from '../quotas/tiers.js';
import { specOf } from './lifecycle.js';
import { dailyPrice, deployPrice } from './pricing.js';
import { createBody } from './schema.js';
import { stateOf } from './state.js';
import { listContainers } from './store.js';

const daysPerMonth = 30;
const hourMs = 3_600_000;

/** What an organization may still deploy, and its price. */
export function quotaReport(world: World, caller: Caller, now: number) {
  const { config } = world;
  const balance = findOrganization(world.db, caller.organizationId)?.balance ?? 0;
  const containers = listContainers(world.db, caller.organizationId);
  const states = containers.map((record) => stateOf(world, record, now));
  const running = states.filter(({ status }) => status === 'running');
  const max = quotaAt(config, 'containers', balance);
  const current = containers.length;
  const defaults = createBody.unwrap().pick({ cpu: true, memory: true, desired_count: true }).parse({});
  const deployment = deployPrice(config, defaults);
  const { daily, imageUpload, perAdditionalInstance } = config.prices;
  const total = deployment.amount + toMicros(imageUpload);
  const burn = rounded(toCredits(running.reduce((sum, state) => sum + dailyPrice(config, specOf(state)).amount, 0)));
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
        runningContainers: running.length,
        daysOfRunway: burn === 0 ? null : Math.floor(toCredits(balance) / burn),
        warningThreshold: 2,
        shutdownWarningHours: config.billing.grace / hourMs,
      },
      pricing: {
        imageUpload,
        deployment: toCredits(deployment.amount),
        totalForNewContainer: toCredits(total),
        perDay: daily,
        perMonth: rounded(daily * daysPerMonth),
        perAdditionalInstance,
      },
      limits: { maxImageSize: 2_147_483_648, maxInstancesPerContainer: 10, maxEnvVars: 50 },
    },
  };
}

function rounded(amount: number): number {
  return Math.round(amount * 100) / 100;
}
