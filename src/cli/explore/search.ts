// The search: one queue of tries, what resembles a run that does not end last, and a rerun of what each find rests on.

import { type Baseline, baselineOf, mostOf, reactionOf } from '../../tools/explore/baseline.js';
import type { Consequence } from '../../tools/explore/consequence.js';
import { additionOf, type Try, tryId } from '../../tools/explore/fault-kinds.js';
import { groupsOf, type Tried } from '../../tools/explore/finds.js';
import { type Idle, whyIdle } from '../../tools/explore/idle-faults.js';
import { judge } from '../../tools/explore/judge.js';
import { linesAbout, sectionAbout } from '../../tools/explore/output.js';
import { createPacks, isApart } from '../../tools/explore/packs.js';
import { placesIn } from '../../tools/explore/places.js';
import type { Declared } from '../../tools/explore/points.js';
import { isOutage, isSlow, nextBatch, outagesLikeOne503, pairsOf } from '../../tools/explore/queue.js';
import { mostAtOnce } from '../../tools/explore/seen.js';
import { type Confirmed, createReruns, isGrave, isHung, type Ran } from './confirm.js';
import { inParallel } from './in-parallel.js';
import type { Once } from './once.js';
import { type RunLimit, timeOf } from './run-limit.js';

/** The result of a try. */
interface Result {
  tried: Try;
  outcome: 'ok' | 'found' | 'not met';
  consequences: Consequence[];
  /** Why its fault was not met. */
  idle?: Idle | undefined;
}

export interface SearchOptions {
  baseline: readonly [Once, Once];
  tries: readonly Try[];
  /**
   * Runs the command with additions to worlds; undefined: it was interrupted, or the time was over.
   *
   * @param isAgain it confirms what another run has shown
   */
  run: (worlds: Record<string, object>, limit: RunLimit, isAgain: boolean) => Promise<Once | undefined>;
  /** 2: pairs of faults, too. */
  depth: number;
  /** Whether what others show already is tried, too. */
  full: boolean;
  declared: Declared;
  /** Runs without faults, as those with faults are made: they say how long one may take. */
  plain: readonly Once[];
  /** How many runs at a time. */
  jobs: number;
  /** Whether there is no time for another run, if this is still to come after it. */
  isOver: (stillMs: number) => boolean;
  onProgress: (progress: Progress) => void;
}

interface Progress {
  done: number;
  all: number;
  runs: number;
  found: number;
  /** The present step. */
  doing: string;
}

export interface Search {
  results: Result[];
  finds: Confirmed[];
  /** Those of them that were not tried again, because there was no time. */
  unconfirmed: Confirmed[];
  /** Finds that were seen once and not again. */
  flaky: Confirmed[];
  notTried: Try[];
  /** Tries that others stand for, as those have shown. */
  merged: number;
  runs: number;
  /** The figures of worlds without faults, by their ids. */
  bases: ReadonlyMap<string, Baseline>;
}

/** Runs that only wait leave the cores free. */
const moreOfWaiting = 3;

/** Tries all, and confirms what is found. */
export async function search(options: SearchOptions): Promise<Search> {
  const { baseline, tries, plain, depth, full, declared, jobs, isOver, onProgress } = options;
  const width = mostAtOnce([...baseline[0].worlds.values()]);
  const { bases, runTries, runs } = runnerOf(options);
  const results = new Map<string, Result>();
  const found: Tried[] = [];
  const survived: Tried[] = [];
  const packs = createPacks(depth > 1);
  /** Tries that were not clear beside others; those of `alone` are tried by themselves. */
  const doubted = new Set<Try>();
  const alone = new Set<Try>();
  let isStopped = false;
  let planned = [...tries];
  let merged: Try[] = [];
  const graveGroups = (): Tried[][] => groupsOf(inOrderOf(planned, found.filter(isGrave)));
  const tell = (doing: string): void =>
    onProgress({
      done: results.size,
      all: planned.length - merged.length,
      runs: runs(),
      found: graveGroups().length,
      doing,
    });
  const usualMs = 1_000 * Math.max(0, ...plain.map(({ seconds }) => seconds));
  const reruns = createReruns({ runTries: (batch) => runTries(batch, true), jobs, moreOfWaiting, width, tell });

  const note = ({ one, tried, idle }: Ran): void => {
    const consequences = tried?.consequences ?? [];
    const outcome = tried === undefined ? 'not met' : consequences.length > 0 ? 'found' : 'ok';
    results.set(tryId(one), { tried: one, outcome, consequences, idle });
    if (consequences.length > 0) packs.note(one);
    if (tried !== undefined && consequences.length > 0) found.push(tried);
    if (tried !== undefined && !isGrave(tried)) survived.push(tried);
  };
  const isHarmless = (ran: Ran, members: readonly Try[]): ran is Ran & { tried: Tried } =>
    !ran.isUnclear &&
    ran.tried?.consequences.length === 0 &&
    isApart(members, ran.tried.seen, bases.get(ran.one.point.label) as Baseline);

  // What a run showed; returns the tries that have to be made again.
  const takeIn = (came: readonly Ran[]): Try[] =>
    came.flatMap((ran) => {
      const members = packs.membersOf(ran.one);
      if (members.length > 1) {
        if (isHarmless(ran, members)) {
          for (const one of members) note({ ...ran, one, tried: { ...ran.tried, tried: one } });
          return [];
        }
        // The client went on after all faults but this one.
        for (const one of members) if (one.point.operation === ran.lastMet) packs.note(one);
      } else if (!ran.isUnclear) {
        note(ran);
        return [];
      } else if (doubted.has(ran.one) || ran.tried !== undefined) alone.add(ran.one);
      for (const one of members) doubted.add(one);
      return [...members];
    });
  const batchOf = (waiting: readonly Try[], most: number): Try[] => {
    const [first] = waiting;
    if (first === undefined || alone.has(first)) return waiting.slice(0, 1);
    const fresh = waiting.filter((one) => !doubted.has(one));
    const batch = nextBatch(
      waiting.filter((one) => !alone.has(one)),
      most,
    );
    return batch.map((one) => (doubted.has(one) ? one : packs.packOf(one, fresh)));
  };
  const tryAll = async (queue: Try[], { atOnce, most, onHung }: TryingOptions): Promise<void> => {
    await inParallel(atOnce, () => {
      if (queue.length === 0 || isStopped || isOver(reruns.msFor(graveGroups(), usualMs))) return undefined;
      const batch = batchOf(queue, most);
      const taken = new Set(batch.flatMap(packs.membersOf));
      queue.splice(0, queue.length, ...queue.filter((one) => !taken.has(one)));
      tell(batch.length === 1 ? tryId(batch[0] as Try) : `${batch.length} worlds at once`);
      return runTries(batch, false).then((came) => {
        isStopped ||= came === undefined;
        queue.push(...takeIn(came ?? []));
        for (const { tried } of came ?? []) if (tried !== undefined && isHung(tried)) onHung(tried.tried);
      });
    });
  };
  // Plans the pairs that follow from what has been tried since.
  const morePairs = (): Try[] => {
    if (depth === 1) return [];
    const known = new Set(planned.map(tryId));
    const pairs = pairsOf(inOrderOf(planned, survived), declared).filter((one) => !known.has(tryId(one)));
    planned = [...planned, ...pairs];
    return pairs;
  };

  // A client may wait long for a deployment that fails: nothing is to wait for that in the end.
  const quick = tries
    .filter((one) => !isSlow(one) && !isOutage(one))
    .sort((a, b) => Number(isDeployment(b)) - Number(isDeployment(a)));
  const slow = tries.filter(isSlow);
  const later = (one: Try): void => {
    const like = quick.filter((other) => isLike(other, one));
    quick.splice(0, quick.length, ...quick.filter((other) => !like.includes(other)));
    slow.push(...like);
  };
  const ofQuick: TryingOptions = { atOnce: jobs, most: Infinity, onHung: later };
  const ofSlow: TryingOptions = { atOnce: moreOfWaiting * jobs, most: width, onHung: () => {} };
  await tryAll(quick, ofQuick);
  // If the client sends no further request after a single 503, an outage is but that to it.
  merged = full ? [] : outagesLikeOne503(tries, survived.concat(found));
  quick.push(...tries.filter((one) => isOutage(one) && !merged.includes(one)));
  quick.push(...morePairs());
  await tryAll(quick, ofQuick);
  await reruns.confirm(graveGroups().filter(([first]) => first !== undefined && !isHung(first)));
  await tryAll(slow, ofSlow);
  await tryAll(morePairs(), ofQuick);
  const groups = groupsOf(inOrderOf(planned, found));
  await reruns.confirm(groups.filter((group) => group.some(isGrave)));
  return {
    results: [...results.values()],
    ...reruns.resultOf(groups, bases),
    notTried: planned.filter((one) => !results.has(tryId(one)) && !merged.includes(one)),
    merged: merged.length,
    runs: runs(),
    bases,
  };
}

interface TryingOptions {
  /** How many runs at a time. */
  atOnce: number;
  /** How many worlds have a fault in a run. */
  most: number;
  /** Hears of a try after which the client did not end. */
  onHung: (one: Try) => void;
}

// Makes runs, and judges what their worlds show.
function runnerOf({ baseline, run, plain }: SearchOptions) {
  const bases = new Map<string, Baseline>();
  for (const label of baseline[0].worlds.keys())
    bases.set(label, baselineOf(baseline.flatMap(({ worlds }) => worlds.get(label) ?? [])));
  const mostIn = (id: string): number => 2 * mostOf(bases.get(id)?.total ?? Infinity);
  const mostRequests = mostOf([...bases.values()].reduce((sum, { total }) => sum + total, 0));
  let runs = 0;
  const runTries = async (batch: readonly Try[], isAgain: boolean): Promise<Ran[] | undefined> => {
    const worlds = Object.fromEntries(batch.map((one) => [one.point.label, additionOf(one)]));
    const once = await run(worlds, { ...timeOf(plain, batch.length), mostRequests, mostIn }, isAgain);
    if (once === undefined) return undefined;
    runs++;
    const isAlone = batch.length === 1;
    return batch.map((one) => {
      const { label } = one.point;
      const seen = once.worlds.get(label);
      const base = bases.get(label) as Baseline;
      const judged = judge(one, base, seen, { ...once, labels: [...once.worlds.keys()], isAlone });
      const isUnclear = !isAlone && (!judged.met || (judged.failure === 'unknown' && !isHung(judged)));
      const lastMet = seen?.requests.findLast(({ fault }) => fault !== null)?.operation;
      if (seen === undefined || !judged.met)
        return { one, tried: undefined, isUnclear, lastMet, idle: whyIdle(one, seen) };
      const { consequences, failure } = judged;
      const output = failure === 'none' ? [] : linesAbout(once.output, label, 20);
      const places = failure === 'none' ? [] : placesIn(sectionAbout(once.output, label));
      return {
        one,
        isUnclear,
        lastMet,
        tried: { tried: one, consequences, seen, reaction: reactionOf(seen, base), output, places },
      };
    });
  };
  return { bases, runTries, runs: () => runs };
}

// In the order of the plan, whichever run ended first: the first of a group gives its finding the name.
function inOrderOf(planned: readonly Try[], tried: readonly Tried[]): Tried[] {
  const places = new Map(planned.map((one, index) => [one, index]));
  return [...tried].sort((a, b) => (places.get(a.tried) ?? 0) - (places.get(b.tried) ?? 0));
}

// After what a client does not end, it may not end after this either: in the same world, a fault of the same operation, or
// another one that lasts.
function isLike({ point, kind }: Try, hung: Try): boolean {
  if (point.label !== hung.point.label) return false;
  return point.operation === hung.point.operation || (kind.lasts !== undefined && hung.kind.lasts !== undefined);
}

const isDeployment = ({ stage }: Try): boolean => stage === 'deployments';
