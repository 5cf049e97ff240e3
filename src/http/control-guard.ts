// Who may reach the control plane: programs on this machine, never a web page, others only with the token.

import { timingSafeEqual } from 'node:crypto';
import type { Context } from 'koa';
import type { Config } from '../config/schema.js';
import { ApiError } from '../core/errors.js';
import { hashSecret } from '../core/random.js';
import { hostName, isLoopbackName, listeningName } from './origins.js';

/**
 * Lets a request to /_emulator pass, or not.
 *
 * @throws ApiError FORBIDDEN (foreign page or host) or UNAUTHORIZED (token missing)
 */
export function guardControls(ctx: Context, config: Config): void {
  const host = hostName(ctx.get('host'));
  const publicName = config.server.publicUrl === null ? undefined : new URL(config.server.publicUrl).hostname;
  if (!isLoopbackName(host) && host !== publicName && host !== listeningName(config.server.host)) {
    throw refused(
      `the Host ${JSON.stringify(host.slice(0, 100))} is neither loopback nor that of --host or --public-url`,
    );
  }
  const origin = ctx.get('origin');
  if (origin !== '' && origin !== `${ctx.protocol}://${ctx.get('host')}`)
    throw refused('it comes from a page of another origin');
  const site = ctx.get('sec-fetch-site');
  if (site !== '' && site !== 'none' && site !== 'same-origin')
    throw refused(`it is a ${site.slice(0, 20)} request of a browser`);
  if (isLoopbackName(host) && isLoopbackAddress(ctx.req.socket.remoteAddress)) return;

  const { controlToken } = config.server;
  if (controlToken === null) throw refused('beyond loopback the control plane needs --control-token');
  const given = /^bearer\s+(.+)$/i.exec(ctx.get('authorization'))?.[1] ?? ctx.get('x-emulator-token');
  if (!timingSafeEqual(Buffer.from(hashSecret(given)), Buffer.from(hashSecret(controlToken)))) {
    throw new ApiError('UNAUTHORIZED', {
      message: 'The control plane needs its token here: Authorization: Bearer <control token>',
    });
  }
}

function refused(why: string): ApiError {
  return new ApiError('FORBIDDEN', { message: `The control plane refused this request: ${why}` });
}

function isLoopbackAddress(address = ''): boolean {
  return address === '::1' || address.startsWith('127.') || address.startsWith('::ffff:127.');
}
