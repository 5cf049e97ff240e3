// Guards the control plane (programs on this machine and its own page may use it, others only with the token), and decides
// what web pages of other origins may do with the platform.

import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Context } from 'koa';
import type { Config } from '../config/schema.js';
import { wallNow } from '../core/clock.js';
import { ApiError } from '../core/errors.js';
import { freshSecret, hashSecret } from '../core/random.js';
import type { Endpoint } from './endpoint.js';
import {
  absoluteHost,
  hostName,
  isLoopbackName,
  isWorldHost,
  listeningName,
  pageOrigin,
  repeatedHost,
} from './origins.js';
import type { RequestContext } from './request-context.js';

/** The cookie that stands for the control token, for the pages of the dashboard. */
export const controlCookieName = 'emulator-control';

/** How long a sign-in lasts, in seconds of wall time. */
export const controlCookieAge = 12 * 60 * 60;

// Another one with each process: a restart ends what was signed in.
const cookieSecret = freshSecret();

/** A team, whose token allows requests to some worlds only. */
export type Team = Config['server']['controlTokens'][number];

/**
 * Checks that a request may reach /_emulator.
 *
 * @returns the team whose token it has, where it is not that of the whole emulator
 * @throws ApiError FORBIDDEN (foreign page or host) or UNAUTHORIZED (token missing)
 */
export function guardControls(ctx: Context, config: Config): Team | undefined {
  guardOrigin(ctx, config);
  const given = givenToken(ctx);
  const team = given === '' ? undefined : config.server.controlTokens.find(({ token }) => isSame(given, token));
  if (team === undefined) guardToken(ctx, config);
  return team;
}

/** The team to which a world belongs by its id: of nested prefixes the longest counts. */
export function teamOf({ server }: Config, world: string): Team | undefined {
  return server.controlTokens
    .filter(({ prefix }) => world.startsWith(prefix))
    .reduce<Team | undefined>(
      (found, team) => (team.prefix.length > (found?.prefix.length ?? 0) ? team : found),
      undefined,
    );
}

function givenToken(ctx: Context): string {
  return /^bearer\s+(.+)$/i.exec(ctx.get('authorization'))?.[1] ?? ctx.get('x-emulator-token');
}

/**
 * Lets a request pass whose Host means this machine and that no foreign page has sent.
 *
 * @param isPage it opens a page without data, to which any page may link
 * @throws ApiError FORBIDDEN, or VALIDATION_ERROR when it has several Hosts
 */
export function guardOrigin(ctx: Context, config: Config, isPage = false): void {
  const repeated = repeatedHost(ctx.req);
  if (repeated !== undefined) throw repeated;
  // A request for a whole URL means the host in it.
  guardHost(ctx.get('host'), config);
  const absolute = absoluteHost(ctx.req.url);
  if (absolute !== undefined) guardHost(absolute, config);
  const origin = ctx.get('origin');
  if (origin !== '' && !isOwnOrigin(ctx, config)) throw refused('it comes from a page of another origin');
  const site = ctx.get('sec-fetch-site');
  if (!isPage && site !== '' && site !== 'none' && site !== 'same-origin')
    throw refused(`it is a ${site.slice(0, 20)} request of a browser`);
}

/**
 * Lets a request pass that comes from this machine, or has the control token: in a header, or in the page's cookie.
 *
 * @param token one that was given in another way
 * @throws ApiError FORBIDDEN or UNAUTHORIZED
 */
export function guardToken(ctx: Context, config: Config, token?: string): void {
  const { controlToken, controlTokens } = config.server;
  // If teams have tokens, a request from this machine may come from a proxy and belong to anybody.
  const isLocal = isLoopbackName(hostName(ctx.get('host'))) && isLoopbackAddress(ctx.req.socket.remoteAddress);
  if (isLocal && controlTokens.length === 0) return;
  if (controlToken === null && controlTokens.length === 0)
    throw refused('beyond loopback the control plane needs --control-token');
  const given = token ?? givenToken(ctx);
  if (controlToken === null) throw noToken(given);
  if (isSame(given, controlToken)) return;
  const cookies = ctx.get('cookie').split(/;\s*/);
  if (token === undefined && cookies.some((cookie) => isSignedIn(cookie, config))) {
    // Browsers add the cookie to every request, so a change is accepted only with an origin.
    const isRead = ctx.method === 'GET' || ctx.method === 'HEAD';
    if (isRead || isOwnOrigin(ctx, config)) return;
    throw refused('a change with the cookie needs the header Origin');
  }
  throw noToken(given);
}

function guardHost(asked: string, { server }: Config): void {
  const host = hostName(asked);
  const publicName = server.publicUrl === null ? undefined : new URL(server.publicUrl).hostname;
  const isOwn = host === publicName || host === listeningName(server.host) || isWorldHost(host, server);
  if (isLoopbackName(host) || isOwn) return;
  throw refused(
    `the Host ${JSON.stringify(host.slice(0, 100))} is neither loopback nor that of --host or --public-url`,
  );
}

function noToken(given: string): ApiError {
  const came = given === '' ? '' : ', and the token that came is another one';
  return new ApiError('UNAUTHORIZED', {
    message: `The control plane needs its token here${came}: Authorization: Bearer <control token>`,
  });
}

/** The cookie of a sign-in that ends at an instant of wall time: its name and value. */
export function controlCookie({ server }: Config, endsAt = wallNow() + controlCookieAge * 1_000): string {
  const signature = createHmac('sha256', cookieSecret).update(`${endsAt} ${server.controlToken}`).digest('hex');
  return `${controlCookieName}=${endsAt}.${signature}`;
}

function isSignedIn(cookie: string, config: Config): boolean {
  const endsAt = Number(new RegExp(`^${controlCookieName}=(\\d{1,15})\\.`).exec(cookie)?.[1] ?? 0);
  return endsAt > wallNow() && isSame(cookie, controlCookie(config, endsAt));
}

function isOwnOrigin(ctx: Context, { server }: Config): boolean {
  const origin = ctx.get('origin');
  const isPublic = server.publicUrl !== null && origin === new URL(server.publicUrl).origin;
  return isPublic || origin === `${ctx.protocol}://${ctx.get('host')}`;
}

function isSame(given: string, expected: string): boolean {
  return timingSafeEqual(Buffer.from(hashSecret(given)), Buffer.from(hashSecret(expected)));
}

function refused(why: string): ApiError {
  return new ApiError('FORBIDDEN', { message: `The control plane refused this request: ${why}` });
}

function isLoopbackAddress(address = ''): boolean {
  return address === '::1' || address.startsWith('127.') || address.startsWith('::ffff:127.');
}

/**
 * The refusal of a request that changes something and comes from a page that has no business here; undefined when it
 * may pass.
 */
export function foreignPage(ctx: Context, config: Config): ApiError | undefined {
  const origin = pageOrigin(ctx.req, config.server);
  const isForeign = origin === 'foreign' || (origin === undefined && ctx.get('sec-fetch-site') === 'cross-site');
  return isForeign && !isRead(ctx) ? refusedPage(ctx, 'use a browser’s session') : undefined;
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
  if (origin === undefined && !(isFromOtherSite(ctx) && (sameOrigin === true || !isRead(ctx)))) return;
  ctx.remove('Access-Control-Allow-Origin');
  ctx.remove('Access-Control-Allow-Credentials');
  if (sameOrigin === true || !isRead(ctx)) throw refusedPage(ctx, 'sign in or fetch a key');
}

function isRead({ method }: Context): boolean {
  return method === 'GET' || method === 'HEAD';
}

function isFromOtherSite(ctx: Context): boolean {
  return !['', 'none', 'same-origin'].includes(ctx.get('sec-fetch-site'));
}

function refusedPage(ctx: Context, purpose: string): ApiError {
  const origin = ctx.get('origin');
  const named = origin === '' ? '' : `, ${JSON.stringify(origin.slice(0, 100))}`;
  return new ApiError('FORBIDDEN', {
    message: `Insufficient permissions: the request comes from a page of another origin${named}. To let it ${purpose}, list it in the setting server.corsOrigins`,
    details: { reason: 'foreign-origin' },
  });
}
