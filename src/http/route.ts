// Finds what takes a request to the platform: an endpoint, its OpenAPI document, the dashboard, or an error.

import { isTodaysServer } from '../config/profiles.js';
import { memoizeMany } from '../core/memoize-last.js';
import { wantsPage } from './accept.js';
import type { AppOptions, Next } from './hooks.js';
import { refusalOf } from './not-implemented.js';
import { assume, type RequestContext } from './request-context.js';
import { bytes, redirect } from './response.js';
import { endpointRoutes, isDocument, isEndpoint, unmatched } from './routes.js';

// Emulators of one process share them: a later start with its first request takes 5.1 ms instead of 5.6.
export const routesOf = memoizeMany(20, endpointRoutes);

export function findRoute(context: RequestContext, next: Next, { surfaceOf, openapi }: AppOptions): Promise<void> {
  const { ctx, world, path } = context;
  // The registry has found its own.
  if (context.endpoint === undefined && context.routeError === undefined && context.answer === undefined) {
    if (isDocument(ctx.method, path))
      answerUnrecorded(context, bytes(openapi(world.config, context.baseUrl), 'application/json'));
    // Programs get the 404 of a path without an endpoint; people who open the address see the dashboard.
    else if (path === '/' && ctx.method === 'GET' && wantsPage(ctx.get('accept')))
      answerUnrecorded(context, redirect(`${context.baseUrl}/_emulator/`));
    else findEndpoint(context, surfaceOf);
  }
  return next();
}

/** Answers a request that counts in no rate window and is not in the journal: a preflight, a document, a redirect. */
export function answerUnrecorded(context: RequestContext, answer: RequestContext['answer']): void {
  context.answer = answer;
  context.routeError = undefined;
  context.isUnrecorded = true;
}

function findEndpoint(context: RequestContext, surfaceOf: AppOptions['surfaceOf']): void {
  const { ctx, world, path, isInternal } = context;
  const endpoints = surfaceOf(world.config);
  const routes = routesOf(endpoints);
  const found =
    routes.find(ctx.method, path) ??
    // The commands read logs in each profile.
    (isInternal ? routesOf(surfaceOf({ ...world.config, profile: 'spec' })).find(ctx.method, path) : undefined);
  if (found === undefined) {
    context.routeError = unmatched(endpoints, routes, ctx.method, path, !isTodaysServer(world.config));
  } else if (isEndpoint(found.target)) {
    context.endpoint = found.target;
    context.params = found.params;
  } else {
    assume(context, 'routes.notImplemented');
    context.routeError = refusalOf(found.target);
  }
}
