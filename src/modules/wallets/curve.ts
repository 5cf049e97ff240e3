// Keys, addresses and signatures of wallets. Loaded on first use, to keep viem out of the start.

import { privateKeyToAddress } from 'viem/accounts';
import { getAddress, hashMessage, recoverAddress } from 'viem/utils';
import type { Hex } from './signature-form.js';

/**
 * The address whose key signed a text (EIP-191), in lower case; undefined when the signature fits no key at all.
 *
 * @param signature in its usual form of 65 bytes
 */
export async function recoverSigner(text: string, signature: Hex): Promise<string | undefined> {
  try {
    return (await recoverAddress({ hash: hashMessage(text), signature })).toLowerCase();
  } catch {
    // No point of the curve has such coordinates.
    return undefined;
  }
}

/** An address in the letter case that carries its checksum (EIP-55). */
export function withChecksum(address: string): Hex {
  return getAddress(address.toLowerCase());
}

/** The address of a private key, with its checksum. */
export function addressOf(privateKey: Hex): Hex {
  return privateKeyToAddress(privateKey);
}
