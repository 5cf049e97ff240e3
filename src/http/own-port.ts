// The world of a request: by the port that it came by, or by the prefix of its path.

import type { IncomingMessage } from 'node:http';
import { type ApiError, invalid } from '../core/errors.js';
import { describe } from '../core/problems.js';
import type { World } from '../world/world.js';
import type { Worlds } from '../world/worlds.js';
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

interface Place {
  world: World;
  /** Inside the world. */
  path: string;
  /** There is no such world: the default one answers so. */
  problem?: ApiError;
}

/** Whether it is a path, or (as a proxy is asked) a whole URL, or the * of OPTIONS. */
export function isTarget(target: string): boolean {
  return target.startsWith('/') || target === '*' || URL.canParse(target);
}

/** The error of a request target that is neither. */
export function unreadableTarget(target: string): ApiError {
  return invalid({ path: 'request target', message: 'must be a path or a whole URL', received: describe(target) });
}

/** The prefix may occur twice, because clients join base URLs and returned paths. */
export function placeOf(asked: string, worlds: Worlds): Place {
  const id = /^\/w\/([^/]+)/.exec(asked)?.[1];
  if (id === undefined) return { world: worlds.get('default'), path: asked };
  const prefix = `/w/${id}`;
  let rest = asked;
  while (rest === prefix || rest.startsWith(`${prefix}/`)) rest = rest.slice(prefix.length);
  const path = rest === '' ? '/' : rest;
  const name = decoded(id);
  const world = worlds.find(name);
  return world === undefined ? { world: worlds.get('default'), path, problem: worlds.unknown(name) } : { world, path };
}
