// Control operations of test wallets: addresses and private keys that are derived from the world's seed.

import * as z from 'zod';
import { listed, operation } from '../../control/operation.js';
import { nextTurn } from '../../core/clock.js';
import type { World } from '../../world/world.js';
import { findUserByWallet } from '../accounts/store.js';
import { insertTestWallet, listTestWallets } from './store.js';
import { standardWallets, type TestWallet, walletsOf } from './test-wallets.js';

/** A test wallet, and the account that it has signed up for. */
export interface ControlledWallet extends TestWallet {
  /** null before its first sign-in or signed request. */
  organizationId: string | null;
}

const wallet = z.lazy(() =>
  z.object({
    index: z.int(),
    address: z.string(),
    privateKey: z.string(),
    organizationId: z.string().nullable(),
  }),
);

export const walletRequest = z.lazy(() =>
  z.object({
    index: z
      .int()
      .min(0)
      .max(1_000_000_000)
      .optional()
      .describe('Index among the wallets derived from the seed; by default the next one'),
  }),
);

export type WalletRequest = z.input<typeof walletRequest>;

export const walletOperations = {
  /** Lists the ten wallets of the world, and those made by `create`, by index. */
  list: operation({
    id: 'control.wallets',
    route: 'GET /wallets',
    summary: 'List the test wallets and their private keys',
    output: listed('wallets', wallet),
    command: {
      line: 'wallet list',
      columns: 'index address privateKey?',
      examples: [['wallet list', 'import one into a wallet, or use its key in your client']],
    },
    runs: 'async',
    run: async ({ world }): Promise<ControlledWallet[]> => {
      const walletAt = await walletsOf(world);
      const standard = Array.from({ length: standardWallets }, (_, index) => index);
      const made = listTestWallets(world.db).map(({ number }) => number);
      const wallets: ReturnType<typeof walletAt>[] = [];
      for (const index of [...standard, ...made]) {
        wallets.push(walletAt(index));
        // The first address takes 7 ms, each further one half a millisecond.
        await nextTurn();
      }
      return wallets.map((wallet) => view(world, wallet));
    },
  }),
  /**
   * Creates the next wallet, or the one with an index; equal seeds and indexes give equal wallets.
   *
   * @example
   * const { address, privateKey } = await controls.wallets.create();
   * @throws ApiError VALIDATION_ERROR
   */
  create: operation({
    id: 'control.wallets.create',
    route: 'POST /wallets',
    summary: 'Create another test wallet, or the one with a given index',
    body: walletRequest,
    bodyOptional: true,
    output: wallet,
    command: {
      line: 'wallet create',
      examples: [['wallet create', 'creates another one and prints its private key']],
    },
    runs: 'async',
    run: async ({ world }, request: WalletRequest = {}): Promise<ControlledWallet> => {
      const walletAt = await walletsOf(world);
      const label = { kind: 'control', subject: 'control.wallets.create' } as const;
      const create = (): ControlledWallet => {
        const next = (listTestWallets(world.db).at(-1)?.number ?? standardWallets - 1) + 1;
        const made = walletAt(request.index ?? next);
        if (made.index >= standardWallets)
          insertTestWallet(world.db, { number: made.index, address: made.address.toLowerCase() });
        return view(world, made);
      };
      return world.remembered.as(label, () => world.db.transaction(create));
    },
  }),
};

function view({ db }: World, made: TestWallet): ControlledWallet {
  const user = findUserByWallet(db, made.address.toLowerCase());
  return { ...made, organizationId: user?.organization_id ?? null };
}
