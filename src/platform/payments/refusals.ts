// Reasons for refusing a payment: the protocol's own codes, each with an explanation for the client.

/** The reasons of the reference facilitator, and duplicate_settlement for a payment that was settled before. */
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

/** Why facilitators do not settle a verified payment: the codes that clients know. */
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

/** A refused payment. */
export interface Refusal {
  /** One of the protocol's reasons, or the one that a control has set. */
  reason: string;
  /** A sentence without its full stop: what came, and what was expected. */
  explanation: string;
}

/** Creates a refusal. */
export function refusal(reason: Reason, explanation: string): Refusal {
  return { reason, explanation };
}
