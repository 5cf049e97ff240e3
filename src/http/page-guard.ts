// What web pages of other origins must not do with a browser's session, or with the pages that give sessions out.

import { isIP } from 'node:net';
import type { Context } from 'koa';
import type { Config } from '../config/schema.js';
import { ApiError } from '../kernel/errors.js';
import { hostName, listeningName } from './control-guard.js';
import { isLoopbackName, isLoopbackOrigin } from './cors.js';
import type { Exchange } from './exchange.js';

/**
 * The refusal of a request that changes something and comes from a page that has no business here; undefined when it
 * may pass.
 */
export function foreignPage(ctx: Context, config: Config): ApiError | undefined {
  const origin = ctx.get('origin');
  if (origin === '' || ctx.method === 'GET' || ctx.method === 'HEAD' || isTrusted(origin, ctx, config))
    return undefined;
  return new ApiError('FORBIDDEN', {
    message: `Insufficient permissions: the request comes from a page of another origin, ${JSON.stringify(origin.slice(0, 100))}. To let it use a browser’s session, list it in the setting server.corsOrigins`,
    details: { reason: 'foreign-origin' },
  });
}

/**
 * Lets a request for a page of the emulator's own pass, or not. The page is no other page's to read.
 *
 * @throws ApiError FORBIDDEN
 */
export function guardPage({ ctx, world: { config } }: Exchange): void {
  if (ctx.response.get('access-control-allow-origin') === '*') ctx.remove('Access-Control-Allow-Origin');
  const host = hostName(ctx.get('host'));
  if (!isOwnName(host, config)) {
    throw new ApiError('FORBIDDEN', {
      message: `Insufficient permissions: the Host ${JSON.stringify(host.slice(0, 100))} may be a foreign name for this machine. Name it with --public-url`,
      details: { reason: 'foreign-host' },
    });
  }
  const refusal = foreignPage(ctx, config);
  if (refusal !== undefined) throw refusal;
}

function isTrusted(origin: string, ctx: Context, { server }: Config): boolean {
  const own = `${ctx.protocol}://${ctx.get('host')}`;
  const isPublic = server.publicUrl !== null && new URL(server.publicUrl).origin === origin;
  return origin === own || isPublic || isLoopbackOrigin(origin) || server.corsOrigins.includes(origin);
}

// Names with dots can be bought, and pointed at this machine; addresses and those of a local network cannot.
function isOwnName(host: string, { server }: Config): boolean {
  if (isLoopbackName(host) || !host.includes('.') || isIP(host.replace(/^\[|\]$/g, '')) !== 0) return true;
  return (
    (server.publicUrl !== null && host === new URL(server.publicUrl).hostname) || host === listeningName(server.host)
  );
}
