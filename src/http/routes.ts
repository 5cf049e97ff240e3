// Paths of endpoints: finding the one that a request asks for, and explaining a path that matches none.

import { ApiError } from '../core/errors.js';
import { nearest } from '../core/nearest.js';
import type { Endpoint } from './endpoint.js';
import { type MissingOperation, notImplemented } from './not-implemented.js';

export interface Route<Target> {
  method: string;
  /** With `{name}` for parameters, each a whole segment. */
  path: string;
  /** The parameter at its end takes all further segments, too: an id may hold slashes. */
  takesRest?: boolean;
  target: Target;
}

interface FoundRoute<Target> {
  target: Target;
  params: Record<string, string>;
}

export interface Routes<Target> {
  find(method: string, path: string): FoundRoute<Target> | undefined;
  /** The routes of the closest path, whatever their methods. */
  at(path: string): readonly Route<Target>[];
}

interface PlacedRoute<Target> extends Route<Target> {
  /** The names of its parameters, by their places in the path. */
  parameters: readonly (readonly [place: number, name: string])[];
}

/** A segment of paths. */
interface Segment<Target> {
  fixed: Map<string, Segment<Target>>;
  parameter: Segment<Target> | undefined;
  /** The routes that end here. */
  routes: PlacedRoute<Target>[];
  /** The routes whose last parameter begins here and takes the rest. */
  rest: PlacedRoute<Target>[];
}

/**
 * A tree of segments: a request costs a look-up for each segment of its path, and nothing is compiled at the start. A
 * fixed segment is closer than a parameter.
 *
 * @param matching closest: the closest path decides, whatever its methods (nobody can delete a voice
 * by the path of their list); any: a path with parameters answers where the closest one has not the method
 */
export function createRoutes<Target>(
  routes: readonly Route<Target>[],
  matching: 'closest' | 'any' = 'closest',
): Routes<Target> {
  const root: Segment<Target> = { fixed: new Map(), parameter: undefined, routes: [], rest: [] };
  for (const route of routes) {
    let segment = root;
    const parameters: [number, string][] = [];
    const parts = segmentsOf(route.path);
    for (const [place, text] of parts.entries()) {
      if (isParameter(text)) parameters.push([place, text.slice(1, -1)]);
      if (route.takesRest === true && place === parts.length - 1) segment.rest.push({ ...route, parameters });
      let next = isParameter(text) ? segment.parameter : segment.fixed.get(text);
      if (next === undefined) {
        next = { fixed: new Map(), parameter: undefined, routes: [], rest: [] };
        if (isParameter(text)) segment.parameter = next;
        else segment.fixed.set(text, next);
      }
      segment = next;
    }
    segment.routes.push({ ...route, parameters });
  }
  return {
    find(method, path) {
      const wanted = method === 'HEAD' ? 'GET' : method;
      const segments = segmentsOf(path);
      const has = (route: Route<Target>): boolean => route.method === wanted;
      const route = closest(root, segments, 0, matching === 'any' ? has : () => true).find(has);
      return route && { target: route.target, params: paramsOf(route, segments) };
    },
    at: (path) => closest(root, segmentsOf(path), 0, () => true),
  };
}

/** The methods in an Allow header: where GET is allowed, HEAD is. */
export function allowedMethods(methods: readonly string[]): string[] {
  return [...new Set(methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : method)))];
}

const isParameter = (segment: string): boolean => segment.startsWith('{');

/** A path without what it encodes although it needs no encoding: both are the same path (RFC 3986, 6.2.2.2). */
export function plainPath(path: string): string {
  return path.includes('%') ? path.replace(/%[2-7][\da-f]/gi, plainly) : path;
}

// Paths with a slash at their end are the same.
function segmentsOf(path: string): string[] {
  const segments = plainPath(path).split('/');
  if (segments.length > 2 && segments.at(-1) === '') segments.pop();
  return segments;
}

function plainly(code: string): string {
  const character = String.fromCharCode(Number.parseInt(code.slice(1), 16));
  return /[\w.~-]/.test(character) ? character : code;
}

function closest<Target>(
  segment: Segment<Target>,
  path: readonly string[],
  at: number,
  counts: (route: Route<Target>) => boolean,
): readonly PlacedRoute<Target>[] {
  const text = path[at];
  if (text === undefined) return segment.routes.some(counts) ? segment.routes : [];
  const fixed = segment.fixed.get(text);
  const found = fixed === undefined ? [] : closest(fixed, path, at + 1, counts);
  if (found.length > 0 || text === '') return found;
  const other = segment.parameter === undefined ? [] : closest(segment.parameter, path, at + 1, counts);
  return other.length > 0 || !segment.rest.some(counts) ? other : segment.rest;
}

function paramsOf(
  { parameters, takesRest }: PlacedRoute<unknown>,
  segments: readonly string[],
): Record<string, string> {
  const params: Record<string, string> = {};
  for (const [index, [place, name]] of parameters.entries()) {
    const isRest = takesRest === true && index === parameters.length - 1;
    params[name] = decoded(isRest ? segments.slice(place).join('/') : (segments[place] ?? ''));
  }
  return params;
}

/** A part of a path as it was meant; one that cannot be decoded stays as it came. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** All paths of an endpoint, its own first. */
export function pathsOf(endpoint: Endpoint): string[] {
  return [endpoint.path, ...(endpoint.aliases ?? [])];
}

const routesIn = (list: readonly Endpoint[]): Route<Endpoint>[] =>
  list.flatMap((target) =>
    pathsOf(target).map((path) => ({ method: target.method, path, takesRest: target.idHasSlashes === true, target })),
  );

/** The routes of endpoints alone: which operation a recorded request belongs to. */
export const routesTo = (list: readonly Endpoint[]): Routes<Endpoint> => createRoutes(routesIn(list));

/** The routes of endpoints, and of the operations that only the platform has. */
export function endpointRoutes(list: readonly Endpoint[]): Routes<Endpoint | MissingOperation> {
  return createRoutes<Endpoint | MissingOperation>([
    ...routesIn(list),
    ...notImplemented.filter((one) => isOfSurface(list, one)).map((target) => ({ ...target, target })),
  ]);
}

/** The older paths of voices have the name of a provider, which is another one under some settings. */
const older = '/api/elevenlabs/';
const isOfSurface = (list: readonly Endpoint[], { path }: MissingOperation): boolean =>
  !path.startsWith(older) || list.some((endpoint) => endpoint.path.startsWith(older));

/** The routes of operations that only the platform has. */
export function missingRoutes(): Routes<MissingOperation> {
  return createRoutes(notImplemented.map((target) => ({ ...target, target })));
}

/** Whether a route leads to an endpoint. */
export function isEndpoint(target: Endpoint | MissingOperation): target is Endpoint {
  return !('family' in target);
}

/** The paths of the OpenAPI document, which has no endpoint. */
const documentPaths = ['/openapi.json', '/api/openapi.json'];

/** Whether a request is for the platform's OpenAPI document. */
export function isDocument(method: string, path: string): boolean {
  return documentPaths.includes(path) && (method === 'GET' || method === 'HEAD');
}

/**
 * The error for a path without an endpoint.
 *
 * @param knowsMethods whether a wrong method is an error of its own
 */
export function unmatched(
  list: readonly Endpoint[],
  routes: Routes<unknown>,
  method: string,
  path: string,
  knowsMethods = true,
): ApiError {
  const others = documentPaths.includes(path) ? (['GET'] as const) : routes.at(path).map((one) => one.method);
  if (others.length > 0) {
    const allow = allowedMethods(others);
    const told = { message: `${method} is not allowed here; allowed: ${allow.join(', ')}`, details: { allow } };
    if (!knowsMethods) return new ApiError('ROUTE_NOT_FOUND', told);
    return new ApiError('METHOD_NOT_ALLOWED', { ...told, headers: { Allow: allow.join(', ') } });
  }
  const nearest = nearestPaths(list, method, path);
  return new ApiError('ROUTE_NOT_FOUND', {
    message: `No such endpoint: ${method} ${path.slice(0, 200)}. Nearest: ${nearest[0] ?? 'none'}`,
    details: { nearest },
  });
}

/** The known paths nearest to one that matches nothing, as `METHOD /path`. */
export function nearestPaths(list: readonly Endpoint[], method: string, path: string): string[] {
  const wanted = path.slice(0, 200);
  const scored = list.flatMap((endpoint) =>
    pathsOf(endpoint).map((pattern) => ({
      text: `${endpoint.method} ${pattern}`,
      score: distance(wanted, pattern) + (endpoint.method === method ? 0 : 0.5),
    })),
  );
  scored.sort((a, b) => a.score - b.score || (a.text < b.text ? -1 : 1));
  return scored.slice(0, 3).map((entry) => entry.text);
}

// Segments that are missing or too many count one each, but only half at the beginning: a wrong base URL, without /api/v1
// or with it twice, is the usual mistake.
function distance(path: string, pattern: string): number {
  const a = path.split('/').filter(Boolean);
  const b = pattern.split('/').filter(Boolean);
  const surplus = a.length - b.length;
  const fromStart = Math.abs(surplus) + difference(a, b);
  if (surplus === 0) return fromStart;
  const fromEnd = Math.abs(surplus) / 2 + difference(a.slice(Math.max(0, surplus)), b.slice(Math.max(0, -surplus)));
  return Math.min(fromStart, fromEnd);
}

// Segments that differ count one, near misses and parameters less.
function difference(a: readonly string[], b: readonly string[]): number {
  let total = 0;
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const [mine, theirs] = [a[i] ?? '', b[i] ?? ''];
    if (mine === theirs) continue;
    if (theirs.startsWith('{')) total += 0.3;
    else total += nearest(mine, [theirs]) === undefined ? 1 : 0.4;
  }
  return total;
}
