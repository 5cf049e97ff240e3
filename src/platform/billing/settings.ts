// The billing settings of an organization, and the top-ups that they order.

import type * as z from 'zod';
import { type FieldProblem, invalid } from '../../core/errors.js';
import { toCredits, toMicros } from '../../core/money.js';
import type { HandlerContext } from '../../http/endpoint.js';
import type { World } from '../../world/world.js';
import { findOrganization } from '../accounts/store.js';
import { hasPaid } from '../checkouts/store.js';
import { creditsFor } from '../credits/dollars.js';
import { credit, topUpEffect, topUpIfLow } from '../credits/ledger.js';
import { type settingsBody, topUpLimits } from './schema.js';
import { billingSettingsOf, saveBillingSettings } from './store.js';

export const noPaymentMethod = 'Cannot enable auto-top-up without a payment method';

export function presentSettings({ db }: World, organizationId: string) {
  const { auto_top_up, amount, threshold, from_earnings } = billingSettingsOf(db, organizationId);
  return {
    autoTopUp: {
      enabled: auto_top_up === 1,
      amount: toCredits(amount),
      threshold: toCredits(threshold),
      hasPaymentMethod: hasPaid(db, organizationId),
    },
    payAsYouGoFromEarnings: from_earnings === 1,
    limits: topUpLimits,
  };
}

/**
 * Changes what is given, within the caller's transaction. Where the balance is below the threshold already, it is topped up.
 *
 * @throws ApiError VALIDATION_ERROR where top-ups are enabled that cannot be made
 */
export function changeSettings(
  { world, caller: { organizationId }, now }: Pick<HandlerContext, 'world' | 'caller' | 'now'>,
  { autoTopUp = {}, payAsYouGoFromEarnings }: z.output<typeof settingsBody>,
): void {
  const { db } = world;
  const before = billingSettingsOf(db, organizationId);
  const { enabled = before.auto_top_up === 1, amount, threshold } = autoTopUp;
  const next = {
    organization_id: organizationId,
    auto_top_up: enabled ? 1 : 0,
    amount: amount === undefined ? before.amount : toMicros(amount),
    threshold: threshold === undefined ? before.threshold : toMicros(threshold),
    from_earnings: (payAsYouGoFromEarnings ?? before.from_earnings === 1) ? 1 : 0,
  };
  const problems: FieldProblem[] = [];
  if (enabled && !hasPaid(db, organizationId))
    problems.push({
      path: 'autoTopUp.enabled',
      message: `${noPaymentMethod}: pay a checkout first`,
    });
  if (enabled && next.amount === 0) problems.push({ path: 'autoTopUp.amount', message: 'is required' });
  if (problems.length > 0) throw invalid(...problems);
  saveBillingSettings(db, next);
  topUpIfLow(world, organizationId, balanceOf(world, organizationId), now);
}

/**
 * Tops an organization up once, unless its balance or its settings have changed since this came due.
 *
 * @param at when it came due: the instant of the charge that left less than the threshold
 */
export function topUpDue(world: World, organizationId: string, at: number): void {
  const { auto_top_up, amount, threshold } = billingSettingsOf(world.db, organizationId);
  if (auto_top_up === 0 || balanceOf(world, organizationId) >= creditsFor(world, threshold)) return;
  const dollars = toCredits(amount);
  credit(world, organizationId, creditsFor(world, amount), {
    type: 'topup',
    reason: `Automatic top-up of $${dollars}`,
    priceRule: `auto top-up ${dollars} below ${toCredits(threshold)}`,
    operation: topUpEffect,
    at,
  });
}

function balanceOf({ db }: World, organizationId: string): number {
  return findOrganization(db, organizationId)?.balance ?? 0;
}
