// Credits that are charged before the usage is known: the rest is returned at the end, or after a crash.

import { type Micros, toCredits } from '../../core/money.js';
import type { World } from '../../world/world.js';
import { charge, credit, type Movement } from './ledger.js';
import { deleteReservation, insertReservation, listReservations } from './store.js';

/** The purpose of a reservation. */
export interface ReservedFor {
  reason: string;
  priceRule: string;
  operation: string;
  requestId: string;
  at: number;
}

/**
 * Charges the maximum that something can cost, within the caller's transaction.
 *
 * @returns the reservation's number
 * @throws ApiError INSUFFICIENT_CREDITS
 */
export function reserve(world: World, organizationId: string, amount: Micros, what: ReservedFor): number {
  const { reason, operation, requestId } = what;
  charge(world, organizationId, amount, { type: 'charge', ...what });
  const seq = world.nextNumber('reservations');
  insertReservation(world.db, {
    seq,
    organization_id: organizationId,
    amount,
    reason,
    operation,
    request_id: requestId,
  });
  return seq;
}

/** Returns the unused part of a reservation, in a transaction of its own; a missing reservation is ignored. */
export function settleReservation(world: World, seq: number, used: Micros, what: ReservedFor): void {
  world.db.transaction(() => {
    const reservation = deleteReservation(world.db, seq);
    if (reservation === undefined || reservation.amount <= used) return;
    const { organization_id: organizationId, amount } = reservation;
    const movement: Movement = { type: 'refund', ...what };
    credit(world, organizationId, amount - used, { ...movement, reason: `${what.reason}: not used` });
  });
}

/** Returns all reservations: their requests are gone, because the process restarted or all data were replaced. */
export function releaseReservations(world: World): void {
  const left = listReservations(world.db);
  if (left.length === 0) return;
  const at = world.clock.now();
  world.db.transaction(() => {
    for (const { seq, organization_id: organizationId, amount, reason, operation, request_id: requestId } of left) {
      deleteReservation(world.db, seq);
      credit(world, organizationId, amount, {
        type: 'refund',
        reason: `${reason}: never ended`,
        priceRule: `reserved ${toCredits(amount)}`,
        operation,
        requestId,
        at,
      });
    }
  });
}
