// Recovers the signer of a transfer. Loaded with the first payment, so that viem does not slow down the start.

import { recoverAddress, recoverTypedDataAddress } from 'viem/utils';
import { inSignatureTurn } from '../wallets/signature-form.js';
import type { Payment } from './payload.js';
import type { Network } from './requirements.js';

// The curve's tables take a moment: they are computed on load, ahead of the first payment.
export const tables: Promise<string> = recoverAddress({
  hash: `0x${'01'.repeat(32)}`,
  signature: { r: `0x${'02'.repeat(32)}`, s: `0x${'03'.repeat(32)}`, yParity: 0 },
}).catch(() => '0x');

/** The typed data that a payer signs to authorize a transfer of USDC (EIP-712, EIP-3009). */
export const transferTypes = {
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const;

/** The address that made a payment's signature, in lower case; undefined when it is not a signature. */
export function recoverSigner(payment: Payment, { chainId, asset, extra }: Network): Promise<string | undefined> {
  return inSignatureTurn(async () => {
    try {
      const signer = await recoverTypedDataAddress({
        domain: { ...extra, chainId, verifyingContract: asset },
        types: transferTypes,
        primaryType: 'TransferWithAuthorization',
        message: payment.authorization,
        signature: payment.signature,
      });
      return signer.toLowerCase();
    } catch {
      // Wrong length, not a point of the curve, a number beyond 256 bits.
      return undefined;
    }
  });
}
