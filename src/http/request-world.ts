// The world of a request: by the port that it came by, the prefix of its path, the label of its Host, or a header.

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

/** The name that a request gives to its world. */
interface Named {
  name: string;
  /** Another name that it has as well. */
  other: string | undefined;
  /** Inside the world. */
  path: string;
}

interface Place {
  world: World;
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

/** The world of a request, which is opened. */
export function placeOf({ name, other, path }: Named, worlds: Worlds): Place {
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
