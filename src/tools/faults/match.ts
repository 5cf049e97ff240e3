// Decides whether a request matches a fault rule's selectors, and whether the rule fires.

import { fitsPattern } from '../../core/patterns.js';
import { readRegex, regexFinds } from '../../core/safe-regex.js';
import { plainPath } from '../../http/routes.js';
import type { FaultMatch, FaultWhen } from './rule.js';

/** The parts of a request that selectors read. */
export interface RequestFacts {
  operation: string | null;
  method: string;
  /** The path inside the world. */
  path: string;
  keyId: string | null;
  organizationId: string | null;
  /** By name in lower case. */
  header: (name: string) => string | undefined;
}

/** Whether a request matches all selectors of a rule. */
export function matchesRule(match: FaultMatch, facts: RequestFacts): boolean {
  const { operation, method, path, key, organization, headers } = match;
  if (facts.operation === null) return false;
  if (operation !== undefined && !fitsPattern(operation, facts.operation)) return false;
  // The handler of GET also serves HEAD.
  if (method !== undefined && method !== (facts.method === 'HEAD' ? 'GET' : facts.method)) return false;
  if (key !== undefined && key !== facts.keyId) return false;
  if (organization !== undefined && organization !== facts.organizationId) return false;
  if (path !== undefined && !fitsPattern(asFound(path), asFound(facts.path))) return false;
  return headers === undefined || Object.entries(headers).every(([name, want]) => fitsHeader(want, facts.header(name)));
}

function fitsHeader(wanted: string, value: string | undefined): boolean {
  if (value === undefined) return false;
  const regex = readRegex(wanted);
  return regex === undefined ? wanted === value : regexFinds(regex, value);
}

// Whatever leads to one endpoint is one path.
function asFound(path: string): string {
  const plain = plainPath(path);
  return plain.length > 1 && plain.endsWith('/') ? plain.slice(0, -1) : plain;
}

/**
 * Whether a rule fires on a request that matches it.
 *
 * @param seen the number of matching requests, this one included
 * @param hits on how many of the earlier ones it has fired
 * @param draw a number in [0, 1) for this request
 */
export function fires(when: FaultWhen, seen: number, hits: number, draw: () => number): boolean {
  const number = seen - (when.after ?? 0);
  if (number < 1 || isSpent(when, seen - 1, hits)) return false;
  if (when.nth !== undefined && number !== when.nth) return false;
  if (when.every !== undefined && number % when.every !== 0) return false;
  return when.probability === undefined || draw() < when.probability;
}

/** Whether a rule can never fire again. */
export function isSpent({ times, nth, after = 0 }: FaultWhen, seen: number, hits: number): boolean {
  return (times !== undefined && hits >= times) || (nth !== undefined && seen >= nth + after);
}
