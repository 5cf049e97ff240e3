// Keys, addresses and signatures of wallets. Loaded on first use, so that viem does not slow down the start.

import { privateKeyToAddress } from 'viem/accounts';
import { getAddress, hashMessage, recoverAddress } from 'viem/utils';
import { type Hex, inSignatureTurn } from './signature-form.js';

/**
 * The address whose key signed a text (EIP-191), in lower case; undefined when the signature is impossible.
 *
 * @param signature in its usual form of 65 bytes
 */
export function recoverSigner(text: string, signature: Hex): Promise<string | undefined> {
  return inSignatureTurn(async () => {
    try {
      return (await recoverAddress({ hash: hashMessage(text), signature })).toLowerCase();
    } catch {
      // Not a point of the curve.
      return undefined;
    }
  });
}

/** An address in the letter case that carries its checksum (EIP-55). */
export function withChecksum(address: string): Hex {
  return getAddress(address.toLowerCase());
}

/** The address of a private key, with its checksum. */
export function addressOf(privateKey: Hex): Hex {
  return privateKeyToAddress(privateKey);
}
