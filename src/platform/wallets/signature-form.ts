// Checks the bytes of a signature: whether an ordinary wallet's key can have made it.

import { oneATurn } from '../../core/clock.js';

export type Hex = `0x${string}`;

/** A signature in its usual form (r, s, v of 27 or 28), or why it is none. */
type SignatureForm =
  | { signature: Hex }
  | { reason: 'malformed-signature' | 'malleated' | 'contract-wallet'; problem: string };

const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const topBit = 1n << 255n;

/** Parses a signature of 65 bytes, or of 64 as EIP-2098 packs them. */
export function readSignature(text: string): SignatureForm {
  if (!/^0x[0-9a-f]*$/i.test(text)) return malformed('it must be hexadecimal and begin with 0x');
  const digits = text.slice(2).toLowerCase();
  if (digits.length > 130) {
    return {
      reason: 'contract-wallet',
      problem: `it has ${Math.ceil(digits.length / 2)} bytes, a key’s has 65. Those of contract wallets (EIP-1271, EIP-6492) can only be verified on their chain, and this emulator is offline: sign with the key of an ordinary wallet`,
    };
  }
  if (digits.length !== 130 && digits.length !== 128)
    return malformed(`it has ${digits.length / 2} bytes, and must have 65 (or 64, packed as EIP-2098 says)`);
  const r = BigInt(`0x${digits.slice(0, 64)}`);
  const rest = BigInt(`0x${digits.slice(64, 128)}`);
  const isPacked = digits.length === 128;
  const s = isPacked ? rest & ~topBit : rest;
  const v = isPacked ? 27 + Number(rest >> 255n) : Number.parseInt(digits.slice(128), 16);
  if (r === 0n || s === 0n || r >= order || s >= order)
    return malformed('its r or s lies outside of the curve’s order');
  if (s > order / 2n) {
    return {
      reason: 'malleated',
      problem: 'its s is in the upper half of the curve’s order (EIP-2): wallets make the lower one of the two forms',
    };
  }
  const recovery = v === 0 || v === 1 ? v + 27 : v;
  if (recovery !== 27 && recovery !== 28) return malformed(`its last byte is ${v}, and must be 27 or 28 (or 0 or 1)`);
  return { signature: `0x${hex32(r)}${hex32(s)}${recovery.toString(16)}` };
}

function malformed(problem: string): SignatureForm {
  return { reason: 'malformed-signature', problem };
}

function hex32(value: bigint): string {
  return value.toString(16).padStart(64, '0');
}

// Recovering a signer takes a millisecond and more, which a hundred requests at once would add up to a second.

/** Recovers one signer in each turn of the event loop. */
export const inSignatureTurn = oneATurn();
