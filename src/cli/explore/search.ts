// The search: tries in batches, as many runs at a time as there are cores, and a rerun of what each find rests on.

import { type Baseline, baselineOf, mostOf, reactionOf } from '../../modules/explore/baseline.js';
import type { Consequence } from '../../modules/explore/consequence.js';
import { additionOf, type Try, tryId } from '../../modules/explore/fault-kinds.js';
import { groupsOf, type Tried } from '../../modules/explore/finds.js';
import { judge } from '../../modules/explore/judge.js';
import { linesAbout } from '../../modules/explore/output.js';
import { createPacks, isApart } from '../../modules/explore/packs.js';
import type { Declared } from '../../modules/explore/points.js';
import { isHang, nextBatch, pairsOf } from '../../modules/explore/queue.js';
import { mostAtOnce } from '../../modules/explore/seen.js';
import { type Confirmed, confirmAll, isGrave, isHung, type Ran } from './confirm.js';
import { leastLimitMs } from './given.js';
import { createJobs } from './jobs.js';
import type { Once } from './once.js';
import { createOutages, isOutage } from './outages.js';
import { createPace, inParallel } from './pace.js';
import type { RunLimit } from './run-limit.js';

/** The result of a try. */
interface Result {
  tried: Try;
  outcome: 'ok' | 'found' | 'not met';
  consequences: Consequence[];
}

export interface SearchOptions {
  baseline: readonly [Once, Once];
  tries: readonly Try[];
  /**
   * Runs the command with additions to worlds; undefined: it was interrupted, as all that follow are.
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
  /** How many runs at a time, at first. */
  jobs: number;
  /** How many were asked for. */
  askedJobs: number | undefined;
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
  /** Those of them that were not tried again, because the search was interrupted before. */
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

const mostHanging = 24;
const mostEarly = 2;

/** Tries all, and confirms what is found. */
export async function search({
  baseline,
  tries,
  run,
  plain,
  depth,
  full,
  declared,
  jobs: firstJobs,
  askedJobs,
  isOver,
  onProgress,
}: SearchOptions): Promise<Search> {
  const bases = new Map<string, Baseline>();
  for (const label of baseline[0].worlds.keys())
    bases.set(label, baselineOf(baseline.flatMap(({ worlds }) => worlds.get(label) ?? [])));
  const width = mostAtOnce([...baseline[0].worlds.values()]);
  const results = new Map<string, Result>();
  const firstFinds: Tried[] = [];
  const survived: Tried[] = [];
  /** Worlds that did not end after some fault. */
  const endless = new Set<string>();
  /** Runs that confirm the first of them: they take longest, and mostly wait. */
  const early = new Map<Try, Promise<Ran[] | undefined>>();
  const mostIn = (id: string): number => 2 * mostOf(bases.get(id)?.total ?? Infinity);
  const mostRequests = mostOf([...bases.values()].reduce((sum, { total }) => sum + total, 0));
  const pace = createPace(plain, leastLimitMs);
  const jobs = createJobs(firstJobs, askedJobs);
  const packs = createPacks(depth > 1);
  const outages = createOutages(tries, full);
  let runs = 0;
  let all = tries.length;
  const tell = (doing: string): void =>
    onProgress({
      done: results.size,
      all: all - outages.merged(),
      runs,
      found: groupsOf(firstFinds.filter(isGrave)).length,
      doing,
    });

  // The budget is for both: the time that the reruns of what is found so far will take.
  const confirmingMs = (): number => {
    const graves = groupsOf(firstFinds.filter(isGrave));
    return (runsToConfirm(graves, width) * pace.longestMs()) / jobs.now();
  };

  const runTries = async (batch: readonly Try[], isAgain: boolean): Promise<Ran[] | undefined> => {
    const worlds = Object.fromEntries(batch.map((one) => [one.point.label, additionOf(one)]));
    const limit = { ...pace.limit(batch.length, isAgain), mostRequests, mostIn };
    const once = await run(worlds, limit, isAgain);
    if (once === undefined) return undefined;
    runs++;
    jobs.note(once.seconds);
    if (!batch.some(isHang) && !once.isTimeout) pace.note(once);
    const isAlone = batch.length === 1;
    return batch.map((one) => {
      const { label } = one.point;
      const seen = once.worlds.get(label);
      const base = bases.get(label) as Baseline;
      const judged = judge(one, base, seen, { ...once, labels: [...once.worlds.keys()], isAlone });
      const isUnclear = !isAlone && (!judged.met || (judged.failure === 'unknown' && !isHung(judged)));
      const lastMet = seen?.requests.findLast(({ fault }) => fault !== null)?.operation;
      if (seen === undefined || !judged.met) return { one, tried: undefined, isUnclear, lastMet };
      const output = once.exitCode === 0 ? [] : linesAbout(once.output, label, 20);
      return {
        one,
        isUnclear,
        lastMet,
        tried: {
          tried: one,
          consequences: judged.consequences,
          seen,
          reaction: reactionOf(seen, base),
          output,
          isBusy: once.isBusy,
        },
      };
    });
  };
  const note = ({ one, tried }: Ran): void => {
    const consequences = tried?.consequences ?? [];
    const outcome = tried === undefined ? 'not met' : consequences.length > 0 ? 'found' : 'ok';
    results.set(tryId(one), { tried: one, outcome, consequences });
    outages.note(one, tried);
    if (consequences.length > 0) packs.note(one);
    if (tried !== undefined && consequences.length > 0) firstFinds.push(tried);
    if (tried !== undefined && !isGrave(tried)) survived.push(tried);
    if (tried === undefined || !isHung(tried)) return;
    endless.add(one.point.label);
    if (early.size === mostEarly) return;
    const again = runTries([one], true);
    // Whoever waits for it hears of its failure; nobody may.
    again.catch(() => {});
    early.set(one, again);
  };
  const runAgain = (batch: readonly Try[]): Promise<Ran[] | undefined> => {
    const [one] = batch;
    const begun = batch.length === 1 && one !== undefined ? early.get(one) : undefined;
    if (begun === undefined || one === undefined) return runTries(batch, true);
    early.delete(one);
    return begun;
  };
  const isHarmless = (ran: Ran, members: readonly Try[]): ran is Ran & { tried: Tried } =>
    !ran.isUnclear &&
    ran.tried?.consequences.length === 0 &&
    isApart(members, ran.tried.seen, bases.get(ran.one.point.label) as Baseline);
  // The others of its run would wait for it, and be tried again.
  const isLong = (one: Try): boolean =>
    isHang(one) || one.kind.mode === 'timeout' || (one.kind.lasts !== undefined && endless.has(one.point.label));
  // A try whose fault was not met beside others is made again beside others like it, and then by itself.
  const again: Try[] = [];
  const alone: Try[] = [];
  /** Runs that do more than wait. */
  let underWay = 0;
  // What comes first in the first list; then what is to be tried again; then the other lists.
  const tryAll = async ([first = [], ...later]: readonly Try[][], atOnce: () => number) =>
    inParallel(atOnce, async () => {
      if (isOver(confirmingMs())) return false;
      const from = [first, again, ...later].find((list) => list.length > 0);
      const next = from === undefined ? alone.splice(0, 1) : nextBatch(from, width, isLong);
      const isNew = from !== undefined && from !== again;
      const batch = isNew ? next.map((one) => packs.packOf(one, from)) : next;
      const taken = batch.flatMap(packs.membersOf);
      if (batch.length === 0) return false;
      from?.splice(0, from.length, ...from.filter((one) => !taken.includes(one)));
      tell(batch.length === 1 ? tryId(batch[0] as Try) : `${batch.length} worlds at once`);
      const active = batch.every(isHang) ? 0 : 1;
      underWay += active;
      const came = await runTries(batch, false).finally(() => {
        underWay -= active;
      });
      if (came === undefined) {
        again.push(...taken);
        return false;
      }
      for (const ran of came) {
        const members = packs.membersOf(ran.one);
        if (members.length > 1) {
          if (isHarmless(ran, members))
            for (const one of members) note({ ...ran, one, tried: { ...ran.tried, tried: one } });
          else {
            // The client went on after all faults but this one.
            for (const one of members) if (one.point.operation === ran.lastMet) packs.note(one);
            again.push(...members);
          }
        } else if (!ran.isUnclear) note(ran);
        else if (isNew && ran.tried === undefined) again.push(ran.one);
        else alone.push(ran.one);
      }
      return true;
    });
  // A client may wait long for a deployment that fails: nothing is to wait for that in the end.
  const quick = tries
    .filter((one) => !isHang(one) && !isOutage(one))
    .sort((a, b) => Number(isDeployment(b)) - Number(isDeployment(a)));
  const hanging = tries.filter(isHang);
  // Tries that hang leave the processors free, so more of them run at a time: when no other runs, whose waits they would stretch
  // as they start.
  const waitingJobs = (): number => Math.max(jobs.now(), Math.min(firstJobs * 3, mostHanging));
  const areOnlyHangsLeft = (): boolean => underWay + quick.length + again.length + outages.ready.length === 0;
  await tryAll([quick, outages.ready, hanging], () => (areOnlyHangsLeft() ? waitingJobs() : jobs.now()));
  inOrderOf(tries, survived);
  const pairs = depth > 1 ? pairsOf(survived, declared) : [];
  all += pairs.length;
  const planned = [...tries, ...pairs];
  await tryAll([pairs], jobs.now);
  inOrderOf(planned, firstFinds);
  const { finds, unconfirmed, flaky, late } = await confirmAll(groupsOf(firstFinds), {
    bases,
    runTries: runAgain,
    jobs: jobs.now,
    waitingJobs,
    width,
    tell,
  });
  await Promise.allSettled(early.values());
  for (const { tried } of late) results.set(tryId(tried), { tried, outcome: 'ok', consequences: [] });
  return {
    results: [...results.values()],
    finds: [...finds, ...unconfirmed],
    unconfirmed,
    flaky,
    notTried: [...quick, ...again, ...alone, ...outages.waiting, ...outages.ready, ...hanging, ...pairs],
    merged: outages.merged(),
    runs,
    bases,
  };
}

// In the order of the plan, whichever run ended first: the first of a group gives its finding the name.
function inOrderOf(planned: readonly Try[], tried: Tried[]): void {
  const places = new Map(planned.map((one, index) => [one, index]));
  tried.sort((a, b) => (places.get(a.tried) ?? 0) - (places.get(b.tried) ?? 0));
}

// A run repeats one find in each world, and at most as many hangs as worlds are in use at the same time.
function runsToConfirm(groups: readonly Tried[][], width: number): number {
  const finds = groups.flatMap(([first]) => first?.tried ?? []);
  const byWorld = new Map<string, number>();
  for (const { point } of finds) byWorld.set(point.label, (byWorld.get(point.label) ?? 0) + 1);
  return Math.max(0, ...byWorld.values()) + Math.ceil(finds.filter(isHang).length / width);
}

const isDeployment = ({ stage }: Try): boolean => stage === 'deployments';
