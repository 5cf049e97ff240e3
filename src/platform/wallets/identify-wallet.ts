// Identifies the wallet that signed a request: by three headers, which are valid only together.

import { ApiError } from '../../core/errors.js';
import { assume, type Identity, type RequestContext, warn } from '../../http/request-context.js';
import { callerOfWallet } from './accounts.js';
import type { Reason } from './refusal.js';
import { checkSignedRequest, replayOf, useSignature, type WalletHeaders } from './signed-request.js';

/** The wallet headers of a request when all are present; when some are missing the response warns about it. */
export function walletHeaders(context: RequestContext): WalletHeaders | undefined {
  const { ctx } = context;
  const said = {
    'X-Wallet-Address': ctx.get('x-wallet-address').trim(),
    'X-Timestamp': ctx.get('x-timestamp').trim(),
    'X-Wallet-Signature': ctx.get('x-wallet-signature').trim(),
  };
  const missing = Object.entries(said).flatMap(([name, value]) => (value === '' ? [name] : []));
  if (missing.length === 0) {
    return {
      address: said['X-Wallet-Address'],
      timestamp: said['X-Timestamp'],
      signature: said['X-Wallet-Signature'],
    };
  }
  warn(context, `the wallet headers count only together, and ${missing.join(' and ')} is missing: they were ignored`);
  return undefined;
}

/** Checks the signature. The caller's claim stores a new account, and the signature. */
export async function identifyWallet(
  context: RequestContext,
  headers: WalletHeaders,
  anonymous: string,
): Promise<Identity> {
  const { ctx, world, path } = context;
  assume(context, 'wallet.headers');
  try {
    const requested = { method: ctx.method, path, sentPath: ctx.path, query: ctx.search };
    const signed = await checkSignedRequest(world, headers, requested);
    const { address } = signed;
    const bucketOwner = `wallet:${address}`;
    const refusal = replayOf(world, signed);
    if (refusal !== undefined) return { caller: undefined, refusal, bucketOwner };
    const caller = callerOfWallet(context, address, { kind: 'wallet', signature: () => useSignature(world, signed) });
    return { caller, refusal: undefined, bucketOwner };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { details } = error.options as { details?: { reason?: Reason } };
    const refused = { caller: undefined, refusal: error, bucketOwner: anonymous };
    return details?.reason === 'expired' ? { ...refused, finding: 'expired-credential' } : refused;
  }
}
