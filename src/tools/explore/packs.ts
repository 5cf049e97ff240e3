// Packs: several faults in one world of one run, at requests of different operations. Where they did no harm together, each
// did none; else each is tried by itself.

import { type Baseline, countsIn } from './baseline.js';
import { isOtherwise, type Try } from './fault-kinds.js';
import type { SeenWorld } from './seen.js';

const mostInPack = 4;
/** Stages of faults of one request, after which clients mostly go on. */
const packed: readonly Try['stage'][] = ['money', 'writes', 'answers'];

/** What may be tried together, and what has been. */
export interface Packs {
  /** A try with the faults of others that wait, in the order of their requests; itself where none goes with it. */
  packOf(one: Try, waiting: readonly Try[]): Try;
  /** The tries that a try was made of. */
  membersOf(tried: Try): readonly Try[];
  /** The client did not simply go on: this fault, and others of its operation in its world, are tried alone from here on. */
  note(one: Try): void;
}

/** @param isOff nothing is packed: pairs of faults need what each fault has led to */
export function createPacks(isOff: boolean): Packs {
  const members = new WeakMap<Try, readonly Try[]>();
  const alone = new Set<string>();
  const keyOf = ({ point }: Try): string => `${point.label} ${point.operation}`;
  const isFit = (one: Try): boolean =>
    packed.includes(one.stage) && one.first === undefined && !isOtherwise(one.kind) && !alone.has(keyOf(one));
  return {
    packOf(one, waiting) {
      if (isOff || !isFit(one)) return one;
      const pack = [one];
      for (const other of waiting) {
        if (pack.length === mostInPack) break;
        // After a fault of a write clients read, after one of a read they read again: kinds of requests stay apart.
        const fits = isFit(other) && other.point.label === one.point.label && other.point.writes === one.point.writes;
        if (fits && pack.every(({ point }) => point.operation !== other.point.operation)) pack.push(other);
      }
      if (pack.length === 1) return one;
      pack.sort((a, b) => a.point.index - b.point.index);
      const all = pack.reduce((first, next) => ({ ...next, first }));
      members.set(all, pack);
      return all;
    },
    membersOf: (tried) => members.get(tried) ?? [tried],
    note: (one) => void alone.add(keyOf(one)),
  };
}

/** Whether each fault met the request that it was meant for: what came after one of them asked for none of the others. */
export function isApart(members: readonly Try[], { requests }: SeenWorld, base: Baseline): boolean {
  const { all } = countsIn(requests);
  return members.every(
    ({ point: { operation } }) => (all.get(operation) ?? 0) <= (base.counts.get(operation) ?? 0) + 1,
  );
}
