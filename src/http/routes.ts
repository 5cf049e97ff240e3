// Finding what a request asks for: @koa/router matches, with one router for each beginning and length of a path.

import { Router } from '@koa/router';

export interface RouteEntry<Target> {
  method: string;
  /** With `{name}` for parameters. */
  path: string;
  target: Target;
}

export interface FoundRoute<Target> {
  target: Target;
  params: Record<string, string>;
}

/** Looks a request up among the entries; where several match, the first is used. */
export type FindRoute<Target> = (method: string, path: string) => FoundRoute<Target> | undefined;

/**
 * Registers entries, in the order in which they are to be tried.
 *
 * @param fixed how many segments of every path have no parameter: by them, and by its length, a request finds its few
 * candidates
 * @param matching closest: the closest path decides, whatever its methods (nobody can delete a voice
 * by the path of their list); any: a path with parameters answers where the closest one has not the method
 */
export function createRoutes<Target>(
  entries: readonly RouteEntry<Target>[],
  fixed: number,
  matching: 'closest' | 'any',
): FindRoute<Target> {
  const beginningOf = (path: string): string => {
    const segments = path.split('/');
    // Paths with a slash at their end are the same.
    const length = segments.at(-1) === '' ? segments.length - 1 : segments.length;
    return `${length}${segments.slice(0, Math.min(length, fixed + 1)).join('/')}`;
  };
  const groups = new Map<string, RouteEntry<Target>[]>();
  for (const entry of entries) {
    const beginning = beginningOf(entry.path);
    groups.set(beginning, [...(groups.get(beginning) ?? []), entry]);
  }
  const routers = new Map<string, Router>();
  const targets = new Map<unknown, Target>();
  // Made when it is first asked for: compiling all paths would hold up the start.
  function routerOf(beginning: string): Router | undefined {
    const group = groups.get(beginning);
    if (group === undefined || routers.has(beginning)) return routers.get(beginning);
    const router = new Router();
    for (const { method, path, target } of group)
      targets.set(
        router.register(path.replace(/\{(\w+)\}/g, ':$1'), [method], () => {}),
        target,
      );
    routers.set(beginning, router);
    return router;
  }
  // What is asked for by the very path that was declared need not be looked for twice.
  const declared = new Set(entries.map(({ path }) => path).filter((path) => !path.includes('{')));
  const known = new Map<string, FoundRoute<Target>>();
  // The router's own dispatch would compose a middleware chain anew at each request, for the one function there is.
  function find(method: string, path: string): FoundRoute<Target> | undefined {
    const matched = routerOf(beginningOf(path))?.match(path, method);
    const layer = matched?.pathAndMethod.find((one) => matching === 'any' || one.path === matched.path[0]?.path);
    const target = targets.get(layer);
    if (layer === undefined || target === undefined) return undefined;
    return { target, params: layer.params(path, layer.captures(path)) };
  }
  return (method, path) => {
    const name = `${method} ${path}`;
    const found = known.get(name) ?? find(method, path);
    if (found !== undefined && declared.has(path)) known.set(name, found);
    return found;
  };
}
