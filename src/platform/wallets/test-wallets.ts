// Wallets for tests: their keys are derived from the world's seed, as those of a local Ethereum node.

import { nextTurn } from '../../core/clock.js';
import type { Random } from '../../core/random.js';
import { cached } from '../../db/cached-reads.js';
import type { World } from '../../world/world.js';
import { findUserByWallet } from '../accounts/store.js';
import type { Hex } from './signature-form.js';
import { isTestWallet } from './store.js';

export interface TestWallet {
  /** The index among the seed's wallets, from 0 on. */
  index: number;
  /** With its checksum (EIP-55). */
  address: Hex;
  privateKey: Hex;
}

/** The number of wallets that every world has, from index 0. */
export const standardWallets = 10;

/** The private key of a seed's n-th wallet. */
export function walletKey(random: Random, index: number): Hex {
  return `0x${random.hex('wallet', index)}`;
}

/** Creates a lookup of a world's n-th wallet. */
export async function walletsOf(world: World): Promise<(index: number) => TestWallet> {
  // Others have their turn before and after it is loaded: loading takes 10 ms, the first address 7.
  await nextTurn();
  const { addressOf } = await import('./curve.js');
  await nextTurn();
  return (index) => {
    const privateKey = walletKey(world.random, index);
    return { index, address: addressOf(privateKey), privateKey };
  };
}

/** Whether an address (in lower case) has an account here, or belongs to a test wallet. */
export async function isKnownWallet(world: World, address: string): Promise<boolean> {
  if (findUserByWallet(world.db, address) !== undefined || isTestWallet(world.db, address)) return true;
  const { addressOf } = await import('./curve.js');
  return standardAddresses(world.db, world.random.seed, world.random, addressOf).includes(address);
}

const standardAddresses = cached([], (_db, _seed: string, random: Random, addressOf: (key: Hex) => Hex) =>
  Array.from({ length: standardWallets }, (_, index) => addressOf(walletKey(random, index)).toLowerCase()),
);
