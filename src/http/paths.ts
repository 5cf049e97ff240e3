// Paths of endpoints: their order for the router, and how one that matches none is explained.

import { nearest } from '../core/nearest.js';
import type { Endpoint } from './endpoint.js';

/** All paths of an endpoint, its own first. */
export function pathsOf(endpoint: Endpoint): string[] {
  return [endpoint.path, ...(endpoint.aliases ?? [])];
}

/**
 * Endpoints in the order in which a router must try them: fixed segments before parameters.
 */
export function routingOrder(list: readonly Endpoint[]): Endpoint[] {
  const key = (endpoint: Endpoint): string => endpoint.path.replace(/\{\w+\}/g, '\uffff');
  return [...list].sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0));
}

/** The endpoints whose path matches most closely, whatever their method. */
export function matchingPath(list: readonly Endpoint[], path: string): Endpoint[] {
  const matches = list.flatMap((endpoint) => {
    const pattern = pathsOf(endpoint).find((one) => patternOf(one).test(path));
    return pattern === undefined ? [] : { endpoint, parameters: pattern.split('{').length };
  });
  const fewest = Math.min(...matches.map(({ parameters }) => parameters));
  return matches.filter(({ parameters }) => parameters === fewest).map(({ endpoint }) => endpoint);
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

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}/?$`);
}

// Segments that differ count one, near misses and parameters less; missing ones count too.
function distance(path: string, pattern: string): number {
  const a = path.split('/').filter(Boolean);
  const b = pattern.split('/').filter(Boolean);
  let total = Math.abs(a.length - b.length);
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const [mine, theirs] = [a[i] ?? '', b[i] ?? ''];
    if (mine === theirs) continue;
    if (theirs.startsWith('{')) total += 0.3;
    else total += nearest(mine, [theirs]) === undefined ? 1 : 0.4;
  }
  return total;
}
