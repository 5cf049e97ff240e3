// What answers at a running container's address: its health path, a small echo, or the user's own upstream.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Context } from 'koa';
import type { Config } from '../config/schema.js';
import type { Spec } from '../features/containers/plan.js';
import { onceStopped } from '../features/containers/serving.js';
import { stateOf } from '../features/containers/state.js';
import { type ContainerRecord, findBySlug, findContainer } from '../features/containers/store.js';
import { isTokenOf } from '../features/sessions/sessions.js';
import { looksLikeToken } from '../features/sessions/token.js';
import type { World } from '../worlds/world.js';
import { echo } from './echo.js';
import { forward, forwardUpgrade } from './forward.js';

/** The container that a Host of the form `<slug>.localhost` or `<slug>.<world>.localhost` names. */
export function containerSlugOf(ctx: Context, config: Config): { slug: string; world: string } | undefined {
  return config.containers.urlStyle === 'subdomain' ? slugOfHost(ctx.get('host')) : undefined;
}

export function slugOfHost(host: string): { slug: string; world: string } | undefined {
  const match = /^([a-z0-9-]+)(?:\.([a-z0-9_-]+))?\.localhost(?::\d+)?$/i.exec(host);
  return match === null ? undefined : { slug: (match[1] ?? '').toLowerCase(), world: match[2] ?? 'default' };
}

/** Answers for the container of a slug under the platform's own origin. */
export async function serveBySlug(ctx: Context, world: World, slug: string, url: string): Promise<void> {
  // Same origin as the platform: what a container serves must not act in its name.
  if (world.config.containers.urlStyle !== 'subdomain') ctx.set('Content-Security-Policy', 'sandbox');
  ctx.respond = false;
  ctx.res.statusCode = 200;
  const record = findBySlug(world.db, slug);
  ctx.req.url = url === '' ? '/' : url;
  await serveContainer(world, record, ctx.req, ctx.res);
}

/** Answers for a container by id, on a listener of its own. */
export async function serveById(world: World, id: string, req: IncomingMessage, res: ServerResponse): Promise<void> {
  await serveContainer(world, findContainer(world.db, id), req, res);
}

async function serveContainer(
  world: World,
  record: ContainerRecord | undefined,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const target = findTarget(world, record);
  if (target.problem !== undefined) return unavailable(res, target.status, target.problem);
  dropPlatformCredentials(req, world);
  if (target.upstream !== undefined) {
    res.once(
      'close',
      onceStopped(world, target.record.id, () => res.destroy()),
    );
    return forward(req, res, target.upstream);
  }
  return echo(req, res, target.record, target.spec);
}

/** Passes a WebSocket on to the container's upstream. */
export async function upgradeContainer(
  world: World,
  record: ContainerRecord | undefined,
  req: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): Promise<void> {
  const target = findTarget(world, record);
  if (target.problem !== undefined || target.upstream === undefined) {
    const reason =
      target.problem ?? `set containers.upstreams.${target.record.project_name} to a local port to answer WebSockets`;
    const body = JSON.stringify({ error: reason });
    socket.end(
      `HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    );
    return;
  }
  dropPlatformCredentials(req, world);
  socket.once(
    'close',
    onceStopped(world, target.record.id, () => socket.destroy()),
  );
  await forwardUpgrade(req, socket, head, target.upstream);
}

type Target =
  | { problem: string; status: number }
  | { problem?: never; record: ContainerRecord; spec: Spec; upstream: string | undefined };

function findTarget(world: World, record: ContainerRecord | undefined): Target {
  if (record === undefined) return { problem: 'There is no such container', status: 404 };
  const now = world.clock.now();
  // It may have been stopped or deleted meanwhile though nobody has asked the platform.
  world.settle(now);
  const current = findContainer(world.db, record.id);
  if (current === undefined) return { problem: 'There is no such container', status: 404 };
  const state = stateOf(world, current, now);
  if (state.serving === undefined) {
    return {
      problem: `Container ${record.project_name} does not run: it is ${state.status}${state.error === null ? '' : ` (${state.error})`}`,
      status: 503,
    };
  }
  const upstream = world.config.containers.upstreams[record.project_name];
  return {
    record,
    spec: state.serving.deployment.spec,
    upstream: typeof upstream === 'number' ? `http://127.0.0.1:${upstream}` : upstream,
  };
}

function unavailable(res: ServerResponse, status: number, message: string): void {
  res.writeHead(status, {
    'Content-Type': 'application/json',
    'Cache-Control': 'no-store',
    ...(status === 503 && { 'Retry-After': '5' }),
  });
  res.end(JSON.stringify({ error: message }));
}

// The platform's own credentials are none of the container's business; the app's own pass.
function dropPlatformCredentials(req: IncomingMessage, world: World): void {
  const { prefix, livePrefix } = world.config.keys;
  const isPlatformKey = (value: string): boolean =>
    value.startsWith(prefix) || value.startsWith(livePrefix) || isSession(world, value);
  const bearer = /^bearer\s+(.+)$/i.exec(req.headers.authorization ?? '')?.[1];
  if (bearer !== undefined && isPlatformKey(bearer)) delete req.headers.authorization;
  const key = req.headers['x-api-key'];
  if (typeof key === 'string' && isPlatformKey(key)) delete req.headers['x-api-key'];
  const cookies = req.headers.cookie
    ?.split(/;\s*/)
    .filter((cookie) => !isSession(world, cookie.slice(cookie.indexOf('=') + 1)));
  if (cookies === undefined || cookies.length === 0) delete req.headers.cookie;
  else req.headers.cookie = cookies.join('; ');
}

// By its value: an app may have a cookie of the same name.
function isSession(world: World, value: string): boolean {
  return looksLikeToken(value) && (isTokenOf(world, value) || world.ownerOf(value) !== undefined);
}
