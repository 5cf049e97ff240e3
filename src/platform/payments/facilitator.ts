// The facilitator: verifies and settles payments for other sellers.

import * as z from 'zod';
import { ApiError } from '../../core/errors.js';
import type { HandlerContext } from '../../http/endpoint.js';
import type { World } from '../../world/world.js';
import { address, isRefusal, type Payment, readDocument, readPayload } from './payload.js';
import { type Refusal, refusal } from './refusals.js';
import type { Requirement } from './requirements.js';
import { networkOf } from './requirements.js';
import { duplicateOf, usdcBalance } from './settle.js';
import { verify } from './verify.js';

export type Submitted = HandlerContext<unknown, unknown, { paymentPayload: object; paymentRequirements: object }>;

/** A valid payment, and the requirement that it meets. */
export interface Verified {
  payment: Payment;
  requirement: Requirement;
}

const amount = z.string().regex(/^\d{1,15}$/, 'must be a whole number of at most 15 digits, as a string');
const requirements = z.lazy(() =>
  z.object({ scheme: z.string(), network: z.string(), asset: z.string(), payTo: address }),
);
const version1 = z.lazy(() => requirements.unwrap().extend({ maxAmountRequired: amount }));
const version2 = z.lazy(() => requirements.unwrap().extend({ amount }));

/**
 * Verifies a submitted payment.
 *
 * @throws ApiError VALIDATION_ERROR with the reason in its details
 */
export async function verifySubmitted({ world, body }: Submitted): Promise<Verified> {
  const payment = readPayload(body.paymentPayload, world.config.x402.versions, 'paymentPayload');
  if (isRefusal(payment)) throw notValid(payment);
  const requirement = readRequirements(world, body.paymentRequirements, payment);
  if (isRefusal(requirement)) throw notValid(requirement, payment.payer);
  const { recoverSigner } = await import('./recover.js');
  const problem =
    (await verify(payment, {
      requirement,
      recover: () => recoverSigner(payment, requirement.network),
      balance: usdcBalance(world, payment.authorization.from),
      now: world.clock.clientNow(),
    })) ?? duplicateOf(world, payment, requirement.network);
  if (problem !== undefined) throw notValid(problem, payment.payer);
  return { payment, requirement };
}

/** The error of an invalid payment. */
export function notValid({ reason, explanation }: Refusal, payer?: string): ApiError {
  return new ApiError('VALIDATION_ERROR', {
    message: `The payment is not valid: ${explanation}`,
    flat: reason,
    details: { reason, ...(payer !== undefined && { payer }) },
  });
}

function readRequirements(world: World, document: object, { version }: Payment): Requirement | Refusal {
  const network = networkOf(world.config);
  const refuse = (problem: string): Refusal =>
    refusal('invalid_payment_requirements', `paymentRequirements.${problem}`);
  const read = readDocument(version === 1 ? version1 : version2, document, refuse);
  if (isRefusal(read)) return read;
  const { scheme, network: place, asset, payTo } = read;
  const expected = version === 1 ? network.name : network.caip;
  if (scheme !== 'exact') return refusal('unsupported_scheme', `paymentRequirements.scheme must be exact`);
  if (place !== expected) return refusal('invalid_network', `paymentRequirements.network must be ${expected}`);
  if (asset.toLowerCase() !== network.asset.toLowerCase())
    return refusal('invalid_payment_requirements', `paymentRequirements.asset must be ${network.asset}`);
  return { network, payTo, amount: Number('amount' in read ? read.amount : read.maxAmountRequired) };
}

// The platform's facilitator has codes of its own for some of the reasons.
const platformWords: Record<string, string> = {
  unsupported_scheme: 'scheme_not_supported',
  invalid_network: 'network_not_supported',
  invalid_exact_evm_payload_recipient_mismatch: 'payto_mismatch',
  invalid_exact_evm_payload_authorization_valid_before: 'payment_expired',
  invalid_exact_evm_payload_authorization_value: 'insufficient_amount',
};

/** The facilitator's fields of an error: its reason under a name, and the payer. */
export function facilitatorFields(name: string, error: ApiError): Record<string, unknown> {
  const { payer } = (error.options.details ?? {}) as { payer?: string };
  return { [name]: reasonOf(error), ...(payer !== undefined && { payer }) };
}

function reasonOf({ code, options }: ApiError): string {
  if (code === 'INVALID_JSON') return 'invalid_json_body';
  const { details } = options;
  if (Array.isArray(details))
    return `missing_fields: ${details.map(({ path }: { path: string }) => path).join(', ')}`.slice(0, 200);
  const { reason } = (details ?? {}) as { reason?: string };
  return reason === undefined ? code.toLowerCase() : (platformWords[reason] ?? reason);
}
