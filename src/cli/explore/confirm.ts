// Finds are seen once more: each is run again with all that it rests on.

import type { Baseline } from '../../modules/explore/baseline.js';
import { type Try, tryId } from '../../modules/explore/fault-kinds.js';
import { type Find, findOf, type Tried, worstOf } from '../../modules/explore/finds.js';
import { isHang, nextBatch } from '../../modules/explore/queue.js';
import { inParallel } from './pace.js';

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
}

export interface Confirming {
  bases: ReadonlyMap<string, Baseline>;
  /** Undefined: it was interrupted, as all that follow are. */
  runTries: (batch: readonly Try[]) => Promise<Ran[] | undefined>;
  jobs: () => number;
  /** How many of them at a time that only wait. */
  waitingJobs: () => number;
  width: number;
  tell: (doing: string) => void;
}

const mostCandidates = 3;

/** A group of equal finds, the mildest first, and how far it is confirmed. */
interface Group {
  finds: readonly Tried[];
  /** The finds from the one on that was seen again; undefined: none was. */
  confirmed: readonly Tried[] | undefined;
  /** Only a busy machine has shown it. */
  isLate: boolean;
}

/** Runs the tries of a batch, and says of each what it showed. */
type Rerun = (batch: readonly Try[]) => Promise<readonly Ran[]>;

/** Confirms each group by the mildest find that shows the same again: it stands for its group. */
export async function confirmAll(
  found: readonly Tried[][],
  { bases, runTries, jobs, waitingJobs, width, tell }: Confirming,
) {
  const groups = found.map((finds): Group => {
    const needsNone = !finds.some(isGrave);
    return { finds, confirmed: needsNone ? finds : undefined, isLate: false };
  });
  let isInterrupted = false;
  const rerun: Rerun = async (batch) => {
    const ran = isInterrupted ? undefined : await runTries(batch);
    isInterrupted ||= ran === undefined;
    return ran ?? [];
  };
  await confirmInBatches(groups, { rerun, jobs, waitingJobs, width, tell });
  await confirmWithNothingBeside(groups, { rerun, width, tell });
  await confirmOneByOne(groups, { rerun, jobs, tell });

  function confirmedOf(finds: readonly Tried[]): Confirmed[] {
    const find = findOf(finds);
    const base = bases.get(find?.label ?? '');
    return find === undefined || base === undefined ? [] : [{ find, base, tried: (finds[0] as Tried).tried }];
  }
  const open = groups.filter(isOpen).flatMap(({ finds }) => confirmedOf(finds));
  return {
    finds: groups.flatMap(({ confirmed }) => confirmedOf(confirmed ?? [])),
    unconfirmed: isInterrupted ? open : [],
    flaky: isInterrupted ? [] : open,
    late: groups.filter(({ isLate }) => isLate).flatMap(({ finds }) => finds),
  };
}

function isOpen({ confirmed, isLate }: Group): boolean {
  return confirmed === undefined && !isLate;
}

type Pass = Omit<Confirming, 'bases' | 'runTries'> & { rerun: Rerun };

// The first find of each group, in worlds beside each other; those that do not end keep no others waiting.
async function confirmInBatches(
  groups: readonly Group[],
  { rerun, jobs, waitingJobs, width, tell }: Pass,
): Promise<void> {
  const confirm = async (batch: ReadonlyMap<Try, Group>): Promise<void> => {
    tell(`once more: ${[...batch.keys()].map(tryId).join(', ')}`);
    // Beside others it may not be clear whether a test failed: a run of its own tells.
    for (const ran of await rerun([...batch.keys()])) if (!ran.isUnclear) noteAgain(batch.get(ran.one), ran);
  };
  const firstOf = (some: readonly Group[]) => new Map(some.map((group) => [(group.finds[0] as Tried).tried, group]));
  const isEndless = ({ finds: [first] }: Group): boolean => first !== undefined && isHung(first);
  const waiting = groups.filter(isOpen);
  const endless = firstOf(waiting.filter(isEndless));
  await Promise.all([
    inBatches(endless, waitingJobs, (tries) => tries.slice(0, 1), confirm),
    inBatches(firstOf(waiting.filter((group) => !isEndless(group))), jobs, (tries) => nextBatch(tries, width), confirm),
  ]);
}

// A busy machine may show what the client does not do, even twice; not that it goes on for three times the limit.
async function confirmWithNothingBeside(
  groups: readonly Group[],
  { rerun, width, tell }: Pick<Pass, 'rerun' | 'width' | 'tell'>,
): Promise<void> {
  const doubted = new Map(
    groups.flatMap((group) => {
      const [shown] = group.confirmed ?? [];
      return shown?.isBusy === true && isGrave(shown) && !isHung(shown)
        ? [[shown.tried, { group, shown }] as const]
        : [];
    }),
  );
  await inBatches(
    doubted,
    () => 1,
    (tries) => nextBatch(tries, width),
    async (batch) => {
      tell(`with nothing beside it: ${[...batch.keys()].map(tryId).join(', ')}`);
      for (const { one, tried, isUnclear } of await rerun([...batch.keys()])) {
        const doubt = batch.get(one);
        if (doubt === undefined || tried === undefined || isUnclear || sameAgain(doubt.shown, tried) !== undefined)
          continue;
        doubt.group.confirmed = undefined;
        doubt.group.isLate = true;
      }
    },
  );
}

// Some finds of each group that is still open, each in a run of its own.
async function confirmOneByOne(
  groups: readonly Group[],
  { rerun, jobs, tell }: Pick<Pass, 'rerun' | 'jobs' | 'tell'>,
): Promise<void> {
  const waiting = groups.filter(isOpen);
  await inParallel(jobs, async () => {
    const group = waiting.shift();
    if (group === undefined) return false;
    for (const { tried } of group.finds.slice(0, mostCandidates)) {
      if (group.confirmed !== undefined) break;
      tell(`once more: ${tryId(tried)}`);
      for (const ran of await rerun([tried])) noteAgain(group, ran);
    }
    return true;
  });
}

// Takes tries off a map, as many at a time as go into one run.
async function inBatches<What>(
  waiting: Map<Try, What>,
  jobs: () => number,
  take: (tries: readonly Try[]) => Try[],
  run: (batch: ReadonlyMap<Try, What>) => Promise<void>,
): Promise<void> {
  await inParallel(jobs, async () => {
    const tries = take([...waiting.keys()]);
    if (tries.length === 0) return false;
    const batch = new Map(tries.map((one) => [one, waiting.get(one) as What]));
    for (const one of tries) waiting.delete(one);
    await run(batch);
    return true;
  });
}

// Notes what a find's rerun showed.
function noteAgain(group: Group | undefined, { one, tried }: Ran): void {
  const place = group?.finds.findIndex((former) => former.tried === one) ?? -1;
  const former = group?.finds[place];
  if (group === undefined || former === undefined || tried === undefined) return;
  const shown = sameAgain(former, tried);
  if (shown !== undefined) group.confirmed = [shown, ...group.finds.slice(place + 1)];
  else if (isCrowded(group.finds)) group.isLate = true;
}

function sameAgain(former: Tried, again: Tried): Tried | undefined {
  const worst = worstOf(former.consequences)?.grade;
  const consequences = again.consequences.filter(({ kind }) => former.consequences.some((was) => was.kind === kind));
  if (!consequences.some(({ grade }) => grade === worst)) return undefined;
  return { ...again, consequences, output: again.output.length > 0 ? again.output : former.output };
}

// Whether it was only seen while others kept the machine busy, or more runs were made at a time than there are cores.
function isCrowded(group: readonly Tried[]): boolean {
  return group.every((one) => one.isBusy || (isHang(one.tried) && isHung(one)));
}

/** Whether the client never ended. */
export function isHung({ consequences }: Pick<Tried, 'consequences'>): boolean {
  return consequences.some(({ kind }) => kind === 'hung');
}

/** Whether it is worse than to fail with the platform's error. */
export function isGrave({ consequences }: Tried): boolean {
  return consequences.some(({ grade }) => grade !== 'E');
}
