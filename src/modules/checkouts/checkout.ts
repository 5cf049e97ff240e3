// A purchase of credits: begun by a client, paid on a page, and paid once. The credits arrive with the payment.

import { ApiError, invalid } from '../../core/errors.js';
import { toCredits, toMicros } from '../../core/money.js';
import { describe } from '../../core/problems.js';
import type { HandlerContext } from '../../http/endpoint.js';
import { isLoopbackName } from '../../http/origins.js';
import { iso } from '../../http/wire.js';
import type { World } from '../../world/world.js';
import { credit } from '../credits/ledger.js';
import { creditsFor } from '../payments/requirements.js';
import { type Checkout, findCheckout, insertCheckout, markPaid } from './store.js';

/** A session that nobody has paid ends after a day, as those of the payment provider. */
const lifeMs = 86_400_000;

export const checkoutStatuses = ['open', 'paid', 'expired'] as const;

export type CheckoutStatus = (typeof checkoutStatuses)[number];

/** What a client asks for. */
export interface CheckoutRequest {
  amount: number;
  successUrl: string;
  cancelUrl: string;
  agentId: string | undefined;
}

/** Begins a purchase, within the caller's transaction. @throws ApiError VALIDATION_ERROR for URLs that lead elsewhere */
export function beginCheckout(
  { world, caller, now, baseUrl }: Pick<HandlerContext, 'world' | 'caller' | 'now' | 'baseUrl'>,
  { amount, successUrl, cancelUrl, agentId }: CheckoutRequest,
): Checkout {
  const seq = world.nextNumber('checkouts');
  const checkout: Checkout = {
    seq,
    id: `cs_test_${world.random.hex('checkout', seq).slice(0, 58)}`,
    organization_id: caller.organizationId,
    user_id: caller.userId,
    amount: toMicros(amount),
    success_url: allowedUrl(world, successUrl, { baseUrl, path: 'success_url' }).href,
    cancel_url: allowedUrl(world, cancelUrl, { baseUrl, path: 'cancel_url' }).href,
    agent_id: agentId ?? null,
    created_at: now,
    paid_at: null,
  };
  insertCheckout(world.db, checkout);
  return checkout;
}

// The page of a checkout leads a browser there: it may lead to this machine, and to what the settings list.
function allowedUrl({ config }: World, wanted: string, { baseUrl, path }: { baseUrl: string; path: string }): URL {
  const url = URL.canParse(wanted) ? new URL(wanted) : undefined;
  const isWeb = url?.protocol === 'http:' || url?.protocol === 'https:';
  const origins = [new URL(baseUrl).origin, ...config.server.corsOrigins];
  if (url !== undefined && isWeb && url.username === '' && url.password === '')
    if (isLoopbackName(url.hostname) || origins.includes(url.origin)) return url;
  throw invalid({
    path,
    message: 'must be a URL of this machine, or of an origin that the setting server.corsOrigins lists',
    received: describe(wanted),
  });
}

/** The checkout of a session. @throws ApiError NOT_FOUND */
export function checkoutOf({ db }: World, id: string): Checkout {
  const checkout = findCheckout(db, id);
  if (checkout === undefined) throw new ApiError('NOT_FOUND', { message: 'Session not found' });
  return checkout;
}

export function statusAt({ paid_at, created_at }: Checkout, now: number): CheckoutStatus {
  if (paid_at !== null) return 'paid';
  return now < created_at + lifeMs ? 'open' : 'expired';
}

/**
 * Pays a checkout, within the caller's transaction: the organization gets its credits, once.
 *
 * @throws ApiError CONFLICT when it was paid before, or has expired
 */
export function payCheckout(
  world: World,
  checkout: Checkout,
  { at, ...by }: { at: number; operation: string; requestId: string | null },
): Checkout {
  const status = statusAt(checkout, at);
  if (status === 'paid')
    throw new ApiError('CONFLICT', { message: `This checkout was paid before, at ${iso(checkout.paid_at ?? at)}` });
  if (status === 'expired')
    throw new ApiError('CONFLICT', {
      message: `This checkout expired at ${iso(checkout.created_at + lifeMs)}: begin another one`,
    });
  const dollars = toCredits(checkout.amount);
  markPaid(world.db, checkout.seq, at);
  credit(world, checkout.organization_id, creditsFor(world, checkout.amount), {
    type: 'topup',
    reason: `Checkout of $${dollars}`,
    priceRule: `checkout ${dollars}`,
    subject: checkout.id,
    at,
    ...by,
  });
  return { ...checkout, paid_at: at };
}

/** The client's page that a payment leads to: it names the session. */
export function successUrlOf({ id, success_url }: Checkout): URL {
  const url = new URL(success_url);
  url.searchParams.set('session_id', id);
  return url;
}
