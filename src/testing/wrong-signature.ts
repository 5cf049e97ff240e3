// Signatures that are wrong in one way, made of a good one.

import { nearest } from '../core/nearest.js';
import { describe } from '../core/problems.js';
import type { Hex } from '../platform/wallets/signature-form.js';

/** The mistakes that a signature can have by its bytes alone. */
export const signatureMistakes = ['malformed-signature', 'malleated', 'contract-wallet'] as const;

export type SignatureMistake = (typeof signatureMistakes)[number];

const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
/** With which those of contract wallets end that are not deployed yet (EIP-6492). */
const undeployed = '6492'.repeat(16);

/** A good signature with a mistake in it. */
export function spoil(signature: Hex, mistake: SignatureMistake): Hex {
  const digits = signature.slice(2);
  switch (mistake) {
    case 'malformed-signature':
      return `0x${digits.slice(0, -20)}`;
    case 'malleated': {
      const s = order - BigInt(`0x${digits.slice(64, 128)}`);
      const v = digits.slice(128) === '1b' ? '1c' : '1b';
      return `0x${digits.slice(0, 64)}${s.toString(16).padStart(64, '0')}${v}`;
    }
    case 'contract-wallet':
      return `0x${'0'.repeat(128)}${digits}${undeployed}`;
  }
}

export function isSignatureMistake(mistake: string | undefined): mistake is SignatureMistake {
  return signatureMistakes.some((known) => known === mistake);
}

/**
 * Refuses a mistake that a helper does not know: it would make what is right.
 *
 * @throws Error naming the nearest
 */
export function checkMistake(wrong: unknown, known: readonly string[]): void {
  if (wrong === undefined || known.includes(wrong as string)) return;
  const suggestion = typeof wrong === 'string' ? nearest(wrong, known) : undefined;
  const hint = suggestion === undefined ? '' : `; did you mean "${suggestion}"?`;
  throw new Error(`wrong must be one of ${known.join(', ')}, got ${describe(wrong)}${hint}`);
}
