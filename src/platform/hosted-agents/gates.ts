// What a start of a dedicated agent must pass: an account without a hold, credits for the first hours, and the price.

import { ApiError } from '../../core/errors.js';
import { toCredits } from '../../core/money.js';
import { describe } from '../../core/problems.js';
import type { HandlerContext } from '../../http/endpoint.js';
import type { World } from '../../world/world.js';
import { findOrganization } from '../accounts/store.js';
import { startPrice } from './billing.js';
import { roundedUsd } from './present.js';

type Starting = Pick<HandlerContext, 'world' | 'header'>;

/** The header in which a client says which price it accepts. */
const priceHeader = 'X-Eliza-Dedicated-Price';

/**
 * Refuses a start whose price the client does not confirm, or the account cannot pay.
 *
 * @throws ApiError PRICE_NOT_CONFIRMED with the price; INSUFFICIENT_CREDITS with what is required, and the balance
 */
export function requireStart(call: Starting, organizationId: string): void {
  requirePrice(call);
  requireCredits(call.world, organizationId);
}

function requirePrice(call: Starting): void {
  const { world } = call;
  const confirmed = call.header(priceHeader)?.trim();
  const { price: rule, runningHour, firstHours } = world.config.hostedAgents;
  // Of an hour, and of the first hours.
  const price = `dedicated-compute-v1:USD:${runningHour.toFixed(6)}:${(runningHour * firstHours).toFixed(6)}`;
  if (confirmed === price || (confirmed === undefined && rule === 'optional')) return;
  const said = confirmed === undefined ? 'is missing' : `confirms another price, ${describe(confirmed)}`;
  throw new ApiError('PRICE_NOT_CONFIRMED', {
    message: `No compute was started: ${priceHeader} ${said}. Review the price, and send it as ${price}`,
    flatCode: 'DEDICATED_PRICE_CONFIRMATION_REQUIRED',
    flat: 'Refresh the app and review the current Dedicated price before starting. No compute was started.',
    extra: {
      pricing: {
        currency: 'USD',
        hourlyRateUsd: runningHour,
        minimumActivationChargeUsd: roundedUsd(runningHour * firstHours),
        acceptanceHeader: priceHeader,
        acceptanceValue: price,
      },
    },
  });
}

/** Refuses a start that the account cannot pay, or that a hold forbids: INSUFFICIENT_CREDITS. */
export function requireCredits(world: World, organizationId: string): void {
  const required = startPrice(world);
  const { balance = 0, billing_hold: hold = 0 } = findOrganization(world.db, organizationId) ?? {};
  const isHeld = hold !== 0;
  if (balance >= required && !isHeld) return;
  const requiredBalance = toCredits(required);
  const currentBalance = toCredits(balance);
  const what = `to start a dedicated agent takes a balance of ${requiredBalance}, and it is ${currentBalance}`;
  throw new ApiError('INSUFFICIENT_CREDITS', {
    message: isHeld
      ? 'Billing hold: the account is on hold, and starts no dedicated agent until that is lifted'
      : `Insufficient credits: ${what}`,
    ...(isHeld && { flatCode: 'billing_hold_active' }),
    details: { required: requiredBalance, balance: currentBalance, ...(isHeld && { reason: 'billing_hold_active' }) },
    extra: {
      requiredCredits: requiredBalance,
      creditsRemaining: currentBalance,
      requiredBalance,
      currentBalance,
    },
  });
}
