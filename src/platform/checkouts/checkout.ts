// A purchase of credits: begun by a client, paid on a page, and paid once. The credits arrive with the payment.

import type * as z from 'zod';
import { ApiError, found, invalid } from '../../core/errors.js';
import { toCredits, toMicros } from '../../core/money.js';
import { describe } from '../../core/problems.js';
import type { HandlerContext } from '../../http/endpoint.js';
import { isLoopbackName } from '../../http/origins.js';
import { iso } from '../../http/wire.js';
import type { World } from '../../world/world.js';
import { creditsFor } from '../credits/dollars.js';
import { credit } from '../credits/ledger.js';
import type { checkoutBody } from './schema.js';
import { type Checkout, findCheckout, findCheckoutByKey, insertCheckout, markPaid } from './store.js';

/** A session that nobody has paid ends after a day, as those of the payment provider. */
const lifeMs = 86_400_000;

export const checkoutStatuses = ['open', 'paid', 'expired'] as const;

export type CheckoutStatus = (typeof checkoutStatuses)[number];

/**
 * Begins a purchase, within the caller's transaction, or finds the one that the same idempotency key has begun.
 *
 * @throws ApiError VALIDATION_ERROR for URLs that lead elsewhere; CONFLICT for a key that has begun another purchase
 */
export function beginCheckout(
  call: Pick<HandlerContext, 'world' | 'caller' | 'now' | 'baseUrl' | 'header'>,
  { credits, amountUsd, success_url, cancel_url, agent_id }: z.output<typeof checkoutBody>,
): Checkout {
  const { world, caller, now, baseUrl } = call;
  const { organizationId, userId } = caller;
  const wanted: Wanted = {
    amount: toMicros(amountUsd ?? credits ?? 0),
    success_url: allowedUrl(world, success_url, { baseUrl, path: 'success_url' }).href,
    cancel_url: allowedUrl(world, cancel_url, { baseUrl, path: 'cancel_url' }).href,
    agent_id: agent_id ?? null,
  };
  const key = checkedKey(call.header('idempotency-key'));
  if (key !== null) {
    const before = findCheckoutByKey(world.db, { organizationId, userId, key, since: now - lifeMs });
    if (before !== undefined) return sameAs(before, wanted);
  }
  const seq = world.nextNumber('checkouts');
  const checkout: Checkout = {
    ...wanted,
    seq,
    id: `cs_test_${world.random.hex('checkout', seq).slice(0, 58)}`,
    organization_id: organizationId,
    user_id: userId,
    idempotency_key: key,
    created_at: now,
    paid_at: null,
  };
  insertCheckout(world.db, checkout);
  return checkout;
}

type Wanted = Pick<Checkout, 'amount' | 'success_url' | 'cancel_url' | 'agent_id'>;

const longestKey = 255;

function checkedKey(sent: string | undefined): string | null {
  if (sent === undefined || sent.length <= longestKey) return sent ?? null;
  throw invalid({
    path: 'headers.idempotency-key',
    message: `must have at most ${longestKey} characters`,
    received: `${sent.length} characters`,
  });
}

// A key stands for one purchase: with another body it is a mistake of the client.
function sameAs(before: Checkout, wanted: Wanted): Checkout {
  const other = (Object.keys(wanted) as (keyof Wanted)[]).find((name) => before[name] !== wanted[name]);
  if (other === undefined) return before;
  const path = other === 'amount' ? 'credits' : other;
  throw new ApiError('CONFLICT', {
    message: `The Idempotency-Key has begun another purchase before, whose ${path} differs: use a new key for a new one`,
    details: [{ path, message: 'is not that of the first request with this Idempotency-Key' }],
  });
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
  return found(findCheckout(db, id), 'Session not found');
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
