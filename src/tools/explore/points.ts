// Points: the requests of a client at which a fault can meet it, as two runs without faults show them.

import type { SeenRequest, SeenWorld } from './seen.js';

/** The declared properties of an operation. */
interface DeclaredOperation {
  writes: boolean;
  /** The operation costs credits or USDC. */
  isPaid: boolean;
  /** It changes or deletes what is there already. */
  changes: boolean;
}

export interface Point {
  /** The world, which has the name of its test. */
  label: string;
  operation: string;
  /** The number of the request among the world's requests of the operation, as fault rules count: from 1. */
  occurrence: number;
  /** The same among those that succeed; undefined: it does not succeed. */
  success: number | undefined;
  /** The request before it, whose whole response it follows at once: its number among the successes of its operation. */
  former: { operation: string; success: number } | undefined;
  /** Its number among the requests at which fault rules look: among all of them, and among those of its caller. */
  place: { ofAll: number; ofCaller: number };
  /** The key that it is sent with, if it has the same id in each run. */
  keyId: string | null;
  /** The index of the request among all of the world's requests, from 0. */
  index: number;
  request: SeenRequest;
  writes: boolean;
  isPaid: boolean;
  changes: boolean;
  /** The client in its world saw how deployments ended. */
  hasDeployed: boolean;
  /** Declared errors of the operation that the client has not met. */
  neverMet: readonly string[];
  /** The operation has met a fault in this world, or the request before or after it has: an incident is there. */
  isBesideFault: boolean;
  /** Equal for points at which a client can be expected to do the same. */
  alike: string;
}

export interface Points {
  points: Point[];
  /** Requests that came in one run only, or came otherwise: `label operation occurrence`. */
  unstable: string[];
  /** How many worlds came in one run only. */
  strangers: number;
}

export type Declared = (operation: string) => DeclaredOperation;

/** The points of all worlds. */
export function pointsOf(first: readonly SeenWorld[], second: readonly SeenWorld[], declared: Declared): Points {
  const all = first.map((world) => pointsIn(world, declared));
  const others = new Map(second.map((world) => [world.label, pointsIn(world, declared)]));
  const points: Point[] = [];
  const unstable: string[] = [];
  const met = metBy(first);
  for (const own of all) {
    const other = new Map((others.get(own[0]?.label ?? '') ?? []).map((point) => [nameOf(point), point]));
    for (const point of own) {
      const twin = other.get(nameOf(point));
      other.delete(nameOf(point));
      if (twin === undefined || !isSame(point, twin)) unstable.push(nameOf(point));
      else
        points.push({
          ...point,
          keyId: point.keyId === twin.keyId ? point.keyId : null,
          neverMet: point.neverMet.filter((code) => !met.has(`${point.operation} ${code}`)),
        });
    }
    unstable.push(...other.keys());
  }
  const known = new Set(first.map(({ label }) => label));
  for (const [label, more] of others) if (!known.has(label)) unstable.push(...more.map(nameOf));
  const isAlone = ({ label }: SeenWorld): boolean => !known.has(label) || !others.has(label);
  return { points, unstable, strangers: [...first, ...second].filter(isAlone).length };
}

/** The name of a point: `label operation occurrence`. */
export function nameOf({ label, operation, occurrence }: Pick<Point, 'label' | 'operation' | 'occurrence'>): string {
  return `${label} ${operation} ${occurrence}`;
}

// An error that the client has met in one world is not tried in the others.
function metBy(worlds: readonly SeenWorld[]): Set<string> {
  return new Set(
    worlds.flatMap(({ requests }) => requests.map(({ operation, errorCode }) => `${operation} ${errorCode}`)),
  );
}

function isSame({ request: a, success: one }: Point, { request: b, success: other }: Point): boolean {
  return a.status === b.status && a.errorCode === b.errorCode && a.shape === b.shape && one === other;
}

/** Whether fault rules look at a request: not where it was refused before, nor where another rule acts. */
function isOpen({ operation, errorCode, fault }: SeenRequest): boolean {
  return operation !== null && fault === null && errorCode !== 'RATE_LIMITED';
}

/** A request that comes so soon meets an emulator that went away with the response before. */
const atOnceMs = 250;

/** The points of one world. */
export function pointsIn({ label, requests, neverMet, hasDeployed }: SeenWorld, declared: Declared): Point[] {
  const counts = new Map<string, { all: number; succeeded: number }>();
  const ofCaller = new Map<string, number>();
  let ofAll = 0;
  const isFaulty = (one: SeenRequest | undefined): boolean => one !== undefined && one.fault !== null;
  const faulty = new Set(requests.filter(isFaulty).map(({ operation }) => operation));
  const all: Point[] = [];
  for (const [index, request] of requests.entries()) {
    const { operation, status, shape, caller } = request;
    if (operation === null || !isOpen(request)) continue;
    const count = counts.get(operation) ?? { all: 0, succeeded: 0 };
    counts.set(operation, count);
    count.all++;
    ofAll++;
    ofCaller.set(caller, (ofCaller.get(caller) ?? 0) + 1);
    const succeeds = status >= 200 && status < 400;
    if (succeeds) count.succeeded++;
    const former = requests[index - 1];
    const before = former === undefined ? 'first' : `${former.operation} ${former.errorCode ?? former.status}`;
    const poll = placeInPoll(requests, index);
    all.push({
      label,
      operation,
      occurrence: count.all,
      success: succeeds ? count.succeeded : undefined,
      former: formerOf(all.at(-1), request),
      place: { ofAll, ofCaller: ofCaller.get(caller) ?? 1 },
      keyId: request.keyId,
      index,
      request,
      ...declared(operation),
      neverMet: neverMet[operation] ?? [],
      hasDeployed,
      isBesideFault: faulty.has(operation) || isFaulty(former) || isFaulty(requests[index + 1]),
      alike: [operation, shape, poll === 'alone' ? before : poll, caller].join('\n'),
    });
  }
  return all;
}

function formerOf(former: Point | undefined, { at }: SeenRequest): Point['former'] {
  if (former?.success === undefined || former.request.isStream) return undefined;
  const { operation, success, request } = former;
  const afterMs = at - request.at - request.durationMs;
  return afterMs >= 0 && afterMs <= atOnceMs ? { operation, success } : undefined;
}

/** The place of a read among several equal ones in a row: of those between the first and the last, one is enough. */
function placeInPoll(requests: readonly SeenRequest[], index: number): 'alone' | 'first' | 'between' | 'last' {
  const own = requests[index];
  if (own?.method !== 'GET') return 'alone';
  const isAgain = requests[index - 1]?.content === own.content;
  const comesAgain = requests[index + 1]?.content === own.content;
  if (isAgain) return comesAgain ? 'between' : 'last';
  return comesAgain ? 'first' : 'alone';
}
