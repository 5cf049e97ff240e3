// A sign-in as responses show it.

import { toCredits, toMicros } from '../../core/money.js';
import { iso } from '../../http/wire.js';
import type { World } from '../../world/world.js';
import { presentOrganization } from '../accounts/present.js';
import { usdcFor } from '../credits/dollars.js';
import type { WalletAccount } from './accounts.js';
import type { Nonce } from './store.js';

/** The values that a client needs to write the message. */
export function presentNonce({ nonce, domain, uri, chain_id }: Nonce, statement: string) {
  return { nonce, domain, uri, chainId: chain_id, version: '1', statement };
}

/** The user who signed in, and the key for further requests. */
export function presentSignIn(address: string, apiKey: string, { user, organization, isNew }: WalletAccount) {
  return {
    success: true,
    apiKey,
    address,
    isNewAccount: isNew,
    user: {
      id: user.id,
      name: user.name,
      role: user.role,
      wallet_address: user.wallet_address,
      organization_id: user.organization_id,
      created_at: iso(user.created_at),
    },
    organization: presentOrganization(organization),
  };
}

/** What a new account was given, as the newer contract tells it. Nothing is ever withheld here. */
export function presentWelcome(world: World, { isNew }: WalletAccount) {
  const { initialFree } = world.config.credits;
  return {
    initialCreditsGranted: isNew && initialFree > 0,
    initialFreeCreditsUsd: isNew ? toCredits(usdcFor(world, toMicros(initialFree))) : 0,
    welcomeBonusWithheld: false,
    welcomeBonusWithheldReason: null,
    welcomeBonusWithheldMessage: null,
  };
}
