// Buying credits with USDC: selects the wallet's organization that receives them.

import { ApiError } from '../../core/errors.js';
import { type Micros, toCredits, toMicros } from '../../core/money.js';
import { type Endpoint, endpoint, type HandlerContext } from '../../http/endpoint.js';
import { ok } from '../../http/response.js';
import { creditsFor } from '../credits/dollars.js';
import { credit } from '../credits/ledger.js';
import { accountOfWallet } from '../wallets/accounts.js';
import * as schema from './schema.js';

type TopUp = HandlerContext<unknown, { walletAddress?: string | undefined }, { walletAddress?: string | undefined }>;

/** The operations of the fixed amounts. */
export const topUpEndpoints: Endpoint[] = [10, 50, 100].map((amount) =>
  endpoint({
    id: 'topup.create',
    method: 'POST',
    path: `/api/v1/topup/${amount}`,
    // On the wire in a 402, in the platform's words.
    summary: `Topup $${amount} credits`,
    auth: 'public',
    fee: toMicros(amount),
    query: schema.topUpFields,
    body: schema.topUpFields,
    bodyOptional: true,
    example: { walletAddress: '0x7e5F4552091A69125d5dfCb7b8C2659029395Bdf' },
    responses: { 200: { description: 'The credits are there', schema: schema.topUpAnswer } },
    errors: ['UNAUTHORIZED'],
    assumptions: ['topup.answer', 'money', 'x402.payment'],
    prepare: async () => (await import('../wallets/curve.js')).withChecksum,
    handle: (call) => answerTopUp(call, toMicros(amount), call.prepared),
  }),
);

function answerTopUp(call: TopUp, amount: Micros, withChecksum: (address: string) => string) {
  const { world, operation, requestId, now: at, payment } = call;
  const { address, claim } = creditedWallet(call);
  // Created before the signature is used up: a paying newcomer starts without free credits.
  const { organization } = accountOfWallet(world, address, { freeCredits: 0, at, operation, requestId });
  claim?.();
  const balance = credit(world, organization.id, creditsFor(world, amount), {
    type: 'topup',
    reason: `Top-up of $${toCredits(amount)}`,
    priceRule: `topup ${toCredits(amount)}`,
    operation,
    requestId,
    subject: payment?.transaction ?? null,
    at,
  });
  return ok({
    success: true,
    amount: toCredits(amount),
    walletAddress: withChecksum(address),
    organizationId: organization.id,
    newBalance: toCredits(balance),
    message: `Successfully topped up $${toCredits(amount)}`,
  });
}

const walletHeaders = ['x-wallet-address', 'x-timestamp', 'x-wallet-signature'];

function creditedWallet(call: TopUp): { address: string; claim: (() => void) | undefined } {
  const named = call.body.walletAddress ?? call.query.walletAddress;
  if (walletHeaders.every((name) => (call.header(name) ?? '').trim() !== '')) {
    // Throws the refusal of an invalid signature.
    const { claim } = call.caller;
    const address = (call.header('x-wallet-address') ?? '').trim();
    if (named !== undefined && named.toLowerCase() !== address.toLowerCase())
      call.warn('walletAddress was not used: the credits go to the wallet that signed');
    return { address, claim };
  }
  if (named !== undefined) return { address: named, claim: undefined };
  const problem = 'is required (body or wallet signature headers)';
  throw new ApiError('VALIDATION_ERROR', {
    message: `Invalid request data: walletAddress ${problem}`,
    flat: `walletAddress ${problem}`,
    details: [{ path: 'walletAddress', message: problem, received: 'nothing' }],
  });
}
