// Which world a path is in, and which path inside it.

import { type ApiError, invalid } from '../core/errors.js';
import { describe } from '../core/problems.js';
import type { World } from '../world/world.js';
import type { Worlds } from '../world/worlds.js';
import { decoded } from './routes.js';

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
