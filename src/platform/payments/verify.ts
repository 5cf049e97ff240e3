// Verifies a payment: the checks of the protocol's reference facilitator, in its order.

import { readSignature } from '../wallets/signature-form.js';
import type { Payment } from './payload.js';
import { type Refusal, refusal } from './refusals.js';
import type { Network } from './requirements.js';
import { dollars, type Requirement } from './requirements.js';

/** The facts that a payment is checked against. */
export interface VerificationFacts {
  requirement: Requirement;
  /** Finds the address that made the signature. */
  recover: () => Promise<string | undefined>;
  /** USDC that the payer holds, in atomic units. */
  balance: number;
  /** Milliseconds, of the clock that clients stamp with. */
  now: number;
}

// A transfer takes a few blocks: a payment that would expire during it is refused.
const blockSeconds = 6n;
// 0x, r, s and v.
const signatureLength = 2 + 64 + 64 + 2;

/** The first reason to refuse a payment, or undefined. The signer is recovered where the rest needs it. */
export async function verify(
  payment: Payment,
  { requirement, recover, balance, now }: VerificationFacts,
): Promise<Refusal | undefined> {
  const { network } = requirement;
  return (
    wrongPlace(payment, network) ??
    wrongForm(payment) ??
    wrongSigner(payment, network, await recover()) ??
    wrongRecipient(payment, requirement) ??
    wrongTime(payment, BigInt(Math.floor(now / 1_000))) ??
    wrongAmount(payment, requirement, balance) ??
    wrongEcho(payment, requirement)
  );
}

function wrongPlace({ version, scheme, network: named, accepted }: Payment, network: Network): Refusal | undefined {
  if (scheme !== 'exact') return refusal('unsupported_scheme', `the scheme is exact, not ${quoted(scheme)}`);
  const expected = version === 1 ? network.name : network.caip;
  if (named !== expected) return refusal('invalid_network', `the network is ${expected}, not ${quoted(named)}`);
  if (accepted !== undefined && !same(accepted.asset, network.asset))
    return refusal('invalid_payment_requirements', `the asset is ${network.asset}, not ${accepted.asset}`);
  return undefined;
}

const reason = 'invalid_exact_evm_payload_signature';

function wrongForm({ signature }: Payment): Refusal | undefined {
  const form = readSignature(signature);
  if ('reason' in form) {
    const isContract = form.reason === 'contract-wallet';
    return refusal(
      isContract ? 'invalid_exact_evm_payload_undeployed_smart_wallet' : reason,
      `the signature does not count: ${form.problem}`,
    );
  }
  // The USDC contract does not accept packed signatures.
  return signature.length === signatureLength ? undefined : refusal(reason, 'the signature must have 65 bytes');
}

function wrongSigner({ authorization }: Payment, network: Network, signer: string | undefined): Refusal | undefined {
  if (signer === authorization.from) return undefined;
  const { name, version } = network.extra;
  return refusal(
    reason,
    `the signature is not that of ${authorization.from} over this transfer in the domain {name: ${JSON.stringify(name)}, version: "${version}", chainId: ${network.chainId}, verifyingContract: ${network.asset}}`,
  );
}

function wrongRecipient({ authorization }: Payment, { payTo }: Requirement): Refusal | undefined {
  if (same(authorization.to, payTo)) return undefined;
  return refusal('invalid_exact_evm_payload_recipient_mismatch', `payments go to ${payTo}, not to ${authorization.to}`);
}

function wrongTime({ authorization: { validAfter, validBefore } }: Payment, now: bigint): Refusal | undefined {
  const reason = 'invalid_exact_evm_payload_authorization_valid';
  if (validBefore < now + blockSeconds)
    return refusal(
      `${reason}_before`,
      `validBefore is ${validBefore}, and it is ${now}: ${blockSeconds} s must be left`,
    );
  if (validAfter > now) return refusal(`${reason}_after`, `validAfter is ${validAfter}, and it is ${now}`);
  return undefined;
}

// The authorized amount is transferred: at least the price in version 1, exactly the price in version 2.
function wrongAmount({ version, authorization }: Payment, { amount }: Requirement, balance: number) {
  const { value, from } = authorization;
  const required = BigInt(amount);
  const needed = value > required ? value : required;
  if (needed > BigInt(balance))
    return refusal('insufficient_funds', `${from} holds ${dollars(balance)}, and ${needed} atomic units are needed`);
  if (version === 1 ? value >= required : value === required) return undefined;
  const bound = version === 1 ? 'at least' : 'exactly';
  return refusal(
    'invalid_exact_evm_payload_authorization_value',
    `the payment must be of ${bound} ${required} atomic units (${dollars(amount)}), not ${value}`,
  );
}

function wrongEcho({ accepted }: Payment, { payTo, amount }: Requirement): Refusal | undefined {
  if (accepted === undefined || (same(accepted.payTo, payTo) && BigInt(accepted.amount) === BigInt(amount)))
    return undefined;
  return refusal(
    'invalid_payment_requirements',
    `accepted must repeat the requirement: ${amount} to ${payTo}, not ${accepted.amount} to ${accepted.payTo}`,
  );
}

function same(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 40));
}
