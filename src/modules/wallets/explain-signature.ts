// Explains a signature that does not match, by trying the texts that clients commonly sign by mistake.

import type { World } from '../../world/world.js';
import type { Reason } from './refusal.js';
import type { Hex } from './signature-form.js';
import { isKnownWallet } from './test-wallets.js';

/** Another text that may have been signed, and its explanation. */
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
 * The explanation of a signature that the address did not make over the text.
 *
 * @param otherwise the explanation when no variant matches and the signer is unknown
 */
export async function explainSignature(
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
