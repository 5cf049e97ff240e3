// Users as the wire shows them.

import { toCredits } from '../../core/money.js';
import { iso } from '../../http/wire.js';
import type { Organization, User } from './store.js';

/** A user with the organization that he belongs to. */
export function presentUser(user: User, organization: Organization) {
  const hasWallet = user.wallet_address !== null;
  return {
    id: user.id,
    email: user.email,
    name: user.name,
    avatar: user.avatar,
    nickname: user.nickname,
    work_function: user.work_function,
    preferences: user.preferences,
    response_notifications: user.response_notifications === 1,
    email_notifications: user.email_notifications === 1,
    role: user.role,
    email_verified: user.email !== null,
    wallet_address: user.wallet_address,
    wallet_chain_type: hasWallet ? 'evm' : null,
    wallet_verified: hasWallet,
    is_active: true,
    created_at: iso(user.created_at),
    updated_at: iso(user.updated_at),
    organization: presentOrganization(organization),
  };
}

/** An organization beside its user. */
export function presentOrganization({ id, name, slug, balance }: Organization) {
  return { id, name, slug, credit_balance: toCredits(balance) };
}
