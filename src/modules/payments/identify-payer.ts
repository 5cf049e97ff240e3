// Identifies callers by their payment: without other credentials they act as the organization of the paying wallet.

import type { Caller } from '../../http/endpoint.js';
import type { RequestContext } from '../../http/request-context.js';
import { accountIdsOfWallet, accountOfWallet } from '../wallets/accounts.js';

/** The caller of a verified payment. A new account starts without free credits. */
export function callerOfPayer({ world, now: at, requestId, endpoint }: RequestContext, address: string): Caller {
  return {
    kind: 'payer',
    ...accountIdsOfWallet(world, address),
    keyId: null,
    permissions: null,
    rateLimit: world.config.rateLimits.perKey,
    bucketOwner: `wallet:${address}`,
    claim: () =>
      void accountOfWallet(world, address, {
        freeCredits: 0,
        at,
        requestId,
        ...(endpoint !== undefined && { operation: endpoint.id }),
      }),
  };
}
