// Whoever pays without saying who he is: he acts as the organization of the wallet that pays.

import type { Caller } from '../../http/endpoint.js';
import type { RequestContext } from '../../http/request-context.js';
import { accountIdsOfWallet, accountOfWallet } from '../wallets/accounts.js';

/** The caller behind a verified payment. His account, if there is none yet, begins without free credits. */
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
