// Errors that a fault rule forces, in the shape that real ones have.

import { ApiError, type ApiErrorOptions, type ErrorCode, invalid } from '../../core/errors.js';
import { type Micros, toMicros } from '../../core/money.js';
import { keysAt } from '../../core/schema-parts.js';
import { readBody } from '../../http/body.js';
import type { Endpoint } from '../../http/endpoint.js';
import { readCall } from '../../http/read-request.js';
import type { RequestContext, Routed } from '../../http/request-context.js';
import { allowedMethods, endpointRoutes, nearestPaths } from '../../http/routes.js';
import { findOrganization } from '../../platform/accounts/store.js';
import { usdcFor } from '../../platform/credits/dollars.js';
import { insufficientCredits } from '../../platform/credits/ledger.js';
import { usedUp } from '../../platform/limits/hooks.js';
import { unpaid } from '../../platform/payments/challenge.js';
import { quotaAt, quotaExceeded } from '../../platform/quotas/tiers.js';
import { surfaceOf } from '../../platform/surface.js';
import { waitSeconds } from '../../world/to-client-time.js';
import { codeOf, type FaultEffect } from './rule.js';

/** The price in a forced 402 of an operation that costs nothing. */
const usualPrice = toMicros(1);
/** The wait of a forced 429 that names none: the length of most windows, in virtual time. */
const usualWaitMs = 60_000;

/** The error that an effect forces, or undefined when its response is not an error. */
export async function forcedError(context: Routed, effect: FaultEffect): Promise<ApiError | undefined> {
  const code = codeOf(effect);
  if (code === undefined) return undefined;
  const isPaid = code === 'INSUFFICIENT_CREDITS' || code === 'PAYMENT_REQUIRED';
  const price = isPaid ? await priceOf(context) : 0;
  // Like the waits of limits: who waits for it in a fast world, waits as long in virtual time.
  const retryAfter = effect.retryAfter && waitSeconds(context.world, effect.retryAfter * 1_000);
  const error = errorOf(context, { code, price, retryAfter });
  if (effect.status === undefined || effect.status === error.status) return error;
  return new ApiError(code, { ...error.options, message: error.message, status: effect.status });
}

interface Forced {
  code: ErrorCode;
  /** The price of the operation, for a 402. */
  price: Micros;
  retryAfter: number | undefined;
}

function errorOf(context: Routed, { code, price, retryAfter }: Forced): ApiError {
  switch (code) {
    case 'RATE_LIMITED':
      return usedUp(context, retryAfter ?? waitSeconds(context.world, usualWaitMs));
    case 'INSUFFICIENT_CREDITS':
      return insufficientCredits(price, balanceOf(context), { because: 'a fault rule refuses it' });
    case 'PAYMENT_REQUIRED':
      return unpaid(context.endpoint.fee ?? usdcFor(context.world, price));
    case 'QUOTA_EXCEEDED':
      return quotaFull(context);
    case 'VALIDATION_ERROR':
      return invalid({ path: firstField(context.endpoint), message: 'is refused by a fault rule' });
    default:
      return new ApiError(code, {
        ...detailsOf(context, code),
        ...(retryAfter !== undefined && waiting(retryAfter)),
      });
  }
}

function waiting(retryAfter: number): ApiErrorOptions {
  const seconds = String(retryAfter);
  return { retryAfter, headers: { 'Retry-After': seconds, 'X-RateLimit-Reset-After': seconds } };
}

function detailsOf({ ctx, path, world, endpoint }: Routed, code: ErrorCode): ApiErrorOptions {
  if (code === 'METHOD_NOT_ALLOWED') {
    const methods = endpointRoutes(surfaceOf(world.config))
      .at(path)
      .map(({ method }) => method);
    const allow = allowedMethods(methods.filter((method) => method !== endpoint.method));
    return { details: { allow }, headers: { Allow: allow.join(', ') } };
  }
  if (code === 'ROUTE_NOT_FOUND')
    return { details: { nearest: nearestPaths(surfaceOf(world.config), ctx.method, path) } };
  if (code === 'PAYLOAD_TOO_LARGE') return { message: `The body is larger than ${world.config.server.maxBody} bytes` };
  return {};
}

// The price of the request; where it cannot be computed, the price of the example. A free operation has no price.
async function priceOf(context: Routed): Promise<Micros> {
  const { endpoint } = context;
  const { fee, price } = endpoint;
  if (fee !== undefined) return fee;
  if (price === undefined) return usualPrice;
  const asked = async (): Promise<Micros> =>
    price(readCall(context, endpoint, endpoint.body === undefined ? undefined : await readBody(context, endpoint)));
  const usual = async (): Promise<Micros> => price(readCall(context, endpoint, endpoint.example));
  return (
    (await asked()
      .catch(usual)
      .catch(() => usualPrice)) || usualPrice
  );
}

function balanceOf({ world, caller }: RequestContext): Micros {
  return caller === undefined ? 0 : (findOrganization(world.db, caller.organizationId)?.balance ?? 0);
}

function quotaFull(context: Routed): ApiError {
  const resource = context.endpoint.id.startsWith('agents.') ? 'agents' : 'containers';
  const max = quotaAt(context.world.config, resource, balanceOf(context));
  return quotaExceeded(resource, max, max);
}

function firstField(endpoint: Endpoint): string {
  const field = endpoint.body === undefined ? undefined : keysAt(endpoint.body, [])[0];
  if (field !== undefined) return field;
  const parameter = endpoint.query === undefined ? undefined : keysAt(endpoint.query, [])[0];
  return parameter === undefined ? 'body' : `query.${parameter}`;
}
