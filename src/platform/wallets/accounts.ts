// Accounts of wallets: a wallet's first sign-in creates an organization, whose ids are derived from the address.

import { toMicros } from '../../core/money.js';
import type { Caller } from '../../http/endpoint.js';
import type { RequestContext } from '../../http/request-context.js';
import type { World } from '../../world/world.js';
import { accountIds, createOrganization } from '../accounts/create-organization.js';
import { findOrganization, findUserByWallet, type Organization, type User } from '../accounts/store.js';
import { credit } from '../credits/ledger.js';

export interface WalletAccount {
  organization: Organization;
  user: User;
  isNew: boolean;
}

/** The options of a new account. */
export interface SignUp {
  /** Credits to start with; those of the settings when left out. */
  freeCredits?: number;
  at: number;
  operation?: string;
  requestId?: string;
}

/**
 * The account of a wallet, created now if there is none, within the caller's transaction.
 *
 * @param address in any letter case
 */
export function accountOfWallet(world: World, address: string, signUp: SignUp): WalletAccount {
  const { db, config } = world;
  const wallet = address.toLowerCase();
  const known = findUserByWallet(db, wallet);
  if (known !== undefined) return { ...withOrganization(world, known), isNew: false };
  const { freeCredits = config.credits.initialFree, at, operation, requestId } = signUp;
  const name = `Wallet ${shortened(wallet)}`;
  const owner = { name: shortened(wallet), walletAddress: wallet };
  const { user } = createOrganization(world, { name, slug: `wallet-${wallet}`, owner, at }, seriesOf(wallet));
  if (freeCredits > 0) {
    credit(world, user.organization_id, toMicros(freeCredits), {
      type: 'grant',
      reason: 'Free credits of a new wallet',
      priceRule: 'credits.initialFree',
      operation: operation ?? null,
      requestId: requestId ?? null,
      subject: wallet,
      at,
    });
  }
  return { ...withOrganization(world, user), isNew: true };
}

/** The caller that a wallet is; the claim creates its account. `signature` uses up what the wallet has signed. */
export function callerOfWallet(
  { world, now: at, requestId, endpoint }: RequestContext,
  address: string,
  { kind, freeCredits, signature }: { kind: 'wallet' | 'payer'; freeCredits?: number; signature?: () => void },
): Caller {
  return {
    kind,
    ...accountIdsOfWallet(world, address),
    keyId: null,
    permissions: null,
    rateLimit: world.config.rateLimits.perKey,
    bucketOwner: `wallet:${address}`,
    claim() {
      signature?.();
      accountOfWallet(world, address, {
        ...(freeCredits !== undefined && { freeCredits }),
        at,
        requestId,
        ...(endpoint !== undefined && { operation: endpoint.id }),
      });
    },
  };
}

/** The ids of a wallet's account, even before it exists. */
function accountIdsOfWallet(world: World, address: string): { organizationId: string; userId: string } {
  const wallet = address.toLowerCase();
  const user = findUserByWallet(world.db, wallet);
  return user === undefined
    ? accountIds(world, seriesOf(wallet))
    : { organizationId: user.organization_id, userId: user.id };
}

function withOrganization({ db }: World, user: User): { organization: Organization; user: User } {
  return { organization: findOrganization(db, user.organization_id) as Organization, user };
}

function seriesOf(wallet: string): string {
  return `wallet ${wallet}`;
}

function shortened(wallet: string): string {
  return `${wallet.slice(0, 6)}...${wallet.slice(-4)}`;
}
