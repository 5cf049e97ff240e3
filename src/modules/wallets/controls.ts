// Controls of test wallets: addresses and private keys that are derived from the world's seed.

import * as z from 'zod';
import { checkInput } from '../../http/validate.js';
import type { World } from '../../world/world.js';
import { findUserByWallet } from '../accounts/store.js';
import { insertTestWallet, listTestWallets } from './store.js';
import { standardWallets, type TestWallet, walletsOf } from './test-wallets.js';

/** A test wallet, and the account that it has signed up for. */
export interface ControlledWallet extends TestWallet {
  /** null before its first sign-in or signed request. */
  organizationId: string | null;
}

export const walletRequest = z.object({
  index: z
    .int()
    .min(0)
    .max(1_000_000_000)
    .optional()
    .describe('Index among the wallets derived from the seed; by default the next one'),
});

export type WalletRequest = z.input<typeof walletRequest>;

export type WalletControls = ReturnType<typeof createWalletControls>;

/** The wallet controls of a world. */
export function createWalletControls(world: World) {
  function view(wallet: TestWallet): ControlledWallet {
    const user = findUserByWallet(world.db, wallet.address.toLowerCase());
    return { ...wallet, organizationId: user?.organization_id ?? null };
  }
  return {
    /** The ten wallets of every world, and those made by `create`, by index. */
    async list(): Promise<ControlledWallet[]> {
      const walletAt = await walletsOf(world);
      const standard = Array.from({ length: standardWallets }, (_, index) => index);
      const made = listTestWallets(world.db).map(({ number }) => number);
      return [...standard, ...made].map((index) => view(walletAt(index)));
    },
    /**
     * One more wallet, or the one of an index; equal seeds and indexes give equal wallets.
     *
     * @example
     * const { address, privateKey } = await controls.wallets.create();
     * @throws ApiError VALIDATION_ERROR
     */
    async create(request: WalletRequest = {}): Promise<ControlledWallet> {
      const { index } = checkInput(walletRequest, request, { strict: true, warn: () => {} });
      const walletAt = await walletsOf(world);
      return world.db.transaction(() => {
        const next = (listTestWallets(world.db).at(-1)?.number ?? standardWallets - 1) + 1;
        const wallet = walletAt(index ?? next);
        if (wallet.index >= standardWallets)
          insertTestWallet(world.db, { number: wallet.index, address: wallet.address.toLowerCase() });
        return view(wallet);
      });
    },
  };
}
