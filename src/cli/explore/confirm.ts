// Finds are seen once more: each is run again with all that it rests on.

import type { Baseline } from '../../tools/explore/baseline.js';
import { type Try, tryId } from '../../tools/explore/fault-kinds.js';
import { type Find, findOf, type Tried, worstOf } from '../../tools/explore/finds.js';
import type { Idle } from '../../tools/explore/idle-faults.js';
import { isSlow, nextBatch } from '../../tools/explore/queue.js';
import { inParallel } from './in-parallel.js';
import { usualTimeoutMs } from './run-limit.js';

export interface Confirmed {
  find: Find;
  tried: Try;
  base: Baseline;
}

/** A try that was run; not met: without what was seen. */
export interface Ran {
  one: Try;
  tried: Tried | undefined;
  /** Only a run of its own can tell. */
  isUnclear: boolean;
  /** The operation of the last request that a fault has met. */
  lastMet?: string | null | undefined;
  /** Why its fault was not met. */
  idle?: Idle;
}

export interface RerunOptions {
  /** Undefined: it was interrupted, or the time was over, as in all that follow. */
  runTries: (batch: readonly Try[]) => Promise<Ran[] | undefined>;
  jobs: number;
  /** How many times as many runs at a time of those that only wait. */
  moreOfWaiting: number;
  width: number;
  tell: (doing: string) => void;
}

/** Groups of equal finds, the mildest first in each, and the runs that show them once more. */
export interface Reruns {
  /** Reruns the finds of each group until one is seen again: the first beside those of other groups, then some by themselves. */
  confirm(groups: readonly Tried[][]): Promise<void>;
  /** The time that this takes for groups that are still open, about. */
  msFor(groups: readonly Tried[][], usualMs: number): number;
  /** The finds: the mildest of a group that was seen again stands for it. */
  resultOf(
    groups: readonly Tried[][],
    bases: ReadonlyMap<string, Baseline>,
  ): { finds: Confirmed[]; unconfirmed: Confirmed[]; flaky: Confirmed[] };
}

const mostCandidates = 3;

export function createReruns({ runTries, jobs, moreOfWaiting, width, tell }: RerunOptions): Reruns {
  /** What was seen again, and what a run of its own did not show again. */
  const again = new Map<Try, Tried>();
  const missed = new Set<Try>();
  /** What was looked at with nothing beside it. */
  const settled = new Set<Try>();
  let isOver = false;
  const isOpen = (group: readonly Tried[]): boolean =>
    group.some(isGrave) && !group.some(({ tried }) => again.has(tried));
  const candidates = (group: readonly Tried[]): Tried[] =>
    group.slice(0, mostCandidates).filter(({ tried }) => !missed.has(tried));

  const rerun = async (finds: readonly Tried[]): Promise<void> => {
    tell(`once more: ${finds.map(({ tried }) => tryId(tried)).join(', ')}`);
    const came = await runTries(finds.map(({ tried }) => tried));
    isOver ||= came === undefined;
    for (const { one, tried, isUnclear } of came ?? []) {
      const former = finds.find((find) => find.tried === one);
      const shown = former && tried && !isUnclear ? sameAgain(former, tried) : undefined;
      if (shown !== undefined) again.set(one, shown);
      else if (finds.length === 1) missed.add(one);
    }
  };
  const rerunTogether = (finds: Tried[], atOnce: number, most: number): Promise<void> =>
    inParallel(atOnce, () => {
      const batch = isOver
        ? []
        : nextBatch(
            finds.map(({ tried }) => tried),
            most,
          );
      if (batch.length === 0) return undefined;
      return rerun(takeFrom(finds, ({ tried }) => batch.includes(tried)));
    });
  // A machine that is busy with other runs may show what the client does not do, even twice.
  const settle = async (former: Tried): Promise<void> => {
    const { tried: one } = former;
    if (isOver || settled.has(one) || isHung(former)) return;
    tell(`with nothing beside it: ${tryId(one)}`);
    const came = await runTries([one]);
    isOver ||= came === undefined;
    if (came === undefined) return;
    settled.add(one);
    const [shown] = came;
    if (shown?.tried !== undefined && !shown.isUnclear && sameAgain(former, shown.tried) !== undefined) return;
    again.delete(one);
    missed.add(one);
  };
  const rerunAlone = async (group: readonly Tried[]): Promise<void> => {
    for (const find of candidates(group)) if (!isOver && isOpen(group)) await rerun([find]);
  };
  return {
    async confirm(groups) {
      const first = groups.filter(isOpen).flatMap((group) => candidates(group).slice(0, 1));
      const waiting = takeFrom(first, (one) => isSlow(one.tried) || isHung(one));
      await rerunTogether(first, jobs, Infinity);
      await rerunTogether(waiting, moreOfWaiting * jobs, width);
      const open = groups.filter(isOpen);
      await inParallel(jobs, () => {
        const group = isOver ? undefined : open.shift();
        return group && rerunAlone(group);
      });
      for (const { tried } of groups.flat()) {
        const shown = again.get(tried);
        if (shown !== undefined) await settle(shown);
      }
    },
    msFor(groups, usualMs) {
      const finds = groups.filter(isOpen).flatMap(([first]) => first ?? []);
      const waiting = Math.ceil(finds.filter(isHung).length / (moreOfWaiting * jobs));
      const others = Math.ceil(finds.filter((one) => !isHung(one)).length / jobs);
      return waiting * usualTimeoutMs + others * usualMs;
    },
    resultOf(groups, bases) {
      const confirmedOf = (finds: readonly Tried[]): Confirmed[] => {
        const find = findOf(finds);
        const base = bases.get(find?.label ?? '');
        return find === undefined || base === undefined ? [] : [{ find, base, tried: (finds[0] as Tried).tried }];
      };
      const seen = groups.flatMap((group) => {
        const place = group.some(isGrave) ? group.findIndex(({ tried }) => again.has(tried)) : 0;
        const [first, ...others] = place === -1 ? [] : group.slice(place);
        return first === undefined ? [] : confirmedOf([again.get(first.tried) ?? first, ...others]);
      });
      const open = groups.filter(isOpen);
      const isMissed = (group: readonly Tried[]): boolean => group.some(({ tried }) => missed.has(tried));
      const unconfirmed = open.filter((group) => !isMissed(group)).flatMap(confirmedOf);
      return { finds: [...seen, ...unconfirmed], unconfirmed, flaky: open.filter(isMissed).flatMap(confirmedOf) };
    },
  };
}

// Takes what is meant off a list.
function takeFrom(finds: Tried[], isMeant: (one: Tried) => boolean): Tried[] {
  const taken = finds.filter(isMeant);
  finds.splice(0, finds.length, ...finds.filter((one) => !taken.includes(one)));
  return taken;
}

function sameAgain(former: Tried, again: Tried): Tried | undefined {
  const worst = worstOf(former.consequences)?.grade;
  const consequences = again.consequences.filter(({ kind }) => former.consequences.some((was) => was.kind === kind));
  if (!consequences.some(({ grade }) => grade === worst)) return undefined;
  const { output, places } = again.output.length > 0 ? again : former;
  return { ...again, consequences, output, places };
}

/** Whether the client never ended. */
export function isHung({ consequences }: Pick<Tried, 'consequences'>): boolean {
  return consequences.some(({ kind }) => kind === 'hung');
}

/** Whether it is worse than to fail with the platform's error. */
export function isGrave({ consequences }: Tried): boolean {
  return consequences.some(({ grade }) => grade !== 'E');
}
