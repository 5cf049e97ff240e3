// Refusals of wallets: one code and one status, the precise reason in the details.

import { ApiError } from '../../core/errors.js';

/** The values of `details.reason`. */
export type Reason =
  | 'expired'
  | 'not-yet-valid'
  | 'wrong-domain'
  | 'nonce-unknown'
  | 'tampered'
  | 'wrong-address'
  | 'malformed-signature'
  | 'malleated'
  | 'contract-wallet'
  | 'trailing'
  | 'malformed-message'
  | 'malformed-address'
  | 'malformed-timestamp'
  | 'nonce-reused'
  | 'nonce-expired'
  | 'wrong-path'
  | 'wrong-method'
  | 'wrong-service'
  | 'replayed'
  | 'not-here';

const titles = { siwe: 'SIWE verification failed', headers: 'Invalid wallet signature' } as const;

/** A 401 with its reason; `facts` are further details and never hold a signature. */
export function refusal(
  way: keyof typeof titles,
  reason: Reason,
  problem: string,
  facts: Record<string, unknown> = {},
): ApiError {
  const title = titles[way];
  return new ApiError('UNAUTHORIZED', { message: `${title}: ${problem}`, flat: title, details: { reason, ...facts } });
}
