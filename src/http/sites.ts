// What a request is for: the control plane, a container that shares this origin, or the platform and its image registry,
// where it begins in its world.

import type { Middleware } from 'koa';
import { internalHeader } from '../core/internal-request.js';
import { emulatorFacts } from '../world/given.js';
import { createCallerConnections } from './connections.js';
import { guardControls } from './control-guard.js';
import type { AppOptions } from './hooks.js';
import { beginRequest } from './request-context.js';
import { holdWorld, type Place } from './request-world.js';

/** Serves the control plane. */
export function serveControls({ controls, hooks }: AppOptions): Middleware {
  return (ctx, next) => {
    const { world, path, origin, unknown, isControl }: Place = ctx.state.place;
    if (!isControl) return next();
    if (unknown !== undefined) throw unknown;
    ctx.set('X-Emulator', emulatorFacts.of(world).mark);
    return controls({ ctx, world, path, origin, errors: hooks });
  };
}

/** Serves containers whose address is on this origin: a Host of their own, or a path. */
export function serveContainers({ containers }: AppOptions): Middleware {
  return (ctx, next) => {
    const { world, path, slug, unknown, refused = unknown }: Place = ctx.state.place;
    if (slug === undefined && (refused !== undefined || !path.startsWith('/_containers/'))) return next();
    const [, , named = '', ...rest] = path.split('/');
    if (slug === undefined && !containers.servesPath(world, named)) return next();
    ctx.respond = false;
    const target = (slug === undefined ? `/${rest.join('/')}` : path) + ctx.search;
    return containers.serve(world, { slug: slug ?? named, target }, ctx.req, ctx.res);
  };
}

/** Begins a request in its world. A repository of the registry may name another world than its path. */
export function beginInWorld({ config, worlds, hooks, registry }: AppOptions): Middleware {
  const connections = createCallerConnections();
  return (ctx, next) => {
    const { world, path, origin, unknown, refused = unknown }: Place = ctx.state.place;
    const request = { ctx, world, path: unknown === undefined ? path : ctx.path, origin, errors: hooks };
    if (!registry.isPath(path)) {
      const isInternal = ctx.get(internalHeader) !== '';
      if (isInternal) guardControls(ctx, config);
      const context = beginRequest(request, isInternal ? undefined : connections);
      context.routeError = refused;
      ctx.state.context = context;
      return next();
    }
    const found = registry.find(ctx.method, path, ctx.get('authorization'), world, worlds);
    holdWorld(ctx, found.world, worlds);
    const context = beginRequest({ ...request, path, world: found.world }, connections);
    context.params = found.params;
    context.routeError = refused ?? found.refusal;
    if (context.routeError !== undefined) context.isUnmatched = true;
    // Errors under the paths of the registry have its format.
    context.endpoint = context.routeError === undefined ? found.endpoint : registry.anyEndpoint;
    ctx.state.context = context;
    return next();
  };
}
