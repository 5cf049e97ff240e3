// Quotas by balance.

import type { Config } from '../../config/schema.js';
import { ApiError } from '../../kernel/errors.js';
import { type Micros, toCredits } from '../../kernel/money.js';

/** How many of a thing an organization may have at a balance. */
export function quotaAt(config: Config, resource: 'containers', balance: Micros): number {
  const tier = config.quotas.tiers.filter((from) => toCredits(balance) >= from).length;
  return config.quotas[resource][tier] ?? 0;
}

/**
 * Refuses one more when the quota is used up.
 *
 * @throws ApiError QUOTA_EXCEEDED with `{current, max}`
 */
export function checkQuota(config: Config, resource: 'containers', balance: Micros, current: number): void {
  if (!config.quotas.enabled) return;
  const max = quotaAt(config, resource, balance);
  if (current < max) return;
  throw new ApiError('QUOTA_EXCEEDED', {
    message: `Container quota exceeded. Current: ${current}, Max: ${max}`,
    details: { current, max },
    extra: { quota: { current, max } },
  });
}
