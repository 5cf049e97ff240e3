// Why a payment is not taken: the protocol's own words, each with what it means for the one who sent it.

/** The reasons of the reference facilitator, and duplicate_settlement for what was settled before. */
export const reasons = [
  'invalid_x402_version',
  'invalid_payload',
  'unsupported_scheme',
  'invalid_network',
  'invalid_payment_requirements',
  'invalid_exact_evm_payload_undeployed_smart_wallet',
  'invalid_exact_evm_payload_signature',
  'invalid_exact_evm_payload_recipient_mismatch',
  'invalid_exact_evm_payload_authorization_valid_before',
  'invalid_exact_evm_payload_authorization_valid_after',
  'insufficient_funds',
  'invalid_exact_evm_payload_authorization_value',
  'duplicate_settlement',
] as const;

export type Reason = (typeof reasons)[number];

/** Why facilitators do not settle what they have verified: the words that clients know. */
export const settlementFailures = [
  'invalid_transaction_state',
  'unexpected_settle_error',
  'settle_failed',
  'invalid_exact_evm_transaction_failed',
  'invalid_exact_evm_nonce_already_used',
  'insufficient_funds',
  'duplicate_settlement',
] as const;

export type SettlementFailure = (typeof settlementFailures)[number];

/** A payment that is not taken. */
export interface Refusal {
  /** One of the protocol's reasons, or the one that a test has ordered. */
  reason: string;
  /** A sentence without its full stop: what came, what was meant. */
  explanation: string;
}

/** Makes a refusal. */
export function refusal(reason: Reason, explanation: string): Refusal {
  return { reason, explanation };
}
