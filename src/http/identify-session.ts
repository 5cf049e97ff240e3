// Who has signed in: a session's token in the Authorization header, or in a browser's cookie.

import { checkSession } from '../features/sessions/sessions.js';
import type { Exchange } from './exchange.js';
import type { Identity } from './identify.js';
import { foreignPage } from './page-guard.js';

/** Checks the token of a session. */
export function identifySession(
  exchange: Exchange,
  token: string,
  { place, anonymous }: { place: 'bearer' | 'cookie'; anonymous: string },
): Identity {
  const { ctx, world, now, baseUrl } = exchange;
  const origin = baseUrl.slice(0, baseUrl.length - world.prefix.length);
  const checked = checkSession(world, token, now, ({ prefix }) => origin + prefix);
  if (checked.refusal !== undefined) {
    const { refusal, reason, session } = checked;
    // Browsers share cookies between the ports of a host: one that is none of ours says nothing.
    const isStranger = place === 'cookie' && session === undefined && reason !== 'other-world';
    return {
      caller: undefined,
      refusal,
      bucketOwner: session === undefined ? anonymous : `session:${session.id}`,
      // A browser sends its cookie until it is told otherwise.
      ...(session !== undefined && place === 'bearer' && { finding: 'expired-credential' as const }),
      ...(isStranger && { anonymous: true as const }),
    };
  }
  const { user, session } = checked;
  const bucketOwner = `user:${user.id}`;
  // Whoever made the browser send its cookie along need not be who sits before it.
  const refusal = place === 'cookie' ? foreignPage(ctx, world.config) : undefined;
  if (refusal !== undefined) return { caller: undefined, refusal, bucketOwner };
  const caller = {
    kind: 'session' as const,
    organizationId: user.organization_id,
    userId: user.id,
    keyId: null,
    sessionId: session.id,
    permissions: null,
    rateLimit: world.config.rateLimits.perKey,
    bucketOwner,
  };
  return { caller, refusal: undefined, bucketOwner };
}
