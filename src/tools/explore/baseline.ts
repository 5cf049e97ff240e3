// The figures of a world in the runs without faults, which those with a fault are compared with.

import { type Holding, holdingKinds } from '../scenarios/holdings-store.js';
import type { SeenRequest, SeenWorld } from './seen.js';

/** If two runs differ, the higher figures, unless something else is said. */
export interface Baseline {
  charged: number;
  paid: number;
  /** The things that are there at the end. */
  holdings: readonly Holding[];
  /** Kinds of things whose names are others in each run. */
  nameless: ReadonlySet<string>;
  /** How often each operation took effect. */
  made: ReadonlyMap<string, number>;
  /** The lower figures of the same. */
  madeAtLeast: ReadonlyMap<string, number>;
  /** How often each operation was requested. */
  counts: ReadonlyMap<string, number>;
  total: number;
  /** The rules that fail without a fault. */
  failed: ReadonlySet<string>;
  /** The codes of errors that come without a fault. */
  errors: ReadonlySet<string>;
  /** Its requests in their order. */
  requests: readonly SeenRequest[];
}

/** The figures of a world in the runs without faults. */
export function baselineOf(runs: readonly SeenWorld[]): Baseline {
  const [first] = runs as [SeenWorld];
  const longest = runs.reduce((best, run) => (run.holdings.length > best.holdings.length ? run : best));
  const figures = runs.map(({ requests }) => countsIn(requests));
  const names = (world: SeenWorld, kind: string): string => textOf(countsOf(namesOf(world.holdings, kind)));
  return {
    charged: Math.max(...runs.map(({ charged }) => charged)),
    paid: Math.max(...runs.map(({ paid }) => paid)),
    holdings: longest.holdings,
    nameless: new Set(holdingKinds.filter((kind) => runs.some((run) => names(run, kind) !== names(first, kind)))),
    made: largest(figures.map(({ made }) => made)),
    madeAtLeast: smallest(figures.map(({ made }) => made)),
    counts: largest(figures.map(({ all }) => all)),
    total: Math.max(...runs.map(({ total }) => total)),
    failed: new Set(runs.flatMap(({ failed }) => failed.map(({ rule }) => rule))),
    errors: new Set(runs.flatMap(({ requests }) => requests.flatMap(({ errorCode }) => errorCode ?? []))),
    requests: first.requests,
  };
}

/** How many requests are no flood, where there are so many without a fault. */
export function mostOf(usual: number): number {
  return Math.max(5 * usual, usual + 20);
}

/** How often each operation was requested, and how often it took effect. */
export function countsIn(requests: readonly SeenRequest[]): { all: Map<string, number>; made: Map<string, number> } {
  const operations = requests.flatMap(({ operation, happened }) =>
    operation === null ? [] : [{ operation, happened }],
  );
  return {
    all: countsOf(operations.map(({ operation }) => operation)),
    made: countsOf(operations.filter(({ happened }) => happened).map(({ operation }) => operation)),
  };
}

/** The names of the things of a kind. */
export function namesOf(holdings: readonly Holding[], kind: string): string[] {
  return holdings.filter((one) => one.kind === kind).map(({ name }) => name);
}

/**
 * What a client did from the fault on that it does not do without it, as text: requests of which several of a kind follow
 * each other count as one.
 */
export function reactionOf({ requests }: SeenWorld, { requests: usual }: Baseline): string {
  const begun = Math.max(
    0,
    requests.findIndex(({ fault }) => fault !== null),
  );
  const now = requests.slice(begun).map(stepOf);
  const plain = usual.slice(begun + 1).map(stepOf);
  let same = 0;
  while (same < now.length - 1 && same < plain.length && now.at(-1 - same) === plain.at(-1 - same)) same++;
  const own = now.slice(0, now.length - same);
  return own.filter((step, index) => step !== own[index - 1]).join('\n');
}

function stepOf({ operation, method, status, errorCode, fault }: SeenRequest): string {
  const came = errorCode ?? (status >= 200 && status < 400 ? 'ok' : String(status));
  return `${operation ?? method} ${fault === null ? came : 'fault'}`;
}

export function countsOf(texts: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}

const textOf = (counts: ReadonlyMap<string, number>): string => JSON.stringify([...counts].sort());

function largest(counts: readonly ReadonlyMap<string, number>[]): Map<string, number> {
  const most = new Map<string, number>();
  for (const one of counts) for (const [name, count] of one) most.set(name, Math.max(most.get(name) ?? 0, count));
  return most;
}

function smallest(counts: readonly ReadonlyMap<string, number>[]): Map<string, number> {
  const [first = new Map<string, number>()] = counts;
  return new Map([...first.keys()].map((name) => [name, Math.min(...counts.map((one) => one.get(name) ?? 0))]));
}
