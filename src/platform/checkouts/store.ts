// Purchases of credits by card, as they are stored.

import type { Db } from '../../db/db.js';
import { insert } from '../../db/insert.js';

export interface Checkout {
  seq: number;
  /** The id of its session. */
  id: string;
  organization_id: string;
  user_id: string;
  /** The price, in micro-dollars. */
  amount: number;
  success_url: string;
  cancel_url: string;
  agent_id: string | null;
  /** As the client gave it, to begin no second one; null: it gave none. */
  idempotency_key: string | null;
  created_at: number;
  paid_at: number | null;
}

export function insertCheckout(db: Db, checkout: Checkout): void {
  insert(db, 'checkouts', checkout);
}

export function findCheckout(db: Db, id: string): Checkout | undefined {
  return db.get<Checkout>('SELECT * FROM checkouts WHERE id = @id', { id });
}

/** The newest that a user has begun with an idempotency key since an instant. */
export function findCheckoutByKey(
  db: Db,
  by: { organizationId: string; userId: string; key: string; since: number },
): Checkout | undefined {
  return db.get<Checkout>(
    `SELECT * FROM checkouts WHERE organization_id = @organizationId AND user_id = @userId AND idempotency_key = @key
       AND created_at > @since ORDER BY seq DESC LIMIT 1`,
    by,
  );
}

/** All of the world, the newest first. */
export function listCheckouts(db: Db): Checkout[] {
  return db.all<Checkout>('SELECT * FROM checkouts ORDER BY seq DESC');
}

export function markPaid(db: Db, seq: number, at: number): void {
  db.run('UPDATE checkouts SET paid_at = @at WHERE seq = @seq', { seq, at });
}

/** Whether an organization has paid any. */
export function hasPaid(db: Db, organizationId: string): boolean {
  const paid = 'SELECT 1 FROM checkouts WHERE organization_id = @organizationId AND paid_at IS NOT NULL LIMIT 1';
  return db.get(paid, { organizationId }) !== undefined;
}
