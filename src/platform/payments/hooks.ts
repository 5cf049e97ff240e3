// Payments in the pipeline: the payer is identified, the payment is read and verified against the price, and settled in
// the transaction of the paid operation.

import { afterThisTick } from '../../core/clock.js';
import type { Micros } from '../../core/money.js';
import type { Endpoint, HandlerContext, Settlement } from '../../http/endpoint.js';
import {
  type Offer,
  type RequestContext,
  type Routed,
  type VerifiedPayment,
  warn,
} from '../../http/request-context.js';
import type { World } from '../../world/world.js';
import { usdcFor } from '../credits/dollars.js';
import { credit } from '../credits/ledger.js';
import { callerOfWallet } from '../wallets/accounts.js';
import { refused, unpaid } from './challenge.js';
import { isRefusal, type Payment, readPaymentHeader } from './payload.js';
import { type Refusal, refusal } from './refusals.js';
import { dollars, type Requirement, requirementOf, type Version } from './requirements.js';
import { settle, settlementHeader, usdcBalance } from './settle.js';
import { verify } from './verify.js';

type Brought = Payment | Refusal;

/**
 * Reads the payment of a request. Without credentials the request acts as the paying wallet.
 *
 * @throws ApiError PAYMENT_REQUIRED where payment is mandatory and the request has none
 */
export function pay(context: Routed): Offer | undefined {
  const { endpoint, identity } = context;
  const brought = broughtBy(context, endpoint);
  const authenticates = identity.anonymous === true && mayPay(context.world, endpoint, brought);
  if (brought === undefined && !authenticates) return undefined;
  return { authenticates, verify: (call) => verifyPayment(context, endpoint, call, brought) };
}

// Reads the payment of a request; undefined if there is none, or the operation costs nothing.
function broughtBy(context: RequestContext, endpoint: Endpoint): Brought | undefined {
  const { headers } = context.ctx.req;
  const [first, second] = [
    headers['x-payment'] as string | undefined,
    headers['payment-signature'] as string | undefined,
  ];
  if (endpoint.fee === undefined && endpoint.price === undefined) {
    if (first !== undefined || second !== undefined) warn(context, unused);
    return undefined;
  }
  const offer = second ? read(context.world, second, 2) : first ? read(context.world, first, 1) : undefined;
  if (offer === undefined && endpoint.fee !== undefined) {
    // Loading the verification takes a moment, and a payment is likely to follow.
    afterThisTick(() => void import('./recover.js').catch(() => {}));
    throw unpaid(endpoint.fee);
  }
  return offer;
}

const unused = 'the payment was not used: this operation costs nothing';

// The price of what a path names follows from what its owner has paid before: it may be nothing, and no payment replaces credentials.
const isOfOwn = ({ price, params }: Endpoint): boolean => price !== undefined && params !== undefined;

// Whether an anonymous caller may continue to learn the price, or to pay it.
function mayPay({ config }: World, endpoint: Endpoint, offer: Brought | undefined): boolean {
  return (
    endpoint.price !== undefined &&
    !isOfOwn(endpoint) &&
    endpoint.auth !== 'session' &&
    (offer !== undefined || config.x402.challengeAnonymous)
  );
}

function read({ config }: World, value: string, version: Version): Brought {
  const { versions } = config.x402;
  if (versions.includes(version)) return readPaymentHeader(value, version);
  return refusal('invalid_x402_version', `payments are taken in version ${versions.join(' and ')} of x402 here`);
}

// An anonymous caller acts as the paying wallet from here on.
async function verifyPayment(
  context: RequestContext,
  endpoint: Endpoint,
  call: HandlerContext,
  offer: Brought | undefined,
): Promise<VerifiedPayment | undefined> {
  const { world } = context;
  const credits = endpoint.fee === undefined ? ((await endpoint.price?.(call)) ?? 0) : 0;
  const amount = endpoint.fee ?? usdcFor(world, credits);
  if (amount === 0 && isOfOwn(endpoint)) return void warn(context, unused);
  if (offer === undefined) throw unpaid(amount);
  if (isRefusal(offer)) throw refused(amount, offer);
  const requirement = requirementOf(world, amount);
  const { recoverSigner } = await import('./recover.js');
  const problem = await verify(offer, {
    requirement,
    recover: () => recoverSigner(offer, requirement.network),
    balance: usdcBalance(world, offer.authorization.from),
    now: world.clock.clientNow(),
  });
  if (problem !== undefined) throw refused(amount, problem, { payer: offer.payer });
  // A new account of a payer starts without free credits.
  if (endpoint.auth !== 'public')
    context.caller ??= callerOfWallet(context, offer.authorization.from, { kind: 'payer', freeCredits: 0 });
  return paying(call, offer, requirement, credits);
}

function paying(
  call: HandlerContext,
  payment: Payment,
  { amount, network }: Requirement,
  credits: Micros,
): VerifiedPayment {
  const { world, operation, requestId, now: at } = call;
  const { version, payer } = payment;
  let settlement: Settlement | undefined;
  return {
    settle() {
      const outcome = settle(world, payment, network, { operation, requestId, at });
      if (isRefusal(outcome)) {
        const named = version === 1 ? network.name : network.caip;
        const failure = { success: false, errorReason: outcome.reason, transaction: '', network: named, payer };
        return refused(amount, outcome, { payer, headers: settlementHeader(version, failure) });
      }
      if (outcome.amount > amount) call.warn(`paid ${dollars(outcome.amount)} where ${dollars(amount)} were asked for`);
      settlement = outcome;
      call.payment = outcome;
      return undefined;
    },
    cover({ organizationId }) {
      if (settlement !== undefined) settlement.credited = credits;
      credit(world, organizationId, credits, {
        type: 'payment',
        reason: 'x402 payment',
        priceRule: `x402 exact, ${dollars(amount)}`,
        operation,
        requestId,
        subject: settlement?.transaction ?? null,
        at,
      });
    },
    headers() {
      if (settlement === undefined) return {};
      const { transaction, network: named } = settlement;
      return settlementHeader(version, { success: true, transaction, network: named, payer });
    },
  };
}
