// Settles a payment: transfers virtual USDC in the transaction of the paid operation, once for each authorization.

import { readMeta, writeMeta } from '../../db/meta.js';
import type { Settlement } from '../../http/endpoint.js';
import type { World } from '../../world/world.js';
import type { Payment } from './payload.js';
import { type Refusal, refusal } from './refusals.js';
import type { Network } from './requirements.js';
import { encodeHeader, type Version } from './requirements.js';
import { type Authorized, findSettled, findUsdc, insertPayment, writeUsdc } from './store.js';

/** The purpose and time of a settlement. */
interface Occasion {
  operation: string;
  requestId: string;
  at: number;
}

const orderedFailure = 'x402.failNext';

/** The balance of a wallet, in atomic units. */
export function usdcBalance(world: World, address: string): number {
  return findUsdc(world.db, address.toLowerCase()) ?? Math.round(world.config.x402.balance * 1_000_000);
}

/** The refusal of a payment that was settled before. */
export function duplicateOf(world: World, payment: Payment, network: Network): Refusal | undefined {
  const before = findSettled(world.db, authorized(payment, network));
  if (before === undefined) return undefined;
  return refusal(
    'duplicate_settlement',
    `this payment was settled before, by ${before.request_id} (${before.operation})`,
  );
}

/**
 * Settles a verified payment, within the caller's transaction. A failure set by a control is used up and stays in the
 * list of payments, so its refusal must not undo the transaction.
 */
export function settle(world: World, payment: Payment, network: Network, occasion: Occasion): Settlement | Refusal {
  const { db } = world;
  const { authorization, version } = payment;
  const duplicate = duplicateOf(world, payment, network);
  if (duplicate !== undefined) return duplicate;
  const left = usdcBalance(world, authorization.from) - Number(authorization.value);
  // Another payment of the same wallet may have been settled meanwhile.
  if (left < 0) return refusal('insufficient_funds', `${authorization.from} holds too few USDC by now`);
  const row = {
    ...authorized(payment, network),
    seq: world.nextNumber('payments'),
    payee: authorization.to,
    amount: Number(authorization.value),
    version,
    operation: occasion.operation,
    request_id: occasion.requestId,
    created_at: occasion.at,
  };
  const ordered = takeOrderedFailure(world);
  if (ordered !== undefined) {
    insertPayment(db, { ...row, status: 'failed', reason: ordered, hash: null });
    return { reason: ordered, explanation: 'the payment is good, and its settlement was ordered to fail' };
  }
  writeUsdc(db, row.payer, left);
  writeUsdc(db, row.payee, usdcBalance(world, row.payee) + row.amount);
  const hash = `0x${world.random.hex('x402', 'transaction', row.chain_id, row.asset, row.payer, row.nonce)}`;
  insertPayment(db, { ...row, status: 'settled', reason: null, hash });
  const { name, caip } = network;
  const named = version === 1 ? name : caip;
  return { version, payer: row.payer, amount: row.amount, credited: 0, transaction: hash, network: named };
}

/** Makes the next settlement fail with a reason; null cancels it. */
export function setNextFailure(world: World, reason: string | null): void {
  writeMeta(world.db, orderedFailure, reason ?? '');
}

function takeOrderedFailure(world: World): string | undefined {
  const reason = readMeta(world.db, orderedFailure);
  if (!reason) return undefined;
  setNextFailure(world, null);
  return reason;
}

function authorized({ authorization }: Payment, { chainId, asset }: Network): Authorized {
  return {
    chain_id: chainId,
    asset: asset.toLowerCase(),
    payer: authorization.from,
    nonce: authorization.nonce,
  };
}

const responseHeaders = { 1: 'X-PAYMENT-RESPONSE', 2: 'PAYMENT-RESPONSE' } as const;

/** The header that reports the result of the payment. */
export function settlementHeader(version: Version, outcome: Record<string, unknown>): Record<string, string> {
  return { [responseHeaders[version]]: encodeHeader(outcome) };
}
