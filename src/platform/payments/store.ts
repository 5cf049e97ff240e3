// Stored payments, each authorization settled at most once, and the wallets' balances of virtual USDC.

import type { Db } from '../../db/db.js';
import { insert } from '../../db/insert.js';

export interface PaymentRow {
  seq: number;
  chain_id: number;
  asset: string;
  payer: string;
  payee: string;
  nonce: string;
  /** Atomic units that moved, or would have moved. */
  amount: number;
  version: number;
  status: 'settled' | 'failed';
  /** Why it failed. */
  reason: string | null;
  /** The hash of the transfer; null for a failed one. */
  hash: string | null;
  /** The operation that was paid. */
  operation: string;
  request_id: string;
  created_at: number;
}

/** The identity of an authorization on its chain. */
export type Authorized = Pick<PaymentRow, 'chain_id' | 'asset' | 'payer' | 'nonce'>;

export function insertPayment(db: Db, row: PaymentRow): void {
  insert(db, 'payments', row);
}

/** The payment that settled an authorization, or undefined. */
export function findSettled(db: Db, { chain_id, asset, payer, nonce }: Authorized): PaymentRow | undefined {
  return db.get<PaymentRow>(
    `SELECT * FROM payments
       WHERE chain_id = @chain_id AND asset = @asset AND payer = @payer AND nonce = @nonce AND status = 'settled'`,
    { chain_id, asset, payer, nonce },
  );
}

/** Payments, oldest first. */
export function listPayments(db: Db): PaymentRow[] {
  return db.all<PaymentRow>('SELECT * FROM payments ORDER BY seq');
}

/** The balance of a wallet in atomic units, if it was ever stored. */
export function findUsdc(db: Db, address: string): number | undefined {
  return db.get<{ balance: number }>('SELECT balance FROM usdc_balances WHERE address = @address', { address })
    ?.balance;
}

export function writeUsdc(db: Db, address: string, balance: number): void {
  insert(db, 'usdc_balances', { address, balance }, 'ON CONFLICT (address) DO UPDATE SET balance = excluded.balance');
}

/** The stored balances of wallets, by address. */
export function listUsdc(db: Db): { address: string; balance: number }[] {
  return db.all<{ address: string; balance: number }>('SELECT * FROM usdc_balances ORDER BY address');
}
