// Controls of payments: list settlements and balances, set balances, and make settlements fail.

import * as z from 'zod';
import { toCredits, toMicros } from '../../core/money.js';
import { checkInput } from '../../http/validate.js';
import { iso } from '../../http/wire.js';
import type { World } from '../../world/world.js';
import { type SettlementFailure, settlementFailures } from './refusals.js';
import { setNextFailure, usdcBalance } from './settle.js';
import { listPayments, listUsdc, type PaymentRow, writeUsdc } from './store.js';

export interface ControlledPayment {
  /** The wallet that paid, in lower case. */
  payer: string;
  /** The wallet that received the USDC. */
  payTo: string;
  /** In USDC. */
  amount: number;
  status: 'settled' | 'failed';
  /** Why it failed, or null. */
  reason: string | null;
  /** The hash of the transfer, or null. */
  transaction: string | null;
  /** The version of x402. */
  version: number;
  nonce: string;
  operation: string;
  requestId: string;
  at: string;
}

export interface UsdcBalance {
  /** In lower case. */
  address: string;
  usdc: number;
}

export const failNextRequest = z.object({
  failNext: z
    .enum(settlementFailures)
    .nullable()
    .meta({ description: 'The reason; null: the next settlement succeeds' }),
});

export const balanceRequest = z.object({
  address: z.string().regex(/^0x[0-9a-fA-F]{40}$/, { message: 'must be an address: 0x and 40 hex digits' }),
  usdc: z.number().min(0).max(1_000_000_000),
});

export type PaymentControls = ReturnType<typeof createPaymentControls>;

/** The payment controls of a world. */
export function createPaymentControls(world: World) {
  const usual = { strict: true, warn: () => {} };
  return {
    /** Every settlement, and those that a control made fail; oldest first. */
    list: (): ControlledPayment[] => listPayments(world.db).map(view),
    /**
     * Makes the next settlement of a valid payment fail: verified, but not settled. The payment may be used again.
     *
     * @param reason the reason in the response; null cancels it
     * @example controls.payments.failNextSettlement('insufficient_funds')
     * @throws ApiError VALIDATION_ERROR
     */
    failNextSettlement(reason: SettlementFailure | null = 'invalid_transaction_state'): {
      failNext: SettlementFailure | null;
    } {
      const { failNext } = checkInput(failNextRequest, { failNext: reason }, usual);
      setNextFailure(world, failNext);
      return { failNext };
    },
    /** The balances of wallets that have changed; all others hold the setting x402.balance. */
    balances: (): UsdcBalance[] =>
      listUsdc(world.db).map(({ address, balance }) => ({ address, usdc: toCredits(balance) })),
    /**
     * Sets a wallet's balance of virtual USDC.
     *
     * @example controls.payments.setBalance({ address: wallet.address, usdc: 5 })
     * @throws ApiError VALIDATION_ERROR
     */
    setBalance(request: UsdcBalance): UsdcBalance {
      const { address, usdc } = checkInput(balanceRequest, request, usual);
      const wallet = address.toLowerCase();
      writeUsdc(world.db, wallet, toMicros(usdc));
      return { address: wallet, usdc: toCredits(usdcBalance(world, wallet)) };
    },
  };
}

function view(row: PaymentRow): ControlledPayment {
  const { payer, payee: payTo, amount, status, reason, hash: transaction, version, nonce, operation } = row;
  return {
    payer,
    payTo,
    amount: toCredits(amount),
    status,
    reason,
    transaction,
    version,
    nonce,
    operation,
    requestId: row.request_id,
    at: iso(row.created_at),
  };
}
