// Quotas by balance.

import type { Config } from '../../config/schema.js';
import { ApiError } from '../../core/errors.js';
import { type Micros, toCredits } from '../../core/money.js';
import { requireRoom } from '../../db/room.js';
import type { World } from '../../world/world.js';
import { findOrganization } from '../accounts/store.js';

/** The resources whose number a balance bounds, and their names in messages. */
const nouns = { agents: 'Agent', containers: 'Container' };
export type QuotaResource = keyof typeof nouns;

/** How many of a thing an organization may have at a balance. */
export function quotaAt(config: Config, resource: QuotaResource, balance: Micros): number {
  const tier = config.quotas.tiers.filter((from) => toCredits(balance) >= from).length;
  return config.quotas[resource][tier] ?? 0;
}

/**
 * Refuses one more when the quota is used up; counts only where there is one.
 *
 * @param credited what of the balance a payment has just brought, which does not raise the quota
 * @throws ApiError QUOTA_EXCEEDED with `{current, max}`; VALIDATION_ERROR where the world holds no more
 */
export function checkQuota(
  world: World,
  resource: QuotaResource,
  organizationId: string,
  count: () => number,
  credited: Micros = 0,
): void {
  if (!world.config.quotas.enabled) return;
  requireRoom(world.db, resource);
  const { allowed, current, max } = quotaState(world, resource, organizationId, count(), credited);
  if (!allowed) throw quotaExceeded(resource, current, max);
}

/** Whether an organization may have one more of a thing, of which it has some. */
export function quotaState(
  { db, config }: World,
  resource: QuotaResource,
  organizationId: string,
  current: number,
  credited: Micros = 0,
): { allowed: boolean; current: number; max: number } {
  const max = quotaAt(config, resource, (findOrganization(db, organizationId)?.balance ?? 0) - credited);
  return { allowed: current < max || !config.quotas.enabled, current, max };
}

/** The 403 of an organization that has as many of a thing as it may. */
export function quotaExceeded(resource: QuotaResource, current: number, max: number): ApiError {
  return new ApiError('QUOTA_EXCEEDED', {
    message: `${nouns[resource]} quota exceeded. Current: ${current}, Max: ${max}`,
    details: { current, max },
    extra: { quota: { current, max } },
  });
}
