// The payment challenge of every 402: version 1 of the protocol in the body, version 2 in the header.

import { ApiError } from '../../core/errors.js';
import { type Micros, toMicros } from '../../core/money.js';
import type { RequestContext } from '../../http/request-context.js';
import { usdcFor } from '../credits/dollars.js';
import type { Refusal } from './refusals.js';
import { acceptsV1, challengeV2, dollars, encodeHeader, type Resource, requirementOf } from './requirements.js';

/** The 402 of a request without a payment, for an amount of USDC. */
export function unpaid(amount: Micros): ApiError {
  return new ApiError('PAYMENT_REQUIRED', {
    message: `Payment required: pay ${dollars(amount)} with X-PAYMENT (x402 version 1) or PAYMENT-SIGNATURE (version 2)`,
    flat: 'X-PAYMENT header is required',
    payable: amount,
  });
}

/** The 402 of a refused payment. */
export function refused(
  amount: Micros,
  { reason, explanation }: Refusal,
  more: { payer?: string | undefined; headers?: Record<string, string> } = {},
): ApiError {
  return new ApiError('PAYMENT_REQUIRED', {
    message: `The payment is refused: ${explanation}`,
    flat: reason,
    details: { reason, ...(more.payer !== undefined && { payer: more.payer }) },
    payable: amount,
    ...(more.headers !== undefined && { headers: more.headers }),
  });
}

/** A 402 with its payment challenge. */
export async function withChallenge(context: RequestContext, error: ApiError): Promise<ApiError> {
  const { world } = context;
  const { versions } = world.config.x402;
  const { withChecksum } = await import('../wallets/curve.js');
  const { payTo, ...rest } = requirementOf(world, amountOf(context, error));
  const requirement = { ...rest, payTo: withChecksum(payTo) };
  const resource = resourceOf(context);
  return new ApiError(error.code, {
    ...error.options,
    message: error.message,
    extra: {
      ...error.options.extra,
      ...(versions.includes(1) && { x402Version: 1, accepts: acceptsV1(world, requirement, resource) }),
    },
    headers: {
      ...error.options.headers,
      'Cache-Control': 'no-store',
      ...(versions.includes(2) && {
        'PAYMENT-REQUIRED': encodeHeader(challengeV2(world, requirement, resource, reasonOf(error))),
      }),
    },
  });
}

// A forced 402 has no price of its own. Missing credits can be paid in USDC.
function amountOf({ endpoint, world }: RequestContext, { code, options: { payable } }: ApiError): Micros {
  if (payable === undefined) return endpoint?.fee ?? toMicros(1);
  return code === 'INSUFFICIENT_CREDITS' ? usdcFor(world, payable) : payable;
}

function reasonOf({ code, message, options }: ApiError): string {
  if (code === 'PAYMENT_REQUIRED')
    return (options.details as { reason?: string } | undefined)?.reason ?? 'Payment required';
  return message;
}

function resourceOf({ world, endpoint, baseUrl, path, ctx }: RequestContext): Resource {
  const platform = `${world.config.service.name} Cloud`;
  const summary = endpoint?.summary ?? 'Request';
  const description = endpoint?.fee === undefined ? `${platform}: ${summary}` : `${summary} for ${platform}`;
  return { url: baseUrl + path, method: ctx.method, description };
}
