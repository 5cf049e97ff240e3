// The billing settings of an organization. They are kept and shown; nothing is topped up by itself.

import type * as z from 'zod';
import { type FieldProblem, invalid } from '../../core/errors.js';
import { toCredits, toMicros } from '../../core/money.js';
import type { World } from '../../world/world.js';
import { hasPaid } from '../checkouts/store.js';
import { type settingsBody, topUpLimits } from './schema.js';
import { billingSettingsOf, saveBillingSettings } from './store.js';

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

/** Changes what is given. @throws ApiError VALIDATION_ERROR where top-ups are enabled that cannot be made */
export function changeSettings(
  { db }: World,
  organizationId: string,
  { autoTopUp = {}, payAsYouGoFromEarnings }: z.output<typeof settingsBody>,
): void {
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
      message: 'Cannot enable auto-top-up without a payment method: pay a checkout first',
    });
  if (enabled && next.amount === 0) problems.push({ path: 'autoTopUp.amount', message: 'is required' });
  if (problems.length > 0) throw invalid(...problems);
  saveBillingSettings(db, next);
}
