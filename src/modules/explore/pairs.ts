// Pairs: a second fault on a request that the client sends only because of the first one.

import { type Try, triesAt } from './fault-kinds.js';
import type { Tried } from './finds.js';
import type { Baseline } from './judge.js';
import { type Declared, type Point, pointsIn } from './points.js';
import type { SeenWorld } from './seen.js';

/** Stages that are not tried as a second fault: they last, take long, or end the client's work. */
const single: readonly Try['stage'][] = ['errors', 'deployments', 'outages', 'hangs'];

/**
 * The pairs that follow from what clients did under one fault: one for each class of requests in a world.
 *
 * @param survived the results of first faults that did no harm
 */
export function pairsOf(
  survived: readonly Pick<Tried, 'tried' | 'seen'>[],
  bases: ReadonlyMap<string, Baseline>,
  declared: Declared,
): Try[] {
  const classes = new Set<string>();
  return survived.flatMap(({ tried, seen }) => {
    const base = bases.get(seen.label);
    if (base === undefined || tried.kind.lasts === true || tried.kind.mode !== undefined) return [];
    return addedPoints(seen, base, declared).flatMap((point) => {
      const key = `${point.label}\n${point.alike}`;
      if (classes.has(key)) return [];
      classes.add(key);
      return triesAt(point, [])
        .filter(({ stage, kind }) => !single.includes(stage) && kind.isAlike !== true)
        .map((second): Try => ({ ...second, first: tried }));
    });
  });
}

// The requests beyond the number that the client sends without the fault.
function addedPoints(seen: SeenWorld, { counts }: Baseline, declared: Declared): Point[] {
  const left = new Map(counts);
  const added = seen.requests.map(({ operation }) => {
    const rest = left.get(operation ?? '') ?? 0;
    left.set(operation ?? '', rest - 1);
    return rest <= 0;
  });
  return pointsIn(seen, declared).filter(({ index }) => added[index]);
}
