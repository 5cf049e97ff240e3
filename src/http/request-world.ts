// The world of a request (by the port that it came by, the prefix of its path, the label of its Host, or a header), and what in it
// takes the request.

import type { IncomingMessage } from 'node:http';
import type { Context, Middleware } from 'koa';
import { type ApiError, invalid } from '../core/errors.js';
import { internalHeader } from '../core/internal-request.js';
import { describe } from '../core/problems.js';
import { emulatorFacts } from '../world/given.js';
import type { World } from '../world/world.js';
import type { Worlds } from '../world/worlds.js';
import { CallerConnections } from './connections.js';
import { guardControls } from './control-guard.js';
import type { AppOptions } from './hooks.js';
import { foreignHost, hostName, labelOf } from './origins.js';
import { RequestContext } from './request-context.js';
import { decoded } from './routes.js';

const mark = Symbol('by its own port');

interface Marked extends IncomingMessage {
  [mark]?: string;
}

/**
 * Routes a request to a world whatever its path, which may already have the prefix.
 *
 * @param origin where the emulator itself answers, for all worlds
 */
export function leadInto(prefix: string, origin: string, req: Marked): void {
  req.url = `${prefix}${req.url ?? '/'}`;
  req[mark] = origin;
}

/** Whether a request came by the port of its world. */
export function cameByOwnPort(req: Marked): boolean {
  return req[mark] !== undefined;
}

/** Under which other worlds are reached by whoever sent a request to `origin`: a world's own port leads to no other. */
export function sharedOrigin(req: Marked, origin: string): string {
  return req[mark] ?? origin;
}

/** The name that a request gives to its world. */
interface Named {
  name: string;
  /** Another name that it has as well. */
  other: string | undefined;
  /** Inside the world. */
  path: string;
}

/** What a request is for. */
export interface Place {
  world: World;
  /** Inside the world. */
  path: string;
  /** The origin under which the client reached the emulator, without a trailing slash. */
  origin: string;
  /** The container that the Host names. */
  slug: string | undefined;
  /** It is for the control plane. */
  isControl: boolean;
  /** The error of a request that is looked at no further. */
  refused: ApiError | undefined;
  /** The error of a world that does not exist: the default one answers so. */
  unknown: ApiError | undefined;
}

/**
 * Finds the world of a request, and what in it takes the request: the control plane, a container that shares this origin, or
 * the platform and its image registry, where it begins.
 */
export function findWorld(options: AppOptions): Middleware {
  const { containers, controls, hooks } = options;
  const connections = new CallerConnections();
  return (ctx, next) => {
    const place = placeFor(ctx, options);
    const { world, path, origin, slug, unknown, refused = unknown } = place;
    if (place.isControl) {
      if (unknown !== undefined) throw unknown;
      ctx.set('X-Emulator', emulatorFacts.of(world).mark);
      return controls({ ctx, world, path, origin, errors: hooks });
    }
    if (slug !== undefined || (refused === undefined && path.startsWith('/_containers/'))) {
      const [, , named = '', ...rest] = path.split('/');
      if (slug !== undefined || containers.servesPath(world, named)) {
        ctx.respond = false;
        const target = (slug === undefined ? `/${rest.join('/')}` : path) + ctx.search;
        return containers.serve(world, { slug: slug ?? named, target }, ctx.req, ctx.res);
      }
    }
    ctx.state.place = place;
    ctx.state.context = beginInWorld(ctx, place, options, connections);
    return next();
  };
}

/** Where a request has no world of its own, the default one answers so. */
function placeFor(ctx: Context, { config, worlds, containers }: AppOptions): Place {
  const { server } = config;
  const label = labelOf(ctx.req.headers.host ?? '', server);
  // Returned URLs name their world in the path, not in the Host.
  const host = label === undefined ? hostOf(ctx) : hostOf(ctx).slice(label.length + 1);
  const origin = server.publicUrl?.replace(/\/+$/, '') ?? `${ctx.protocol}://${host}`;
  const none = { slug: undefined, isControl: false, refused: undefined, unknown: undefined };
  const target = ctx.req.url ?? '/';
  // A path, or (as a proxy is asked) a whole URL, or the * of OPTIONS.
  if (!target.startsWith('/') && target !== '*' && !URL.canParse(target)) {
    // Later code reads the URL and must not fail on it.
    ctx.req.url = '/';
    const message = 'must be a path or a whole URL';
    const refused = invalid({ path: 'request target', message, received: describe(target) });
    return { ...none, world: worlds.get('default'), path: target, origin, refused };
  }
  const container = containers.slugOf(ctx.get('host'), config);
  if (container !== undefined)
    return { ...none, world: worlds.get(container.world), path: ctx.path, origin, slug: container.slug };
  const named = nameOf(ctx.path, label, ctx.get(worldHeader) || undefined);
  // These requests create, show and delete a world, which need not exist or be open.
  if (/^\/_emulator\/world(\/|$)/.test(named.path) && named.other === undefined) {
    const path = `/w/${encodeURIComponent(named.name)}${named.path}`;
    return { ...none, world: worlds.get('default'), path, origin, isControl: true };
  }
  const { world, path, problem: unknown } = placeOf(named, worlds);
  holdWorld(ctx, world, worlds);
  const isControl = path === '/_emulator' || path.startsWith('/_emulator/');
  // A foreign name may have been pointed at this machine by an attacker: such a request gets only the error.
  const refused = isControl ? undefined : foreignHost(ctx.req, server);
  return { ...none, world, path, origin, isControl, refused, unknown };
}

/** Keeps a world that ends when it is unused until a request is over. */
function holdWorld(ctx: Context, { id }: World, worlds: Worlds): void {
  if (worlds.ttlOf(id) !== null) ctx.res.once('close', worlds.use(id));
}

// Returned URLs begin with the host, so it must be valid in a URL.
function hostOf({ host, req }: Context): string {
  const isGood = /^[\w.:[\]-]+$/.test(host) && hostName(host) !== '';
  return isGood ? host : `localhost:${req.socket.localPort ?? 80}`;
}

// A repository of the registry may name another world than the path.
function beginInWorld(
  ctx: Context,
  { world, path, origin, unknown, refused = unknown }: Place,
  { config, worlds, hooks, registry }: AppOptions,
  connections: CallerConnections,
): RequestContext {
  const request = { ctx, world, path: unknown === undefined ? path : ctx.path, origin, errors: hooks };
  if (!registry.isPath(path)) {
    const isInternal = ctx.get(internalHeader) !== '';
    if (isInternal) guardControls(ctx, config);
    const context = new RequestContext(request, isInternal ? undefined : connections);
    context.routeError = refused;
    return context;
  }
  const found = registry.find(ctx.method, path, ctx.get('authorization'), world, worlds);
  holdWorld(ctx, found.world, worlds);
  const context = new RequestContext({ ...request, path, world: found.world }, connections);
  context.params = found.params;
  context.routeError = refused ?? found.refusal;
  context.isUnmatched = context.routeError !== undefined;
  // Errors under the paths of the registry have its format.
  context.endpoint = context.isUnmatched ? registry.anyEndpoint : found.endpoint;
  return context;
}

/** The header that names a world, for clients that choose no path. */
export const worldHeader = 'x-emulator-world';

/**
 * Finds the name that a request gives to its world. The prefix of its path may occur twice, because clients join base URLs
 * and returned paths; without one, the label of the Host or the header names the world.
 */
export function nameOf(asked: string, label?: string, header?: string): Named {
  const id = /^\/w\/([^/]+)/.exec(asked)?.[1];
  const prefix = `/w/${id}`;
  let rest = asked;
  if (id !== undefined) while (rest === prefix || rest.startsWith(`${prefix}/`)) rest = rest.slice(prefix.length);
  const names = [id === undefined ? undefined : decoded(id), label, header].filter((name) => name !== undefined);
  const [name = 'default'] = names;
  return { name, other: names.find((each) => each !== name), path: rest === '' ? '/' : rest };
}

/** The world of a request, which is opened; with a problem, there is none of that name. */
export function placeOf(
  { name, other, path }: Named,
  worlds: Worlds,
): { world: World; path: string; problem?: ApiError } {
  const world = other === undefined ? worlds.find(name) : undefined;
  if (world !== undefined) return { world, path };
  const problem = other === undefined ? worlds.unknown(name) : namesDiffer(name, other);
  return { world: worlds.get('default'), path, problem };
}

function namesDiffer(name: string, other: string): ApiError {
  return invalid({
    path: worldHeader,
    message: `must be the world that the path or the Host names, ${describe(name)}`,
    received: describe(other),
  });
}
