// The Koa application: finds the world of a request, then what serves it: the control plane, a container, the image
// registry, or an endpoint of the platform.

import type { IncomingMessage, ServerResponse } from 'node:http';
import Koa, { type Context } from 'koa';
import type { Config } from '../config/schema.js';
import { asideHeader } from '../core/aside.js';
import { ApiError } from '../core/errors.js';
import { memoizeLast, memoizeMany } from '../core/memoize-last.js';
import { emulatorFacts } from '../world/given.js';
import type { World } from '../world/world.js';
import type { Worlds } from '../world/worlds.js';
import { wantsPage } from './accept.js';
import { createBodyReader } from './body.js';
import { createCallerConnections } from './connections.js';
import { guardControls } from './control-guard.js';
import { cors } from './cors.js';
import type { Endpoint } from './endpoint.js';
import type { Hooks } from './hooks.js';
import { refusalOf } from './not-implemented.js';
import { createHostGuard, labelOf } from './origins.js';
import { nameProfileOfPath, type RoutesOf } from './other-profiles.js';
import { passUnmatched, runEndpoint } from './pipeline.js';
import { errorBody, reply, replyBodiless, replyError } from './reply.js';
import { type Asked, assume, beginRequest, type RequestContext } from './request-context.js';
import { isTarget, nameOf, placeOf, unreadableTarget, worldHeader } from './request-world.js';
import { bytes, redirect } from './response.js';
import { endpointRoutes, findIn, isEndpoint } from './routes.js';
import { isDocument, unmatched } from './unmatched.js';
import { endAfterBody } from './unread-body.js';

/** Responds to a request to the control plane. */
export type ControlHandler = (asked: Asked) => Promise<void>;

/** Containers that share this origin. */
export interface ContainerSite {
  /** The container that a Host names. */
  slugOf(host: string, config: Config): { slug: string; world: string } | undefined;
  /** Whether the path of a slug under /_containers is a container. */
  servesPath(world: World, slug: string): boolean;
  serve(
    world: World,
    container: { slug: string; target: string },
    req: IncomingMessage,
    res: ServerResponse,
  ): Promise<void>;
}

/** The image registry, which routes the requests under its paths itself. */
export interface RegistrySite {
  isPath(path: string): boolean;
  /** @param world the world that the path names; the world that the repository's name contains overrides it */
  find(method: string, path: string, authorization: string, world: World, worlds: Worlds): RegistryRequest;
  /** An endpoint with the registry's format of errors, for requests that match none. */
  anyEndpoint: Endpoint;
}

export interface RegistryRequest {
  world: World;
  params: { name: string; reference: string };
  /** Undefined if the path does not exist or does not allow the method. */
  endpoint: Endpoint | undefined;
  /** The error in that case. */
  refusal: ApiError | undefined;
}

interface AppOptions {
  config: Config;
  worlds: Worlds;
  hooks: Hooks;
  /** The endpoints of the platform; the same list for settings that have the same endpoints. */
  surfaceOf: (config: Config) => readonly Endpoint[];
  containers: ContainerSite;
  registry: RegistrySite;
  /** The control plane, under /_emulator. */
  controls: ControlHandler;
  /** The platform's OpenAPI document under some settings, for a base URL. */
  openapi: (config: Config, baseUrl: string) => Buffer;
  onError: (error: unknown) => void;
}

/** The application as a node:http request listener. */
export function createApp(options: AppOptions): (req: IncomingMessage, res: ServerResponse) => Promise<void> {
  const { config, worlds, hooks, containers, registry } = options;
  const app = new Koa();
  const readBody = createBodyReader(config.server.maxBody);
  const endpointsOf = memoizeLast(options.surfaceOf);
  const hostOf = createHostReader();
  const foreignHost = createHostGuard(config.server);
  const connections = createCallerConnections();
  const routesUnder: RoutesOf = (other) => routesOf(options.surfaceOf(other));

  async function serve(ctx: Context): Promise<void> {
    const label = labelOf(ctx.req.headers.host ?? '', config.server);
    // Returned URLs name their world in the path, not in the Host.
    const host = label === undefined ? hostOf(ctx) : hostOf(ctx).slice(label.length + 1);
    const origin = config.server.publicUrl?.replace(/\/+$/, '') ?? `${ctx.protocol}://${host}`;
    const target = ctx.req.url ?? '/';
    if (!isTarget(target)) {
      // Later code reads the URL and must not fail on it.
      ctx.req.url = '/';
      return servePlatform(
        beginRequest({ ctx, world: worlds.get('default'), path: target, origin, errors: hooks }, connections),
        unreadableTarget(target),
      );
    }
    const found = containers.slugOf(ctx.get('host'), config);
    if (found !== undefined) return serveContainer(ctx, worlds.get(found.world), found.slug, ctx.path);
    const named = nameOf(ctx.path, label, ctx.get(worldHeader) || undefined);
    // These requests create, show and delete a world, which need not exist or be open.
    if (/^\/_emulator\/world(\/|$)/.test(named.path) && named.other === undefined)
      return serveControls({
        ctx,
        world: worlds.get('default'),
        path: `/w/${encodeURIComponent(named.name)}${named.path}`,
        origin,
        errors: hooks,
      });
    const { world, path, problem } = placeOf(named, worlds);
    if (worlds.ttlOf(world.id) !== null) ctx.res.once('close', worlds.use(world.id));
    if (path === '/_emulator' || path.startsWith('/_emulator/')) {
      if (problem !== undefined) throw problem;
      return serveControls({ ctx, world, path, origin, errors: hooks });
    }
    // A foreign name may have been pointed at this machine by an attacker: such a request gets only the error.
    const refusal = foreignHost(ctx.req);
    if (
      refusal === undefined &&
      problem === undefined &&
      path.startsWith('/_containers/') &&
      containers.servesPath(world, path.split('/', 3)[2] ?? '')
    ) {
      const [, , slug = '', ...rest] = path.split('/');
      return serveContainer(ctx, world, slug, `/${rest.join('/')}`);
    }
    // Errors under the paths of the registry have its format.
    if (registry.isPath(path)) return serveRegistry(ctx, world, path, origin, refusal ?? problem);
    const sent = isAside(ctx, config) ? undefined : connections;
    const asked = { ctx, world, path: problem === undefined ? path : ctx.path, origin, errors: hooks };
    const context = beginRequest(asked, sent);
    if (ctx.get('origin') !== '') assume(context, 'cors');
    if (refusal === undefined && cors(ctx, path, config.server.corsOrigins))
      return serveAside(context, () => replyBodiless(context, 204));
    if (refusal === undefined && problem === undefined && isDocument(ctx.method, path)) {
      const document = options.openapi(world.config, context.baseUrl);
      if (world.isClosed) throw worlds.unknown(world.id);
      return serveAside(context, () => reply(context, bytes(document, 'application/json')));
    }
    if (refusal === undefined && problem === undefined && path === '/' && asksForPage(ctx))
      return serveAside(context, () => reply(context, redirect(`${context.baseUrl}/_emulator/`)));
    await servePlatform(context, refusal ?? problem);
  }

  function serveControls(asked: Parameters<ControlHandler>[0]): ReturnType<ControlHandler> {
    asked.ctx.set('X-Emulator', emulatorFacts.of(asked.world).mark);
    return options.controls(asked);
  }

  async function serveContainer(ctx: Context, world: World, slug: string, path: string): Promise<void> {
    ctx.respond = false;
    await containers.serve(world, { slug, target: path + ctx.search }, ctx.req, ctx.res);
  }

  async function servePlatform(context: RequestContext, refusal: ApiError | undefined): Promise<void> {
    const { ctx, world, path } = context;
    await answer(context, async () => {
      const endpoints = endpointsOf(world.config);
      const routes = routesOf(endpoints);
      // The commands read logs under each contract.
      const all = context.aside ? [routes, routesUnder({ ...world.config, contract: 'v1' })] : [routes];
      const match = refusal === undefined ? findIn(all, ctx.method, path) : undefined;
      const target = match?.target;
      if (target !== undefined && isEndpoint(target)) {
        context.params = match?.params ?? {};
        return runEndpoint(context, target, { hooks, readBody, routesOf: routesUnder });
      }
      await passUnmatched(context, hooks);
      if (refusal !== undefined) throw refusal;
      if (target !== undefined) assume(context, 'routes.notImplemented');
      throw target === undefined
        ? unmatched(endpoints, routes, ctx.method, path, world.config.contract)
        : refusalOf(target);
    });
  }

  async function serveRegistry(
    ctx: Context,
    named: World,
    path: string,
    origin: string,
    refused: ApiError | undefined,
  ): Promise<void> {
    const found = registry.find(ctx.method, path, ctx.get('authorization'), named, worlds);
    const { world, params, endpoint, refusal } = found;
    if (worlds.ttlOf(world.id) !== null) ctx.res.once('close', worlds.use(world.id));
    const context = beginRequest({ ctx, world, path, origin, errors: hooks }, connections);
    context.params = params;
    await answer(context, async () => {
      if (endpoint !== undefined && refused === undefined)
        return runEndpoint(context, endpoint, { hooks, readBody, routesOf: routesUnder });
      context.endpoint = registry.anyEndpoint;
      context.isUnmatched = true;
      hooks.showLimits(context, await hooks.authenticate(context));
      throw refused ?? refusal;
    });
  }

  // Every outcome of a request becomes a response and a record in the journal.
  async function answer(context: RequestContext, run: () => Promise<void>): Promise<void> {
    try {
      await run();
    } catch (error) {
      if (!(error instanceof ApiError) && !context.world.isClosed) options.onError(error);
      await hooks.holdBack(context, error instanceof ApiError ? error.status : 500);
      // A closed world keeps nothing that the request does and cannot record it.
      if (context.world.isClosed) throw worlds.unknown(context.world.id);
      await replyError(context, nameProfileOfPath(error, context, routesUnder));
    }
    if (!context.aside && !context.world.isClosed) hooks.record(context);
  }

  // Preflights, documents and redirects count in no rate window and are not in the journal.
  async function serveAside(context: RequestContext, answer: () => void): Promise<void> {
    hooks.showLimits(context, await hooks.authenticate(context));
    answer();
  }

  app.use(async (ctx) => {
    try {
      await serve(ctx);
    } catch (error) {
      if (!(error instanceof ApiError)) options.onError(error);
      const known = error instanceof ApiError ? error : new ApiError('INTERNAL_ERROR');
      ctx.status = known.status;
      ctx.set({ 'X-Emulator': emulatorFacts.of(worlds.get('default')).mark, ...known.options.headers });
      ctx.type = 'application/json';
      ctx.body = worlds.get('default').redactor.text(JSON.stringify(errorBody(config, known, 'none')));
    }
    sendText(ctx);
  });
  app.on('error', (error: NodeJS.ErrnoException) => {
    // A client that disconnects during the response causes no error.
    if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_PREMATURE_CLOSE')
      options.onError(error);
  });
  return app.callback();
}

// Sends the body as Koa does, except that a client that still sends its own body gets the response, too.
function sendText(ctx: Context): void {
  const { body, req, res } = ctx;
  if (ctx.respond === false || !ctx.writable || (typeof body !== 'string' && !Buffer.isBuffer(body))) return;
  ctx.respond = false;
  endAfterBody(req, res, ctx.method === 'HEAD' ? undefined : body);
}

function isAside(ctx: Context, config: Config): boolean {
  if (ctx.get(asideHeader) === '') return false;
  guardControls(ctx, config);
  return true;
}

// Emulators of one process share them: a later start with its first request takes 5.1 ms instead of 5.6.
const routesOf = memoizeMany(20, endpointRoutes);

// Programs get the 404 of a path without an endpoint; people who open the address see the dashboard.
function asksForPage(ctx: Context): boolean {
  return ctx.method === 'GET' && wantsPage(ctx.get('accept'));
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
