// The world of a request: by the port that it came by, the prefix of its path, the label of its Host, or a header.

import type { IncomingMessage } from 'node:http';
import type { Context, Middleware } from 'koa';
import { type ApiError, invalid } from '../core/errors.js';
import { describe } from '../core/problems.js';
import type { World } from '../world/world.js';
import type { Worlds } from '../world/worlds.js';
import type { AppOptions } from './hooks.js';
import { createHostGuard, labelOf } from './origins.js';
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

/** Finds the world of a request; where it has none, the default one answers so. */
export function findWorld({ config, worlds, containers }: AppOptions): Middleware {
  const { server } = config;
  const hostOf = createHostReader();
  const foreignHost = createHostGuard(server);
  const find = (ctx: Context): Place => {
    const label = labelOf(ctx.req.headers.host ?? '', server);
    // Returned URLs name their world in the path, not in the Host.
    const host = label === undefined ? hostOf(ctx) : hostOf(ctx).slice(label.length + 1);
    const origin = server.publicUrl?.replace(/\/+$/, '') ?? `${ctx.protocol}://${host}`;
    const place = { world: worlds.get('default'), origin, slug: undefined, isControl: false };
    const good = { refused: undefined, unknown: undefined };
    const target = ctx.req.url ?? '/';
    // A path, or (as a proxy is asked) a whole URL, or the * of OPTIONS.
    if (!target.startsWith('/') && target !== '*' && !URL.canParse(target)) {
      // Later code reads the URL and must not fail on it.
      ctx.req.url = '/';
      const message = 'must be a path or a whole URL';
      const refused = invalid({ path: 'request target', message, received: describe(target) });
      return { ...place, ...good, path: target, refused };
    }
    const container = containers.slugOf(ctx.get('host'), config);
    if (container !== undefined)
      return { ...place, ...good, world: worlds.get(container.world), path: ctx.path, slug: container.slug };
    const named = nameOf(ctx.path, label, ctx.get(worldHeader) || undefined);
    // These requests create, show and delete a world, which need not exist or be open.
    if (/^\/_emulator\/world(\/|$)/.test(named.path) && named.other === undefined)
      return { ...place, ...good, path: `/w/${encodeURIComponent(named.name)}${named.path}`, isControl: true };
    const { world, path, problem: unknown } = placeOf(named, worlds);
    holdWorld(ctx, world, worlds);
    const isControl = path === '/_emulator' || path.startsWith('/_emulator/');
    // A foreign name may have been pointed at this machine by an attacker: such a request gets only the error.
    const refused = isControl ? undefined : foreignHost(ctx.req);
    return { world, path, origin, slug: undefined, isControl, refused, unknown };
  };
  return (ctx, next) => {
    ctx.state.place = find(ctx);
    return next();
  };
}

/** Keeps a world that ends when it is unused until a request is over. */
export function holdWorld(ctx: Context, { id }: World, worlds: Worlds): void {
  if (worlds.ttlOf(id) !== null) ctx.res.once('close', worlds.use(id));
}

// Returned URLs begin with the host, so it must be valid in a URL. It is cached, as clients send the same one.
function createHostReader(): (ctx: Context) => string {
  let good = '';
  return (ctx) => {
    const { headers, socket } = ctx.req;
    if (good !== '' && headers.host === good) return good;
    const { host } = ctx;
    if (!/^[\w.:[\]-]+$/.test(host) || !URL.canParse(`http://${host}`)) return `localhost:${socket.localPort ?? 80}`;
    good = host;
    return host;
  };
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
