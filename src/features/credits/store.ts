// Balances and ledger rows.

import type { Db } from '../../store/db.js';

export interface LedgerRow {
  seq: number;
  id: string;
  organization_id: string;
  type: string;
  amount: number;
  balance_before: number;
  balance_after: number;
  reason: string;
  price_rule: string | null;
  operation: string | null;
  request_id: string | null;
  subject: string | null;
  created_at: number;
}

/** Takes from a balance if it suffices; returns what is left, or undefined. */
export function takeFromBalance(db: Db, organizationId: string, amount: number): number | undefined {
  return db.get<{ balance: number }>(
    'UPDATE organizations SET balance = balance - ? WHERE id = ? AND balance >= ? RETURNING balance',
    amount,
    organizationId,
    amount,
  )?.balance;
}

/** Adds to a balance (or takes, unconditionally) and returns it. */
export function changeBalance(db: Db, organizationId: string, amount: number): number {
  return (
    db.get<{ balance: number }>(
      'UPDATE organizations SET balance = balance + ? WHERE id = ? RETURNING balance',
      amount,
      organizationId,
    )?.balance ?? 0
  );
}

/** The number of the latest row; rows are never deleted, so the next one follows. */
export function lastLedgerNumber(db: Db): number {
  return db.get<{ last: number | null }>('SELECT max(seq) AS last FROM ledger')?.last ?? 0;
}

export function appendLedger(db: Db, row: LedgerRow): void {
  db.run(
    `INSERT INTO ledger (seq, id, organization_id, type, amount, balance_before, balance_after, reason, price_rule,
       operation, request_id, subject, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    row.seq,
    row.id,
    row.organization_id,
    row.type,
    row.amount,
    row.balance_before,
    row.balance_after,
    row.reason,
    row.price_rule,
    row.operation,
    row.request_id,
    row.subject,
    row.created_at,
  );
}

/** Ledger rows, oldest first. */
export function listLedger(db: Db, organizationId?: string): LedgerRow[] {
  return organizationId === undefined
    ? db.all<LedgerRow>('SELECT * FROM ledger ORDER BY seq')
    : db.all<LedgerRow>('SELECT * FROM ledger WHERE organization_id = ? ORDER BY seq', organizationId);
}

/** The last movements of an organization since an instant, newest first. */
export function latestMovements(db: Db, organizationId: string, since: number, limit: number): LedgerRow[] {
  return db.all<LedgerRow>(
    'SELECT * FROM ledger WHERE organization_id = ? AND created_at >= ? ORDER BY seq DESC LIMIT ?',
    organizationId,
    since,
    limit,
  );
}

export function countMovements(db: Db, organizationId: string, since: number): number {
  return (
    db.get<{ count: number }>(
      'SELECT count(*) AS count FROM ledger WHERE organization_id = ? AND created_at >= ?',
      organizationId,
      since,
    )?.count ?? 0
  );
}
