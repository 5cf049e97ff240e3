// Stored balances, ledger rows and debts.

import { cached } from '../../db/cached-reads.js';
import type { Db } from '../../db/db.js';
import { insert } from '../../db/insert.js';

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

/** A debt: an amount that the balance did not cover, and that may be paid until its end. */
export interface Due {
  seq: number;
  organization_id: string;
  /** Its subject, for example a container's id. */
  subject: string;
  /** Micro-credits. */
  amount: number;
  reason: string;
  price_rule: string;
  due_at: number;
  ends_at: number;
}

/** The filter of a list of ledger rows. */
export interface LedgerFilter {
  /** The organization; all when absent. */
  organizationId?: string | undefined;
  /** The operation id of the request that moved the credits. */
  operation?: string | undefined;
  /** The request that moved the credits. */
  requestId?: string | undefined;
  /** The subject: the id of a container, an agent or the like. */
  subject?: string | undefined;
}

/**
 * Takes from a balance if it suffices; returns the rest, or undefined.
 *
 * @param isCounted whether it is one of the charges of which a control may have the nth refused
 */
export function takeFromBalance(db: Db, organizationId: string, amount: number, isCounted = false): number | undefined {
  const standing = db.get<{ balance: number; failNth: number | null }>(
    'SELECT balance, fail_nth AS failNth FROM organizations WHERE id = @organizationId',
    { organizationId },
  );
  if (standing === undefined || standing.balance < amount) return undefined;
  const nth = isCounted && amount > 0 ? standing.failNth : null;
  if (nth !== null && nth <= 1) return undefined;
  const rest = standing.balance - amount;
  db.run('UPDATE organizations SET balance = @rest WHERE id = @organizationId', { organizationId, rest });
  if (nth !== null) setFailNth(db, organizationId, nth - 1);
  return rest;
}

/** Adds to a balance (or takes, unconditionally) and returns it. */
export function changeBalance(db: Db, organizationId: string, amount: number): number {
  db.run('UPDATE organizations SET balance = balance + @amount WHERE id = @organizationId', { organizationId, amount });
  return (
    db.get<{ balance: number }>('SELECT balance FROM organizations WHERE id = @organizationId', { organizationId })
      ?.balance ?? 0
  );
}

/** Puts an account on hold, or lifts that. */
export function setBillingHold(db: Db, id: string, hold: boolean): void {
  db.run('UPDATE organizations SET billing_hold = @hold WHERE id = @id', { id, hold: hold ? 1 : 0 });
}

/** Sets which of an organization's next charges is refused; null: none. */
export function setFailNth(db: Db, organizationId: string, nth: number | null): void {
  db.run('UPDATE organizations SET fail_nth = @nth WHERE id = @organizationId', { nth, organizationId });
}

const thresholds = cached(
  ['billing_settings'],
  (db) =>
    new Map(
      db
        .all<{ organization: string; threshold: number }>(
          'SELECT organization_id AS organization, threshold FROM billing_settings WHERE auto_top_up = 1',
        )
        .map(({ organization, threshold }) => [organization, threshold]),
    ),
);

/** The balance, in micro-dollars, below which an organization is topped up by itself; undefined: never. */
export function topUpThreshold(db: Db, organizationId: string): number | undefined {
  return thresholds(db).get(organizationId);
}

/** The most movements of a world: time that would charge more is refused, and lists reach no further. */
export const mostMovements = 50_000;

/** The number of the newest row; 0: there is none. Rows are never deleted. */
export function lastLedgerNumber(db: Db): number {
  return db.get<{ last: number | null }>('SELECT max(seq) AS last FROM ledger')?.last ?? 0;
}

export function appendLedger(db: Db, row: LedgerRow): void {
  insert(db, 'ledger', row);
}

/** The number of the movement of an id. */
export function movementNumber(db: Db, id: string): number | undefined {
  return db.get<{ seq: number }>('SELECT seq FROM ledger WHERE id = @id', { id })?.seq;
}

/** The ledger rows after a number up to another one, oldest first. */
export function ledgerBetween(db: Db, seq: number, last: number, filter: LedgerFilter = {}, limit = -1): LedgerRow[] {
  const { organizationId = null, operation = null, requestId = null, subject = null } = filter;
  return db.all<LedgerRow>(
    `SELECT * FROM ledger WHERE seq > @seq AND seq <= @last AND organization_id = ifnull(@organizationId, organization_id)
       AND operation IS ifnull(@operation, operation) AND request_id IS ifnull(@requestId, request_id)
       AND subject IS ifnull(@subject, subject) ORDER BY seq LIMIT @limit`,
    { seq, last, organizationId, operation, requestId, subject, limit },
  );
}

/** The total of daily charges for a subject, in micro-credits, and the time of the last one. */
export const billedFor = cached(['ledger'], (db, subject: string): { total: number; last: number | null } => {
  const row = db.get<{ total: number | null; last: number | null }>(
    `SELECT sum(amount) AS total, max(created_at) AS last FROM ledger
       WHERE subject = @subject AND operation = 'billing.daily'`,
    { subject },
  );
  return { total: -(row?.total ?? 0), last: row?.last ?? null };
});

export function insertDue(db: Db, due: Omit<Due, 'seq'>): void {
  insert(db, 'dues', due);
}

export function hasDues(db: Db, organizationId: string): boolean {
  return db.get('SELECT 1 FROM dues WHERE organization_id = @organizationId LIMIT 1', { organizationId }) !== undefined;
}

/** The debts of an organization, the oldest first. */
export function listDues(db: Db, organizationId: string): Due[] {
  return db.all<Due>('SELECT * FROM dues WHERE organization_id = @organizationId ORDER BY seq', { organizationId });
}

export function removeDue(db: Db, seq: number): void {
  db.run('DELETE FROM dues WHERE seq = @seq', { seq });
}

/** Writes off the debts of a subject. */
export function removeDuesOf(db: Db, subject: string): void {
  db.run('DELETE FROM dues WHERE subject = @subject', { subject });
}

/** The latest movements of an organization since an instant, newest first. */
export function latestMovements(
  db: Db,
  organizationId: string,
  since: number,
  { limit, offset = 0 }: { limit: number; offset?: number },
): LedgerRow[] {
  return db.all<LedgerRow>(
    `SELECT * FROM ledger
       WHERE organization_id = @organizationId AND created_at >= @since ORDER BY seq DESC LIMIT @limit OFFSET @offset`,
    { organizationId, since, limit, offset },
  );
}

/** The spending of an organization since an instant, in micro-credits: its charges less refunds. */
export function spentSince(db: Db, organizationId: string, since: number): number {
  return spent(db, `${organizationId} ${since}`, organizationId, since);
}

const spent = cached(['ledger'], (db, _key: string, organizationId: string, since: number) => {
  const row = db.get<{ spent: number }>(
    `SELECT ifnull(-sum(amount), 0) AS spent FROM ledger
      WHERE organization_id = @organizationId AND created_at >= @since AND type IN ('charge', 'refund')`,
    { organizationId, since },
  );
  return Math.max(0, row?.spent ?? 0);
});

export function countMovements(db: Db, organizationId: string, since: number): number {
  return (
    db.get<{ count: number }>(
      'SELECT count(*) AS count FROM ledger WHERE organization_id = @organizationId AND created_at >= @since',
      { organizationId, since },
    )?.count ?? 0
  );
}

/** Credits that were taken in advance. */
export interface Reservation {
  seq: number;
  organization_id: string;
  /** Micro-credits. */
  amount: number;
  reason: string;
  operation: string;
  request_id: string;
}

export function insertReservation(db: Db, reservation: Reservation): void {
  insert(db, 'reservations', reservation);
}

/** Deletes a reservation, and returns it as it was. */
export function deleteReservation(db: Db, seq: number): Reservation | undefined {
  return db.get<Reservation>('DELETE FROM reservations WHERE seq = @seq RETURNING *', { seq });
}

export function listReservations(db: Db): Reservation[] {
  return db.all<Reservation>('SELECT * FROM reservations ORDER BY seq');
}
