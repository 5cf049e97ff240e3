// The control operations of payments.

import * as z from 'zod';
import { balanceRequest, failNextRequest } from '../modules/payments/controls.js';
import { type ControlOperation, control, listed } from './operation.js';

const balance = z.object({ address: z.string(), usdc: z.number() });

export const paymentOperations: readonly ControlOperation[] = [
  control({
    id: 'control.payments.list',
    method: 'GET',
    path: '/_emulator/payments',
    summary: 'List payments with USDC, oldest first',
    response: listed(
      'payments',
      z
        .object({
          payer: z.string(),
          payTo: z.string(),
          amount: z.number(),
          status: z.enum(['settled', 'failed']),
          reason: z.string().nullable(),
          transaction: z.string().nullable(),
          operation: z.string(),
          requestId: z.string(),
        })
        .loose(),
    ),
    act: (controls) => controls.payments.list(),
  }),
  control({
    id: 'control.payments.fail',
    method: 'POST',
    path: '/_emulator/payments',
    summary: 'Make the next settlement fail: the payment is verified, but not settled',
    body: failNextRequest,
    response: z.object({ failNext: z.string().nullable() }),
    act: (controls, { body }) => controls.payments.failNextSettlement(body.failNext),
  }),
  control({
    id: 'control.payments.balances',
    method: 'GET',
    path: '/_emulator/payments/balances',
    summary: 'List the USDC balances of wallets that have changed',
    response: listed('balances', balance),
    act: (controls) => controls.payments.balances(),
  }),
  control({
    id: 'control.payments.setBalance',
    method: 'POST',
    path: '/_emulator/payments/balances',
    summary: 'Set a wallet’s balance of virtual USDC',
    body: balanceRequest,
    response: balance,
    act: (controls, { body }) => controls.payments.setBalance(body),
  }),
];
