// Wallets to test with, as the emulator of the same seed knows them.

import { asCalled } from '../core/as-called.js';
import { describe } from '../core/problems.js';
import { Random } from '../core/random.js';
import { addressOf } from '../platform/wallets/curve.js';
import { type TestWallet, walletKey } from '../platform/wallets/test-wallets.js';

export type { TestWallet } from '../platform/wallets/test-wallets.js';

/** A wallet that can sign: only its key is needed. */
export type Signer = Pick<TestWallet, 'privateKey'>;

/**
 * Returns the n-th wallet of a seed: the same that `cloudemu wallet list` shows for an emulator with that seed.
 *
 * @example
 * const wallet = testWallet('42');
 * // { index: 0, address: '0x…', privateKey: '0x…' }
 */
export function testWallet(seed: string | number, index = 0): TestWallet {
  return asCalled(testWallet, () => {
    if (typeof seed !== 'string' && !Number.isFinite(seed))
      throw new Error(`seed must be a string, or a number, got ${describe(seed)}`);
    if (!Number.isInteger(index) || index < 0)
      throw new Error(`index must be a whole number of at least 0, got ${describe(index)}`);
    const privateKey = walletKey(new Random(String(seed)), index);
    return { index, address: addressOf(privateKey), privateKey };
  });
}
