// Identifies the user of a session: by the token in the Authorization header, or in a browser's cookie.

import { ApiError } from '../../core/errors.js';
import { wantsPage } from '../../http/accept.js';
import { foreignPage } from '../../http/control-guard.js';
import { hasErrorPages } from '../../http/endpoint.js';
import type { Identity, RequestContext } from '../../http/request-context.js';
import type { TextAnswer } from '../../http/response.js';
import { errorPage as pageOf } from './pages.js';
import { checkSession, type Trouble } from './sessions.js';

type Place = 'bearer' | 'cookie';

/** Checks the token of a session. */
export function identifySession(
  context: RequestContext,
  token: string,
  { place, anonymous }: { place: Place; anonymous: string },
): Identity {
  const { ctx, world, now } = context;
  const checked = checkSession(world, token, now);
  if ('reason' in checked) return refused(context, checked, place, anonymous);
  const { user, session } = checked;
  const bucketOwner = `user:${user.id}`;
  // A page of another site can make a browser send its cookie along.
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

function refused(context: RequestContext, trouble: Trouble, place: Place, anonymous: string): Identity {
  const { reason, facts, session, owner, goneId } = trouble;
  const id = session?.id ?? goneId;
  const refusal = new ApiError('UNAUTHORIZED', {
    message: `Invalid or missing authentication: ${nameOf(context, place)} ${trouble.problem}${whereToGo(context, owner)}`,
    details: { reason, ...facts },
  });
  return {
    caller: undefined,
    refusal,
    bucketOwner: id === undefined ? anonymous : `session:${id}`,
    // A browser sends its cookie until it is deleted.
    ...(session !== undefined && place === 'bearer' && { finding: 'expired-credential' as const }),
    // Browsers share cookies between the ports of a host: a foreign one is ignored.
    ...(place === 'cookie' && session === undefined && owner === undefined && { anonymous: true as const }),
  };
}

function nameOf({ world }: RequestContext, place: Place): string {
  return place === 'bearer' ? 'the session token' : `the session token in the cookie ${world.config.auth.cookieName}`;
}

function whereToGo({ world, baseUrl }: RequestContext, owner: Trouble['owner']): string {
  if (owner === undefined) return '';
  const origin = baseUrl.slice(0, baseUrl.length - world.prefix.length);
  return `, at ${origin}${owner.prefix}; this is the world "${world.id}"`;
}

/** The page of an error, where the endpoint has pages and a browser requests one. */
export function errorPage({ world, endpoint, ctx }: RequestContext, error: ApiError): TextAnswer | undefined {
  const isForPeople = endpoint !== undefined && wantsPage(ctx.get('accept')) && hasErrorPages(endpoint);
  return isForPeople ? pageOf(world, error) : undefined;
}
