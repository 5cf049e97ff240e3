// A signature that does not fit: tries what clients commonly sign instead, to say what went wrong.

import type { World } from '../../world/world.js';
import type { Reason } from './refusal.js';
import type { Hex } from './signature-form.js';
import { isKnownWallet } from './test-wallets.js';

/** Another text that may have been signed, and what it would mean. */
export interface Variant {
  text: string;
  reason: Reason;
  /** Completes "the signature fits …". */
  meaning: string;
}

export interface Mismatch {
  reason: Reason;
  problem: string;
  facts: { address: string; recovered: string | null };
}

export interface Signed {
  text: string;
  signature: Hex;
  /** In lower case. */
  address: string;
}

/**
 * What is wrong with a signature that was not made by the address over the text.
 *
 * @param otherwise what to suspect when neither a variant fits nor the signer is known
 */
export async function explainMismatch(
  world: World,
  { text, signature, address }: Signed,
  variants: readonly Variant[],
  otherwise: 'tampered' | 'wrong-address',
): Promise<Mismatch> {
  const { recoverSigner } = await import('./curve.js');
  const signer = await recoverSigner(text, signature);
  const facts = { address, recovered: signer ?? null };
  if (signer === undefined)
    return { reason: 'malformed-signature', problem: 'the signature fits no key at all', facts };
  for (const { text: other, reason, meaning } of variants) {
    if (other === text || (await recoverSigner(other, signature)) !== address) continue;
    return { reason, problem: `the signature fits ${meaning}`, facts };
  }
  if (await isKnownWallet(world, signer)) {
    return { reason: 'wrong-address', problem: `it was signed by ${signer}, and names ${address}`, facts };
  }
  const problem =
    otherwise === 'tampered'
      ? `what was signed is not what was sent, or ${address} did not sign it (it fits ${signer})`
      : `it was signed by another wallet than ${address} (by ${signer}), or changed after it was signed; a contract wallet cannot be verified offline`;
  return { reason: otherwise, problem, facts };
}
