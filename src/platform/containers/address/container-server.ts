// Serves requests to a running container's address: its health path, a small echo, or the user's own upstream.

import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Config } from '../../../config/schema.js';
import { ApiError } from '../../../core/errors.js';
import { elapsed, real } from '../../../core/real-time.js';
import { escapeHtml } from '../../../core/visible.js';
import { wantsPage } from '../../../http/accept.js';
import { confine, forward, forwardUpgrade, type Upstream } from '../../../http/forward.js';
import type { ContainerSite } from '../../../http/hooks.js';
import { foreignHost, pageOrigin, pathOf } from '../../../http/origins.js';
import { endAfterBody } from '../../../http/unread-body.js';
import { replaced } from '../../../world/topics.js';
import type { World } from '../../../world/world.js';
import { withoutPlatformCredentials } from '../../sessions/sessions.js';
import { type ContainerState, containerAt } from '../lifecycle/lifecycle.js';
import { followRequest } from '../logs/lines-store.js';
import { processesOf } from '../processes.js';
import { type ContainerRecord, findBySlug, findContainer } from '../store.js';
import { refuse, refuseSocket } from '../wire/refusal.js';
import type { Spec } from '../wire/schema.js';
import { isByPath } from './open-addresses.js';
import { reachUpstream, upstreamOf } from './upstream.js';

// The built-in application of a container that has no upstream: its health path returns 200, every other path an echo.

const maxBody = 8 * 1_024;

/** Serves a request in place of the container's image. */
export async function echo(
  req: IncomingMessage,
  res: ServerResponse,
  record: ContainerRecord,
  spec: Spec,
): Promise<void> {
  const { pathname, search } = new URL(`http://container${req.url?.startsWith('/') === true ? req.url : '/'}`);
  if (pathname === spec.health_check_path) {
    return send(req, res, 'application/json', JSON.stringify({ status: 'ok' }));
  }
  const { cookie: _cookie, authorization: _authorization, ...headers } = req.headers;
  const seen = {
    container: record.name,
    project_name: record.project_name,
    image: spec.ecr_image_uri,
    method: req.method,
    path: pathname,
    query: search,
    headers,
    body: await readStart(req),
    note: 'This is the emulator’s stand-in for your image. Set containers.upstreams.<project_name> to a local port to answer yourself.',
  };
  const json = JSON.stringify(seen, null, 2);
  if (!wantsPage(req.headers.accept)) return send(req, res, 'application/json', `${json}\n`);
  send(
    req,
    res,
    'text/html; charset=utf-8',
    `<!doctype html><title>${escapeHtml(record.name)}</title><pre>${escapeHtml(json)}</pre>\n`,
  );
}

function send(req: IncomingMessage, res: ServerResponse, type: string, body: string): void {
  res.writeHead(200, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(body), 'Cache-Control': 'no-store' });
  endAfterBody(req, res, body);
}

// The start is enough for an echo; the rest is read and dropped, so that the connection stays usable.
async function readStart(req: IncomingMessage): Promise<string> {
  const start: Buffer[] = [];
  let length = 0;
  for await (const chunk of req as AsyncIterable<Buffer>) {
    if (length < maxBody) start.push(chunk.subarray(0, maxBody - length));
    length += chunk.length;
  }
  return Buffer.concat(start).toString('utf8');
}

/** The container that a Host of the form `<slug>.localhost` or `<slug>.<world>.localhost` names. */
export function containerSlugOf(host: string, config: Config): { slug: string; world: string } | undefined {
  const { publicUrl } = config.server;
  if (config.containers.urlStyle !== 'subdomain') return undefined;
  return publicUrl !== null && new URL(publicUrl).host === host.toLowerCase() ? undefined : slugOfHost(host);
}

function slugOfHost(host: string): { slug: string; world: string } | undefined {
  const match = /^([a-z0-9-]+)(?:\.([a-z0-9_-]+))?\.localhost(?::\d+)?$/i.exec(host);
  return match === null ? undefined : { slug: (match[1] ?? '').toLowerCase(), world: match[2] ?? 'default' };
}

/** Whether a path under /_containers leads to a container: only where that is its address. */
export function servesPath(world: World, slug: string): boolean {
  const record = world.config.containers.urlStyle === 'port' ? findBySlug(world.db, slug) : undefined;
  return world.config.containers.urlStyle === 'path' || (record !== undefined && isByPath(world, record));
}

/** Containers that share the platform's origin, for the application to route to. */
export const containerSite: ContainerSite = { slugOf: containerSlugOf, servesPath, serve: serveBySlug };

// Serves the container of a slug, at the platform's own listener.
async function serveBySlug(
  world: World,
  { slug, target }: { slug: string; target: string },
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const edit = servesPath(world, slug) ? confine : () => {};
  const headers: OutgoingHttpHeaders = {};
  edit(headers);
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value ?? '');
  res.statusCode = 200;
  req.url = target;
  await serveContainer(world, findBySlug(world.db, slug), req, res, edit);
}

/** Serves a container by id, on a listener of its own. */
export async function serveById(world: World, id: string, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const refusal = foreignHost(req, world.config.server);
  if (refusal !== undefined) return refuse(world, refusal, req, res);
  const target = pathOf(req.url);
  if (target === undefined) return refuse(world, noPath(), req, res);
  req.url = target;
  await serveContainer(world, findContainer(world.db, id), req, res, () => {});
}

async function serveContainer(
  world: World,
  record: ContainerRecord | undefined,
  req: IncomingMessage,
  res: ServerResponse,
  edit: Upstream['edit'],
): Promise<void> {
  const target = await findTarget(world, record);
  if ('problem' in target) return refuse(world, target.problem, req, res);
  req.headers = withoutPlatformCredentials(world, req.headers);
  const tell = logOf(world, target.record, req);
  // 499 marks a client that left early.
  res.once('close', () => tell(res.headersSent ? res.statusCode : 499));
  if (target.upstream === undefined) return echo(req, res, target.record, target.spec);
  res.once(
    'close',
    onceStopped(world, target.record.id, () => res.destroy()),
  );
  return forward(req, res, {
    url: target.upstream,
    ...limitOf(world),
    edit,
    failed: (error) => refuse(world, error, req, res),
  });
}

/** Forwards a WebSocket to the container's upstream, if it comes from a page of this machine or from no page. */
export async function upgradeContainer(
  world: World,
  record: ContainerRecord | undefined,
  req: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): Promise<void> {
  const refusal = foreignHost(req, world.config.server);
  if (refusal !== undefined) return refuseSocket(world, refusal, socket);
  const target = pathOf(req.url);
  if (target === undefined) return refuseSocket(world, noPath(), socket);
  if (pageOrigin(req, world.config.server) === 'foreign') {
    const origin = JSON.stringify(String(req.headers.origin).slice(0, 100));
    const message = `the page of another origin, ${origin}, may open no WebSocket here: list it in the setting server.corsOrigins`;
    return refuseSocket(world, new ApiError('FORBIDDEN', { message }), socket);
  }
  const destination = await findTarget(world, record);
  if ('problem' in destination) return refuseSocket(world, destination.problem, socket);
  if (destination.upstream === undefined) {
    const { project_name: project } = destination.record;
    const message = `set containers.upstreams.${project} to a local port to answer WebSockets`;
    return refuseSocket(world, unavailable(message), socket);
  }
  req.url = target;
  req.headers = withoutPlatformCredentials(world, req.headers);
  socket.once(
    'close',
    onceStopped(world, destination.record.id, () => socket.destroy()),
  );
  const edit = servesPath(world, destination.record.slug) ? confine : () => {};
  const tell = logOf(world, destination.record, req);
  const failed = (error: ApiError): void => refuseSocket(world, error, socket);
  tell(await forwardUpgrade(req, socket, head, { url: destination.upstream, ...limitOf(world), edit, failed }));
}

function limitOf({ config }: World): Pick<Upstream, 'patience' | 'setting'> {
  return { patience: config.containers.upstreamTimeout, setting: 'containers.upstreamTimeout' };
}

function logOf(world: World, record: ContainerRecord, { method = 'GET', url = '/' }: IncomingMessage) {
  const tell = followRequest(world, record);
  const path = url.split('?', 1)[0] ?? '/';
  const begun = elapsed();
  return (status: number): void => tell({ method, path, status, ms: elapsed() - begun });
}

type Target = { problem: ApiError } | { record: ContainerRecord; spec: Spec; upstream: string | undefined };

async function findTarget(world: World, record: ContainerRecord | undefined): Promise<Target> {
  if (record === undefined) return { problem: noContainer() };
  await world.settleInParts(world.clock.now());
  const serving = findServing(world, record);
  if ('problem' in serving || processesOf(world) === undefined)
    return { ...serving, upstream: upstreamOf(world, record) };
  const upstream = await reachUpstream(world, record);
  // The process may end while the request waits for it.
  const still = findServing(world, record);
  if ('problem' in still) return still;
  if (upstream === null)
    return { problem: unavailable(`The process of container ${record.project_name} is being started`) };
  return { ...still, upstream };
}

type Serving = { problem: ApiError } | { record: ContainerRecord; spec: Spec };

function findServing(world: World, record: ContainerRecord): Serving {
  const now = world.clock.now();
  // The container may have been stopped or deleted meanwhile without any request to the platform.
  world.settle(now);
  const current = findContainer(world.db, record.id);
  if (current === undefined) return { problem: noContainer() };
  const state = containerAt(current.deployments, now);
  if (state.serving === undefined) {
    const why = state.error === null ? '' : ` (${state.error})`;
    return { problem: unavailable(`Container ${record.project_name} does not run: it is ${state.status}${why}`) };
  }
  return { record, spec: state.serving.deployment.spec };
}

function noContainer(): ApiError {
  return new ApiError('NOT_FOUND', { message: 'There is no such container' });
}

function noPath(): ApiError {
  return new ApiError('VALIDATION_ERROR', { message: 'The request must name a path that begins with a slash' });
}

function unavailable(message: string): ApiError {
  return new ApiError('SERVICE_UNAVAILABLE', { message, headers: { 'Retry-After': '5' } });
}

/**
 * Calls `stop` once, as soon as a container no longer serves: stopped, deleted, failed, or gone with its world's data.
 *
 * @returns a function that cancels it
 */
function onceStopped(world: World, containerId: string, stop: () => void): () => void {
  let cancelSleep: (() => void) | undefined;
  let isOver = false;
  // Runs after the transaction that reports a change, not within it.
  const look = (): void => real.queueMicrotask(check);
  const deaf = [world.bus.on(`container:${containerId}`, look), world.bus.on(replaced, look)];
  function end(): void {
    isOver = true;
    cancelSleep?.();
    for (const stopHearing of deaf) stopHearing();
  }
  function check(): void {
    cancelSleep?.();
    while (!isOver) {
      const now = world.clock.now();
      const state = stateNow(world, containerId, now);
      if (state?.serving === undefined) {
        end();
        stop();
        return;
      }
      if (state.nextAt === null) return;
      // The clock may have passed that time by now, and then a timer for it would never fire.
      if (state.nextAt > world.clock.now()) {
        cancelSleep = world.clock.sleepUntil(state.nextAt, check);
        return;
      }
    }
  }
  check();
  return end;
}

// Returns undefined if the data cannot be read: nothing serves then, and the next request says why.
function stateNow(world: World, containerId: string, now: number): ContainerState | undefined {
  try {
    world.settle(now);
    const record = findContainer(world.db, containerId);
    return record === undefined ? undefined : containerAt(record.deployments, now);
  } catch {
    return undefined;
  }
}
