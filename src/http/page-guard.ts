// What web pages of other origins must not do with a browser's session, or with the answers that give sessions and keys out.

import type { Context } from 'koa';
import type { Config } from '../config/schema.js';
import { ApiError } from '../core/errors.js';
import type { Endpoint } from './endpoint.js';
import { pageOrigin } from './origins.js';
import type { RequestContext } from './request-context.js';

/**
 * The refusal of a request that changes something and comes from a page that has no business here; undefined when it
 * may pass.
 */
export function foreignPage(ctx: Context, config: Config): ApiError | undefined {
  const isForeign = pageOrigin(ctx.req, config.server) === 'foreign';
  return isForeign && !isRead(ctx) ? refused(ctx, 'use a browser’s session') : undefined;
}

/**
 * Lets a request for a page of the emulator's own, or for an answer with a token or key in it, pass or not. Only this
 * origin and those that the settings list can read it: what runs on another port of this machine may be anybody's page.
 *
 * @throws ApiError FORBIDDEN
 */
export function guardPage(
  { ctx, world: { config } }: RequestContext,
  { sameOrigin }: Pick<Endpoint, 'sameOrigin'>,
): void {
  const origin = pageOrigin(ctx.req, config.server);
  if (origin === 'own' || origin === 'listed') return;
  // A browser that says nothing of the origin still says how far away it is.
  if (origin === undefined && !(sameOrigin === true && isFromOtherSite(ctx))) return;
  ctx.remove('Access-Control-Allow-Origin');
  ctx.remove('Access-Control-Allow-Credentials');
  if (sameOrigin === true || !isRead(ctx)) throw refused(ctx, 'sign in or fetch a key');
}

function isRead({ method }: Context): boolean {
  return method === 'GET' || method === 'HEAD';
}

function isFromOtherSite(ctx: Context): boolean {
  return !['', 'none', 'same-origin'].includes(ctx.get('sec-fetch-site'));
}

function refused(ctx: Context, purpose: string): ApiError {
  return new ApiError('FORBIDDEN', {
    message: `Insufficient permissions: the request comes from a page of another origin, ${JSON.stringify(ctx.get('origin').slice(0, 100))}. To let it ${purpose}, list it in the setting server.corsOrigins`,
    details: { reason: 'foreign-origin' },
  });
}
