// The ledger: every movement of credits with its reason, its price rule and the balance before and after.

import { ApiError } from '../../kernel/errors.js';
import { type Micros, toCredits } from '../../kernel/money.js';
import type { World } from '../../worlds/world.js';
import { findOrganization } from '../accounts/store.js';
import { appendLedger, changeBalance, lastLedgerNumber, takeFromBalance } from './store.js';

export const movementTypes = ['seed', 'grant', 'charge', 'refund', 'adjustment', 'topup', 'payment'] as const;

/** Why credits move. */
export interface Movement {
  type: (typeof movementTypes)[number];
  reason: string;
  priceRule?: string | null;
  operation?: string | null;
  requestId?: string | null;
  /** What it was for, for example a deployment's id. */
  subject?: string | null;
  at: number;
}

/**
 * Takes credits for something, within the caller's transaction.
 *
 * @returns the balance after it, in micro-credits
 * @throws ApiError INSUFFICIENT_CREDITS when the balance is too low; nothing is taken then
 */
export function charge(world: World, organizationId: string, amount: Micros, movement: Movement): Micros {
  const after = takeFromBalance(world.db, organizationId, amount);
  if (after === undefined) {
    const balance = findOrganization(world.db, organizationId)?.balance ?? 0;
    throw insufficientCredits(amount, balance);
  }
  record(world, organizationId, -amount, after, movement);
  return after;
}

/** Gives credits, within the caller's transaction; returns the balance after it. */
export function credit(world: World, organizationId: string, amount: Micros, movement: Movement): Micros {
  const after = changeBalance(world.db, organizationId, amount);
  record(world, organizationId, amount, after, movement);
  return after;
}

function record(world: World, organizationId: string, amount: Micros, after: Micros, movement: Movement): void {
  const number = lastLedgerNumber(world.db) + 1;
  appendLedger(world.db, {
    seq: number,
    id: world.random.uuid('ledger', number),
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

/** The 402 of an organization whose balance is too low. */
export function insufficientCredits(required: Micros, balance: Micros): ApiError {
  const requiredCredits = toCredits(required);
  const creditsRemaining = toCredits(balance);
  return new ApiError('INSUFFICIENT_CREDITS', {
    message: `Insufficient credits: this costs ${requiredCredits}, the balance is ${creditsRemaining}`,
    details: { required: requiredCredits, balance: creditsRemaining },
    payable: required,
    extra: { requiredCredits, creditsRemaining },
  });
}
