// What was found, seen once more: the rerun of what each find rests on.

import { type Try, tryId } from '../../modules/explore/fault-kinds.js';
import { type Find, findOf, type Tried, worstOf } from '../../modules/explore/finds.js';
import type { Baseline } from '../../modules/explore/judge.js';
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
  /** It takes a run of its own to tell. */
  isUnclear: boolean;
}

export interface Confirming {
  bases: ReadonlyMap<string, Baseline>;
  /** Undefined: it was interrupted, as all that follow are. */
  runTries: (batch: readonly Try[]) => Promise<Ran[] | undefined>;
  jobs: number;
  width: number;
  tell: (doing: string) => void;
}

const mostCandidates = 3;

/** The mildest that shows the same again stands for its group: first worlds beside each other, then what was not seen alone. */
export async function confirmAll(groups: readonly Tried[][], { bases, runTries, jobs, width, tell }: Confirming) {
  const done = new Map<readonly Tried[], Tried[]>(
    groups.filter((group) => !group.some(isGrave)).map((group) => [group, [...group]]),
  );
  const waiting = new Map(
    groups.filter((group) => !done.has(group)).map((group) => [(group[0] as Tried).tried, group]),
  );
  const late = new Set<readonly Tried[]>();
  let isInterrupted = false;
  const ranOf = async (batch: readonly Try[]): Promise<Ran[]> => {
    const came = isInterrupted ? undefined : await runTries(batch);
    isInterrupted ||= came === undefined;
    return came ?? [];
  };
  const again = async (batch: readonly Try[], groupOf: (one: Try) => readonly Tried[] | undefined): Promise<void> => {
    tell(`once more: ${batch.map(tryId).join(', ')}`);
    for (const { one, tried } of await ranOf(batch)) {
      const group = groupOf(one);
      const place = group?.findIndex((former) => former.tried === one) ?? -1;
      const former = group?.[place];
      if (group === undefined || former === undefined || tried === undefined) continue;
      const shown = sameAgain(former, tried);
      if (shown !== undefined) done.set(group, [shown, ...group.slice(place + 1)]);
      else if (isCrowded(group)) late.add(group);
    }
  };
  await inParallel(jobs, async () => {
    const batch = nextBatch([...waiting.keys()], width);
    if (batch.length === 0) return false;
    const meant = new Map(batch.map((one) => [one, waiting.get(one)]));
    for (const one of batch) waiting.delete(one);
    await again(batch, (one) => meant.get(one));
    return true;
  });
  // What a busy machine showed twice is looked at once more, with no other run beside it: it may be the machine.
  const doubted = new Map(
    groups.flatMap((group) => {
      const former = done.get(group)?.[0];
      return former?.isBusy === true ? [[former.tried, { group, former }] as const] : [];
    }),
  );
  await inParallel(1, async () => {
    const batch = nextBatch([...doubted.keys()], width);
    if (batch.length === 0) return false;
    tell(`with nothing beside it: ${batch.map(tryId).join(', ')}`);
    const looked = new Map(batch.map((one) => [one, doubted.get(one)]));
    for (const one of batch) doubted.delete(one);
    for (const { one, tried } of await ranOf(batch)) {
      const doubt = looked.get(one);
      if (doubt === undefined || tried === undefined || sameAgain(doubt.former, tried) !== undefined) continue;
      done.delete(doubt.group);
      late.add(doubt.group);
    }
    return true;
  });
  const alone = groups
    .filter((group) => !done.has(group) && !late.has(group))
    .map((group) => ({ group, candidates: group.slice(0, mostCandidates) }));
  await inParallel(jobs, async () => {
    const next = alone.shift();
    if (next === undefined) return false;
    for (const { tried } of next.candidates) if (!done.has(next.group)) await again([tried], () => next.group);
    return true;
  });
  const confirmedOf = (group: readonly Tried[]): Confirmed[] => {
    const find = findOf(group);
    const base = bases.get(find?.label ?? '');
    return find === undefined || base === undefined ? [] : [{ find, base, tried: (group[0] as Tried).tried }];
  };
  const open = groups.filter((group) => !done.has(group) && !late.has(group)).flatMap(confirmedOf);
  return {
    finds: groups.flatMap((group) => confirmedOf(done.get(group) ?? [])),
    unconfirmed: isInterrupted ? open : [],
    flaky: isInterrupted ? [] : open,
    late: [...late].flat(),
  };
}

function sameAgain(former: Tried, again: Tried): Tried | undefined {
  const worst = worstOf(former.consequences)?.kind;
  const consequences = again.consequences.filter(({ kind }) => former.consequences.some((was) => was.kind === kind));
  if (!consequences.some(({ kind }) => kind === worst)) return undefined;
  return { ...again, consequences, output: again.output.length > 0 ? again.output : former.output };
}

// Whether it was only seen while others kept the machine busy, or more runs were made at a time than there are cores.
function isCrowded(group: readonly Tried[]): boolean {
  const isHung = ({ tried, consequences }: Tried): boolean =>
    isHang(tried) && consequences.some(({ kind }) => kind === 'hung');
  return group.every((one) => one.isBusy || isHung(one));
}

/** Whether it is worse than to fail with the platform's error. */
export function isGrave({ consequences }: Tried): boolean {
  return consequences.some(({ grade }) => grade !== 'E');
}
