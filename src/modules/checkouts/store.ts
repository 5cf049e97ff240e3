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
  created_at: number;
  paid_at: number | null;
}

export function insertCheckout(db: Db, checkout: Checkout): void {
  insert(db, 'checkouts', checkout);
}

export function findCheckout(db: Db, id: string): Checkout | undefined {
  return db.get<Checkout>('SELECT * FROM checkouts WHERE id = @id', { id });
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
