// The search: one queue of tries, of which one function says what comes next, and one loop that runs it.

import { counted } from '../../core/words.js';
import { type Baseline, baselineOf, mostOf, reactionOf } from '../../tools/explore/baseline.js';
import { additionOf, type Try, tryId } from '../../tools/explore/fault-kinds.js';
import { findOf, type Tried } from '../../tools/explore/finds.js';
import { whyIdle } from '../../tools/explore/idle-faults.js';
import { judge } from '../../tools/explore/judge.js';
import { linesAbout, sectionAbout } from '../../tools/explore/output.js';
import { placesIn } from '../../tools/explore/places.js';
import type { Declared } from '../../tools/explore/points.js';
import {
  type Bounds,
  groupsKnown,
  isGrave,
  isHung,
  mergedOutages,
  next,
  pairsOf,
  type Ran,
  type Run,
  settledRan,
  shownIn,
} from '../../tools/explore/queue.js';
import { mostAtOnce } from '../../tools/explore/seen.js';
import type { Once } from './once.js';
import { type RunLimit, timeOf } from './run-limit.js';

export interface SearchOptions {
  baseline: readonly [Once, Once];
  tries: readonly Try[];
  /**
   * Runs the command with additions to worlds; undefined: it was interrupted, or the time was over.
   *
   * @param isAgain it is to show once more what another run has shown
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
  /** How long there may still be runs; 0 where it was interrupted. */
  leftMs: () => number;
  /** Hears how far it is, and what its present step is. */
  onProgress: (text: string) => void;
}

export type Search = Awaited<ReturnType<typeof search>>;

/** Tries all, and confirms what is found. */
export async function search(options: SearchOptions) {
  const { baseline, tries, plain, depth, full, declared, jobs, leftMs, onProgress } = options;
  const bases = new Map<string, Baseline>();
  for (const label of baseline[0].worlds.keys())
    bases.set(label, baselineOf(baseline.flatMap(({ worlds }) => worlds.get(label) ?? [])));
  const width = mostAtOnce([...baseline[0].worlds.values()]);
  const usualMs = 1_000 * Math.max(0, ...plain.map(({ seconds }) => seconds));
  const planned = [...tries];
  const first = new Map<string, Ran[]>();
  const again = new Map<string, Ran[]>();
  let runs = 0;
  let isWhole = true;
  const make = async (one: Run): Promise<Ran[] | undefined> => {
    const { batch, isAgain } = one;
    const doing = batch.length === 1 ? tryId(batch[0] as Try) : `${batch.length} worlds at once`;
    const done = planned.filter((each) => settledRan(first, each) !== undefined).length;
    const all = planned.length - mergedOutages({ planned, first }, full).length;
    const found = groupsKnown({ planned, first }).filter((group) => group.some(isGrave)).length;
    const sofar = `${done} of ${all} faults tried, ${counted(runs, 'run')}, ${counted(found, 'finding')}`;
    onProgress(`${sofar}: ${isAgain ? 'once more: ' : ''}${doing}`);
    const came = await ranOf(one, options, bases);
    if (came !== undefined) runs++;
    return came;
  };
  for (let more: readonly Try[] = planned; more.length > 0; ) {
    isWhole = await makeRuns({ planned, first, again, leftMs }, { jobs, width, full, usualMs }, make);
    // Pairs follow from what clients did after one fault.
    const survived = planned.flatMap((one) => settledRan(first, one)?.tried ?? []).filter((one) => !isGrave(one));
    const ids = new Set(planned.map(tryId));
    more = depth === 1 || !isWhole ? [] : pairsOf(survived, declared).filter((one) => !ids.has(tryId(one)));
    planned.push(...more);
  }
  const merged = mergedOutages({ planned, first }, full);
  const shown = shownIn({ planned, first, again }).flatMap(({ group, is }) => {
    const find = findOf(group);
    const base = bases.get(find?.label ?? '');
    return find === undefined || base === undefined ? [] : [{ find, base, tried: (group[0] as Tried).tried, is }];
  });
  return {
    /** The tries that were made. */
    results: planned.flatMap((one) => settledRan(first, one) ?? []),
    finds: shown.filter(({ is }) => is !== 'flaky'),
    /** Those of them that were not tried again, because there was no time. */
    unconfirmed: shown.filter(({ is }) => is === 'unconfirmed'),
    /** Finds that were seen once and not again. */
    flaky: shown.filter(({ is }) => is === 'flaky'),
    notTried: planned.filter((one) => settledRan(first, one) === undefined && !merged.includes(one)),
    /** Tries that others stand for, as those have shown. */
    merged: merged.length,
    runs,
    /** The figures of worlds without faults, by their ids. */
    bases,
  };
}

// Makes a run, and judges what its worlds show.
async function ranOf(
  { batch, isAgain }: Run,
  { run, plain }: SearchOptions,
  bases: ReadonlyMap<string, Baseline>,
): Promise<Ran[] | undefined> {
  const worlds = Object.fromEntries(batch.map((one) => [one.point.label, additionOf(one)]));
  const limit: RunLimit = {
    ...timeOf(plain, batch.length),
    mostRequests: mostOf([...bases.values()].reduce((sum, { total }) => sum + total, 0)),
    mostIn: (id) => 2 * mostOf(bases.get(id)?.total ?? Infinity),
  };
  const once = await run(worlds, limit, isAgain);
  if (once === undefined) return undefined;
  const isAlone = batch.length === 1;
  return batch.map((one): Ran => {
    const { label } = one.point;
    const seen = once.worlds.get(label);
    const base = bases.get(label) as Baseline;
    const judged = judge(one, base, seen, { ...once, labels: [...once.worlds.keys()], isAlone });
    const isUnclear = !isAlone && (!judged.met || (judged.failure === 'unknown' && !isHung(judged)));
    const ran = { one, isUnclear, isAlone };
    if (seen === undefined || !judged.met) return { ...ran, tried: undefined, idle: whyIdle(one, seen) };
    const { consequences, failure } = judged;
    const output = failure === 'none' ? [] : linesAbout(once.output, label, 20);
    const places = failure === 'none' ? [] : placesIn(sectionAbout(once.output, label));
    return { ...ran, tried: { tried: one, consequences, seen, reaction: reactionOf(seen, base), output, places } };
  });
}

/** What is known of tries while their runs are made. */
export interface Queue {
  planned: readonly Try[];
  first: Map<string, Ran[]>;
  again: Map<string, Ran[]>;
  leftMs: () => number;
}

/**
 * Makes the runs that come next, several at a time, and notes what each shows.
 *
 * @param make makes a run; undefined: it was interrupted, or the time was over
 * @returns false where one was
 */
export async function makeRuns(
  { leftMs, ...known }: Queue,
  bounds: Bounds,
  make: (run: Run) => Promise<readonly Ran[] | undefined>,
): Promise<boolean> {
  const underWay = new Map<Run, Promise<void>>();
  let isWhole = true;
  const note = (run: Run, came: readonly Ran[] | undefined): void => {
    if (came === undefined) isWhole = false;
    const all = run.isAgain ? known.again : known.first;
    for (const ran of came ?? []) all.set(tryId(ran.one), [...(all.get(tryId(ran.one)) ?? []), ran]);
  };
  try {
    for (;;) {
      const run = next({ ...known, underWay: [...underWay.keys()], leftMs: isWhole ? leftMs() : 0 }, bounds);
      if (run !== undefined) {
        const made = make(run).then((came) => note(run, came));
        underWay.set(
          run,
          made.finally(() => underWay.delete(run)),
        );
      } else if (underWay.size > 0) await Promise.race(underWay.values());
      else return isWhole;
    }
  } finally {
    await Promise.allSettled(underWay.values());
  }
}
