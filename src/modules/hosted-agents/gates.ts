// What a start of a dedicated agent must pass: an account without a hold, credits for the first hours, and the price.

import { ApiError } from '../../core/errors.js';
import { toCredits } from '../../core/money.js';
import type { HandlerContext } from '../../http/endpoint.js';
import type { World } from '../../world/world.js';
import { findOrganization } from '../accounts/store.js';
import { startPrice } from './billing.js';

/** The header in which a client says which price it accepts. */
const priceHeader = 'X-Eliza-Dedicated-Price';

/** The price of a dedicated agent as that header has it: of an hour, and of the first hours. */
export function acceptedPrice({ config }: World): string {
  const { runningHour, firstHours } = config.hostedAgents;
  return `dedicated-compute-v1:USD:${runningHour.toFixed(6)}:${(runningHour * firstHours).toFixed(6)}`;
}

/**
 * Refuses a start that costs more than the account may spend, or something else than the client accepts.
 *
 * @throws ApiError INSUFFICIENT_CREDITS with what is required, and the balance; CONFLICT with the price
 */
export function requireStart(call: Pick<HandlerContext, 'world' | 'header'>, organizationId: string): void {
  const { world } = call;
  requireCredits(world, organizationId);
  const accepted = call.header(priceHeader);
  const price = acceptedPrice(world);
  if (accepted === undefined || accepted.trim() === price) return;
  throw new ApiError('CONFLICT', {
    message: `The price of a dedicated agent is not the one that ${priceHeader} accepts: it is ${price}`,
    details: { price },
    flatCode: 'billing_state_conflict',
  });
}

function requireCredits(world: World, organizationId: string): void {
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
