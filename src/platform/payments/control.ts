// Control operations of payments: list settlements and balances, set balances, and make settlements fail.

import * as z from 'zod';
import { listed, operation } from '../../control/operation.js';
import { toCredits, toMicros } from '../../core/money.js';
import { iso } from '../../http/wire.js';
import { type SettlementFailure, settlementFailures } from './refusals.js';
import { setNextFailure, usdcBalance } from './settle.js';
import { listPayments, listUsdc, type PaymentRow, writeUsdc } from './store.js';

export const payment = z.lazy(() =>
  z.object({
    payer: z.string().describe('The wallet that paid, in lower case'),
    payTo: z.string().describe('The wallet that received the USDC'),
    amount: z.number().describe('In USDC'),
    status: z.enum(['settled', 'failed']),
    reason: z.string().nullable().describe('Why it failed, or null'),
    transaction: z.string().nullable().describe('The hash of the transfer, or null'),
    version: z.int().describe('The version of x402'),
    nonce: z.string(),
    operation: z.string(),
    requestId: z.string(),
    at: z.string(),
  }),
);

export type ControlledPayment = z.output<typeof payment>;

export const balance = z.lazy(() => z.object({ address: z.string().describe('In lower case'), usdc: z.number() }));

export type UsdcBalance = z.output<typeof balance>;

export const paymentOperations = {
  /** Lists all settlements, including those that were made to fail; oldest first. */
  list: operation({
    id: 'control.payments.list',
    route: 'GET /payments',
    summary: 'List payments with USDC, oldest first',
    output: listed('payments', payment),
    command: {
      line: 'payments list',
      columns: 'at status amount payer reason? operation? requestId?',
      examples: [['payments', 'all payments with USDC']],
    },
    run: ({ world }): ControlledPayment[] => listPayments(world.db).map(view),
  }),
  /**
   * Makes the next settlement of a valid payment fail: verified, but not settled. The payment may be used again.
   *
   * @param reason the reason in the response, by default invalid_transaction_state; null cancels the failure
   * @example controls.payments.failNextSettlement('insufficient_funds')
   * @throws ApiError VALIDATION_ERROR
   */
  failNextSettlement: operation({
    id: 'control.payments.fail',
    route: 'POST /payments',
    summary: 'Make the next settlement fail: the payment is verified, but not settled',
    body: z.lazy(() =>
      z.object({
        failNext: z
          .enum(settlementFailures)
          .nullable()
          .meta({ description: 'The reason; null: the next settlement succeeds' }),
      }),
    ),
    shorthand: 'failNext',
    byDefault: 'invalid_transaction_state',
    output: z.lazy(() => z.object({ failNext: z.string().nullable() })),
    command: {
      line: 'payments fail <reason>',
      names: { failNext: 'reason' },
      examples: [
        ['payments fail insufficient_funds', 'the next payment is verified but not settled'],
        ['payments fail null', 'cancels the failure'],
      ],
    },
    run: (
      { world },
      reason: SettlementFailure | null | { failNext: SettlementFailure | null } = 'invalid_transaction_state',
    ): { failNext: SettlementFailure | null } => {
      const failNext = typeof reason === 'object' && reason !== null ? reason.failNext : reason;
      setNextFailure(world, failNext);
      return { failNext };
    },
  }),
  /** Lists the balances of wallets that have changed; all others have the balance of the setting x402.balance. */
  balances: operation({
    id: 'control.payments.balances',
    route: 'GET /payments/balances',
    summary: 'List the USDC balances of wallets that have changed',
    output: listed('balances', balance),
    command: {
      line: 'payments balances',
      examples: [['payments balances', 'wallets whose balance has changed']],
    },
    run: ({ world }): UsdcBalance[] =>
      listUsdc(world.db).map((row) => ({ address: row.address, usdc: toCredits(row.balance) })),
  }),
  /**
   * Sets a wallet's balance of virtual USDC.
   *
   * @example controls.payments.setBalance({ address: wallet.address, usdc: 5 })
   * @throws ApiError VALIDATION_ERROR
   */
  setBalance: operation({
    id: 'control.payments.setBalance',
    route: 'POST /payments/balances',
    summary: 'Set a wallet’s balance of virtual USDC',
    body: z.lazy(() =>
      z.object({
        address: z
          .string()
          .regex(/^0x[0-9a-fA-F]{40}$/, { message: 'must be an address: 0x and 40 hex digits' })
          .describe('Address of the wallet'),
        usdc: z.number().min(0).max(1_000_000_000).describe('New balance in USDC'),
      }),
    ),
    output: balance,
    command: {
      line: 'payments balance <address> <usdc>',
      examples: [['payments balance 0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266 0.5', 'not enough for a top-up']],
    },
    run: ({ world }, request: UsdcBalance): UsdcBalance => {
      const address = request.address.toLowerCase();
      writeUsdc(world.db, address, toMicros(request.usdc));
      return { address, usdc: toCredits(usdcBalance(world, address)) };
    },
  }),
};

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
