// The ledger: every movement of credits with its reason, its price rule and the balance before and after.

import { ApiError, type ApiErrorOptions } from '../../core/errors.js';
import { type Micros, toCredits } from '../../core/money.js';
import { following } from '../../db/numbers.js';
import type { HandlerContext } from '../../http/endpoint.js';
import type { World } from '../../world/world.js';
import { findOrganization } from '../accounts/store.js';
import { creditsFor } from './dollars.js';
import {
  appendLedger,
  changeBalance,
  hasDues,
  lastLedgerNumber,
  setFailNth,
  takeFromBalance,
  topUpThreshold,
} from './store.js';

export const movementTypes = ['seed', 'grant', 'charge', 'refund', 'adjustment', 'topup', 'payment'] as const;

/** The price of something. */
export interface Price {
  amount: Micros;
  /** The rule with its numbers, for the ledger. */
  rule: string;
}

/** The reason for a movement of credits. */
export interface Movement {
  type: (typeof movementTypes)[number];
  reason: string;
  priceRule?: string | null;
  operation?: string | null;
  requestId?: string | null;
  /** Its subject, for example a deployment's id. */
  subject?: string | null;
  at: number;
}

/** The effect that pays an organization's debts as soon as it receives credits. */
export const payingEffect = 'billing.payment';

/**
 * The effect that tops an organization's credits up by itself. Of effects of one instant it is the first, so that the bills
 * of that instant find the new balance.
 */
export const topUpEffect = 'billing.autoTopUp';

/**
 * Charges credits for a request, within the caller's transaction.
 *
 * @returns the balance after it, in micro-credits
 * @throws ApiError INSUFFICIENT_CREDITS when the balance is too low, or a control has this charge refused; nothing is
 *   taken then
 */
export function charge(world: World, organizationId: string, amount: Micros, movement: Movement): Micros {
  const after = takeFromBalance(world.db, organizationId, amount, true);
  if (after === undefined) throw refusalOf(world, organizationId, amount);
  record(world, organizationId, -amount, after, movement);
  topUpIfLow(world, organizationId, after, movement.at);
  return after;
}

/** Charges the caller of a request, within its transaction; returns the balance after it. */
export function chargeCaller(
  call: Pick<HandlerContext, 'world' | 'caller' | 'operation' | 'requestId' | 'now'>,
  { amount, rule: priceRule }: Price,
  reason: string,
  subject: string | null = null,
): Micros {
  const { world, caller, operation, requestId, now: at } = call;
  return charge(world, caller.organizationId, amount, {
    type: 'charge',
    reason,
    priceRule,
    operation,
    requestId,
    subject,
    at,
  });
}

/** Charges what is due without a request, if the balance suffices; returns whether it did. */
export function chargeIfCovered(
  world: World,
  organizationId: string,
  amount: Micros,
  movement: Omit<Movement, 'type'>,
): boolean {
  const after = takeFromBalance(world.db, organizationId, amount);
  if (after === undefined) return false;
  record(world, organizationId, -amount, after, { type: 'charge', ...movement });
  topUpIfLow(world, organizationId, after, movement.at);
  return true;
}

/**
 * Schedules a top-up for an organization that wants them and whose balance is below its threshold; several charges before
 * it is applied lead to one.
 *
 * @param balance in micro-credits
 */
export function topUpIfLow(world: World, organizationId: string, balance: Micros, at: number): void {
  const threshold = topUpThreshold(world.db, organizationId);
  if (threshold !== undefined && balance < creditsFor(world, threshold))
    world.schedule(topUpEffect, organizationId, at);
}

/** Adds credits, within the caller's transaction; returns the balance after it. */
export function credit(world: World, organizationId: string, amount: Micros, movement: Movement): Micros {
  const after = changeBalance(world.db, organizationId, amount);
  record(world, organizationId, amount, after, movement);
  // Debts are paid afterwards, not now: a payment for something else must not go to debts.
  if (amount > 0 && hasDues(world.db, organizationId)) world.schedule(payingEffect, organizationId, movement.at);
  return after;
}

function record(world: World, organizationId: string, amount: Micros, after: Micros, movement: Movement): void {
  const number = following(lastLedgerNumber(world.db), 'ledger');
  appendLedger(world.db, {
    seq: number,
    id: world.random.nthUuid('ledger', number),
    organization_id: organizationId,
    type: movement.type,
    amount,
    balance_before: after - amount,
    balance_after: after,
    reason: movement.reason,
    price_rule: movement.priceRule ?? null,
    operation: movement.operation ?? null,
    request_id: movement.requestId ?? null,
    subject: movement.subject ?? null,
    created_at: movement.at,
  });
}

// Only this charge is refused by the control; the message states the real balance and price.
function refusalOf({ db }: World, organizationId: string, amount: Micros): ApiError {
  const balance = findOrganization(db, organizationId)?.balance ?? 0;
  if (balance < amount) return insufficientCredits(amount, balance);
  return insufficientCredits(amount, balance, {
    because: 'this charge was ordered to fail',
    headers: { 'X-Emulator-Fault': 'failNth' },
    lasting: () => setFailNth(db, organizationId, null),
  });
}

/**
 * The 402 of an organization whose balance is too low.
 *
 * @param more.because why the charge is refused although the balance would suffice
 */
export function insufficientCredits(
  required: Micros,
  balance: Micros,
  { because, ...more }: Pick<ApiErrorOptions, 'headers' | 'lasting'> & { because?: string } = {},
): ApiError {
  const requiredCredits = toCredits(required);
  const creditsRemaining = toCredits(balance);
  return new ApiError('INSUFFICIENT_CREDITS', {
    message: `Insufficient credits: this costs ${requiredCredits}, the balance is ${creditsRemaining}${because === undefined || balance < required ? '' : `, and ${because}`}`,
    details: { required: requiredCredits, balance: creditsRemaining },
    payable: required,
    extra: { requiredCredits, creditsRemaining },
    ...more,
  });
}
