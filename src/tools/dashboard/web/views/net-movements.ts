// Movements of credits as people count them: what was reserved and what was given back of it are one.

import type { LedgerEntry } from '../../../../platform/credits/control.js';

export interface NetMovement extends LedgerEntry {
  /** The part of a reservation that was given back when the price was known. */
  unused: number;
}

/**
 * The movements of a ledger, in which a reservation and its settlement are one, in the place of the settlement. The refund
 * of a deployment or a job stays by itself: it comes later, of something that failed.
 */
export function netted(ledger: readonly LedgerEntry[]): NetMovement[] {
  const movements = new Map<string, NetMovement>();
  const reserved = new Map<string, NetMovement>();
  for (const entry of ledger) {
    const movement: NetMovement = { ...entry, unused: 0 };
    const { type, requestId, subject } = entry;
    const charge = type === 'refund' && subject === null ? reserved.get(requestId ?? '') : undefined;
    if (charge !== undefined) {
      movements.delete(charge.id);
      reserved.delete(requestId ?? '');
      const { id, reason, balanceBefore } = charge;
      const amount = rounded(charge.amount + entry.amount);
      movements.set(id, { ...movement, id, type: charge.type, reason, balanceBefore, amount, unused: entry.amount });
      continue;
    }
    movements.set(movement.id, movement);
    if (type === 'charge' && subject === null && requestId !== null) reserved.set(requestId, movement);
  }
  return [...movements.values()];
}

// Credits have six decimals; a sum of floating-point numbers can have more.
function rounded(amount: number): number {
  return Math.round(amount * 1e6) / 1e6;
}
