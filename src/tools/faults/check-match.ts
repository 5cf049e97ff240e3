// Checks the names in a fault rule against what exists: operations, paths, keys, organizations, headers.

import type { FieldProblem } from '../../core/errors.js';
import { nearest } from '../../core/nearest.js';
import { fitsPattern, isPattern, patternsMeet } from '../../core/patterns.js';
import { describe } from '../../core/problems.js';
import { readRegex, regexProblem } from '../../core/safe-regex.js';
import { isSecretHeader } from '../../core/secrets.js';
import type { Endpoint } from '../../http/endpoint.js';
import { nearestPaths, pathsOf } from '../../http/routes.js';
import { findOrganization, listOrganizations } from '../../platform/accounts/store.js';
import { findKeysNamed } from '../../platform/keys/store.js';
import { faultable } from '../../platform/surface.js';
import type { World } from '../../world/world.js';
import type { FaultMatch } from './rule.js';

export interface CheckedMatch {
  /** The selectors as given, but with the key's id in place of its value or prefix. */
  match: FaultMatch;
  /** The endpoints that it can match. */
  endpoints: Endpoint[];
  problems: FieldProblem[];
}

/** Resolves every name in the selectors. */
export function checkMatch(world: World, given: FaultMatch): CheckedMatch {
  const reached = endpointsOf(faultable(world.config), given);
  const key = given.key === undefined ? undefined : keyOf(world, given.key);
  const problems = [
    ...('problem' in reached ? [reached.problem] : []),
    ...(key !== undefined && 'problem' in key ? [key.problem] : []),
    ...organizationProblems(world, given.organization),
    ...selectedHeaderProblems(given.headers ?? {}),
  ];
  const match = { ...given, ...(key !== undefined && 'id' in key && { key: key.id }) };
  return { match, endpoints: 'problem' in reached ? [] : reached.endpoints, problems };
}

type Reached = { endpoints: Endpoint[] } | { problem: FieldProblem };

function endpointsOf(endpoints: readonly Endpoint[], { operation, method, path }: FaultMatch): Reached {
  const named = endpoints.filter(({ id }) => operation === undefined || fitsPattern(operation, id));
  if (operation !== undefined && named.length === 0) return { problem: unknownOperation(endpoints, operation) };
  const called = named.filter((endpoint) => method === undefined || endpoint.method === method);
  if (called.length === 0) {
    const methods = [...new Set(named.map((endpoint) => endpoint.method))].join(', ');
    const message = `must be a method of ${operation ?? 'some operation'}: ${methods}`;
    return { problem: { path: 'match.method', message, received: describe(method) } };
  }
  if (path === undefined) return { endpoints: called };
  const found = called.filter((endpoint) => hasPath(endpoint, path));
  return found.length > 0 ? { endpoints: found } : { problem: wrongPath(endpoints, path, method) };
}

function unknownOperation(endpoints: readonly Endpoint[], operation: string): FieldProblem {
  const ids = [...new Set(endpoints.map(({ id }) => id))];
  const isGlob = isPattern(operation);
  const [noun = ''] = operation.split('.');
  const nouns = [...new Set(ids.map((id) => id.split('.')[0] ?? ''))];
  const nounMeant = nearest(noun, nouns);
  return {
    path: 'match.operation',
    message: isGlob
      ? 'must fit the id of an operation, such as containers.* or *'
      : 'must be the id of an operation, such as containers.create, or a pattern of ids',
    received: describe(operation),
    suggestion: isGlob ? nounMeant && `${nounMeant}.*` : nearest(operation, ids),
  };
}

function hasPath(endpoint: Endpoint, path: string): boolean {
  const wanted = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
  // Repository names contain slashes.
  return pathsOf(endpoint).some((known) => patternsMeet(known.replace('/v2/{name}/', '/v2/*/'), wanted));
}

function wrongPath(endpoints: readonly Endpoint[], path: string, method: string | undefined): FieldProblem {
  const problem = { path: 'match.path', received: describe(path) };
  if (!path.startsWith('/') && !path.startsWith('*')) return { ...problem, message: 'must begin with a slash' };
  if (/^\/_emulator(\/|$)/.test(path))
    return { ...problem, message: 'must not be a path of the control plane, which faults do not apply to' };
  if (path.startsWith('/w/')) return { ...problem, message: 'must be a path inside the world, without /w/<world>' };
  if (path.includes('?')) return { ...problem, message: 'must not have a query: only the path is matched' };
  const others = endpoints.filter((endpoint) => hasPath(endpoint, path));
  if (others.length > 0) {
    const ids = [...new Set(others.map((endpoint) => `${endpoint.id} (${endpoint.method})`))].slice(0, 3).join(', ');
    return { ...problem, message: `leads to ${ids}, which match.operation or match.method leaves out` };
  }
  const near = nearestPaths(endpoints, method ?? 'GET', path);
  const message = `is not a path of the platform; nearest: ${near.join(', ')}`;
  return { ...problem, message, suggestion: near[0]?.replace(/^\w+ /, '') };
}

const isId = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

// The selector may be the key's value: no message repeats it.
function keyOf(world: World, name: string): { id: string } | { problem: FieldProblem } {
  const [named, ...more] = findKeysNamed(world.db, name);
  if (named !== undefined && more.length === 0) return { id: named.id };
  // Ids follow from the seed: a client will create the same key again.
  if (named === undefined && isId.test(name)) return { id: name };
  const message =
    named === undefined
      ? 'must be the id, the test value or the shown beginning of a key of this world'
      : `names ${more.length + 1} keys: give the id of one, such as ${named.id}`;
  return { problem: { path: 'match.key', message } };
}

function organizationProblems(world: World, id: string | undefined): FieldProblem[] {
  if (id === undefined || findOrganization(world.db, id) !== undefined) return [];
  const ids = listOrganizations(world.db).map((organization) => organization.id);
  const message = 'must be the id of an organization of this world';
  return [{ path: 'match.organization', message, received: describe(id), suggestion: nearest(id, ids) ?? ids[0] }];
}

// A rule may test that such a header is present, but not its value.
const anyValue = '/./';
const mostHeaders = 20;

function selectedHeaderProblems(headers: Record<string, string>): FieldProblem[] {
  const names = Object.keys(headers);
  if (names.length > mostHeaders)
    return [{ path: 'match.headers', message: `must be at most ${mostHeaders}`, received: String(names.length) }];
  return names.flatMap((name): FieldProblem[] => {
    const path = `match.headers.${name.slice(0, 100)}`;
    if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name)) return [{ path, message: 'has a name that no header can have' }];
    const value = headers[name] ?? '';
    if (isSecretHeader(name) && value !== anyValue)
      return [{ path, message: `holds a secret, which is never stored: use match.key, or ${anyValue} for any value` }];
    const regex = readRegex(value);
    if (regex === undefined) return [];
    if (regex.source.length > 200)
      return [{ path, message: 'must be a regular expression of at most 200 characters', received: describe(value) }];
    const message = regexProblem(regex);
    return message === undefined ? [] : [{ path, message, received: describe(value) }];
  });
}
