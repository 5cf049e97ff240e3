// A sign-in as responses show it.

import { iso } from '../../http/wire.js';
import { presentOrganization } from '../accounts/present.js';
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
