// The search: tries in batches, as many runs at a time as there are cores, and a rerun of what each find rests on.

import { additionOf, type Try, tryId } from '../../modules/explore/fault-kinds.js';
import { type Find, findOf, groupsOf, type Tried, worstOf } from '../../modules/explore/finds.js';
import { type Baseline, baselineOf, type Consequence, judge } from '../../modules/explore/judge.js';
import { linesAbout } from '../../modules/explore/output.js';
import { pairsOf } from '../../modules/explore/pairs.js';
import { type Declared, nameOf } from '../../modules/explore/points.js';
import { nextBatch } from '../../modules/explore/queue.js';
import { mostAtOnce } from '../../modules/explore/seen.js';
import type { Once } from './once.js';

/** What came of a try. */
export interface Result {
  tried: Try;
  outcome: 'ok' | 'found' | 'not met';
  consequences: Consequence[];
}

export interface SearchOptions {
  baseline: readonly [Once, Once];
  tries: readonly Try[];
  /** Runs the command with additions to worlds. */
  run: (worlds: Record<string, object>, limitMs: number) => Promise<Once>;
  /** 2: pairs of faults, too. */
  depth: number;
  /** Whether what others show already is tried, too. */
  full: boolean;
  declared: Declared;
  /** The time of a run with one fault. */
  limitMs: number;
  /** How many runs at a time. */
  jobs: number;
  /** Whether there is no time for another run. */
  isOver: () => boolean;
  onProgress: (progress: Progress) => void;
}

export interface Progress {
  done: number;
  all: number;
  runs: number;
  found: number;
  /** What is being done. */
  doing: string;
}

export interface Confirmed {
  find: Find;
  tried: Try;
  base: Baseline;
}

export interface Search {
  results: Result[];
  finds: Confirmed[];
  /** What was seen once and not again. */
  flaky: Confirmed[];
  notTried: Try[];
  /** Tries that others stand for, as those have shown. */
  merged: number;
  runs: number;
  /** What worlds show without faults, by their ids. */
  bases: ReadonlyMap<string, Baseline>;
}

/** A try that was run; not met: without what was seen. */
interface Ran {
  one: Try;
  tried: Tried | undefined;
  /** It takes a run of its own to tell. */
  isUnclear: boolean;
}

/** Tries all, and confirms what is found. */
export async function search({
  baseline,
  tries,
  run,
  limitMs,
  depth,
  full,
  declared,
  jobs,
  isOver,
  onProgress,
}: SearchOptions): Promise<Search> {
  const bases = new Map<string, Baseline>();
  for (const label of baseline[0].worlds.keys())
    bases.set(label, baselineOf(baseline.flatMap(({ worlds }) => worlds.get(label) ?? [])));
  const width = mostAtOnce([...baseline[0].worlds.values()]);
  const results = new Map<string, Result>();
  const found: Tried[] = [];
  const survived: Tried[] = [];
  const refusedOnce = new Set<string>();
  let runs = 0;
  let all = tries.length;
  const tell = (doing: string): void =>
    onProgress({ done: results.size, all, runs, found: groupsOf(found.filter(isGrave)).length, doing });

  const runTries = async (batch: readonly Try[]): Promise<Ran[]> => {
    runs++;
    const worlds = Object.fromEntries(batch.map((one) => [one.point.label, additionOf(one)]));
    // A client may wait as it is told to, in each of the worlds.
    const once = await run(worlds, limitMs + (batch.some(isHang) ? 0 : (batch.length - 1) * waitMs));
    const isAlone = batch.length === 1;
    return batch.map((one) => {
      const { label } = one.point;
      const seen = once.worlds.get(label);
      const base = bases.get(label) as Baseline;
      const judged = judge(one, base, seen, { ...once, labels: [...once.worlds.keys()], isAlone });
      const isHung = judged.consequences.some(({ kind }) => kind === 'hung');
      const isUnclear = !isAlone && (!judged.met || (judged.failure === 'unknown' && !isHung));
      if (seen === undefined || !judged.met) return { one, tried: undefined, isUnclear };
      const output = once.exitCode === 0 ? [] : linesAbout(once.output, label, 20);
      return { one, isUnclear, tried: { tried: one, consequences: judged.consequences, seen, output } };
    });
  };
  const note = ({ one, tried }: Ran): void => {
    const consequences = tried?.consequences ?? [];
    const outcome = tried === undefined ? 'not met' : consequences.length > 0 ? 'found' : 'ok';
    results.set(tryId(one), { tried: one, outcome, consequences });
    if (tried !== undefined && isLastOfOperation(tried)) refusedOnce.add(nameOf(one.point));
    if (tried !== undefined && consequences.length > 0) found.push(tried);
    if (tried !== undefined && !isGrave(tried)) survived.push(tried);
  };
  const tryAll = async (waiting: Try[], atOnce: number): Promise<Try[]> => {
    // What was not met beside others is tried beside others that were not, and then by itself.
    const again: Try[] = [];
    const alone: Try[] = [];
    await inParallel(atOnce, async () => {
      const from = [waiting, again].find((list) => list.length > 0);
      const batch = from === undefined ? alone.splice(0, 1) : nextBatch(from, width);
      if (batch.length === 0 || isOver()) return false;
      from?.splice(0, from.length, ...from.filter((one) => !batch.includes(one)));
      tell(batch.length === 1 ? tryId(batch[0] as Try) : `${batch.length} worlds at once`);
      for (const ran of await runTries(batch)) {
        if (!ran.isUnclear) note(ran);
        else if (from === waiting && ran.tried === undefined) again.push(ran.one);
        else alone.push(ran.one);
      }
      return true;
    });
    return [...waiting, ...again, ...alone];
  };
  const quick = await tryAll(
    tries.filter((one) => !isHang(one) && !isOutage(one)),
    jobs,
  );
  // An outage is but one 503 to a client that sends no further request of the operation after it.
  const outages = tries.filter(isOutage);
  const lasting = outages.filter(({ point }) => full || !refusedOnce.has(nameOf(point)));
  const merged = outages.length - lasting.length;
  all -= merged;
  const out = await tryAll([...lasting], jobs);
  // What hangs leaves the processors alone.
  const hanging = await tryAll(tries.filter(isHang), jobs * 3);
  // In the order of the plan, whichever run ended first.
  survived.sort((a, b) => tries.indexOf(a.tried) - tries.indexOf(b.tried));
  const pairs = depth > 1 ? pairsOf(survived, bases, declared) : [];
  all += pairs.length;
  const paired = await tryAll(pairs, jobs);
  const { finds, flaky, late } = await confirmAll(groupsOf(found), { bases, runTries, jobs, width, tell });
  for (const { tried } of late) results.set(tryId(tried), { tried, outcome: 'ok', consequences: [] });
  return {
    results: [...results.values()],
    finds,
    flaky,
    notTried: [...quick, ...out, ...hanging, ...paired],
    merged,
    runs,
    bases,
  };
}

/** Whether it was only seen while more runs were made at a time than there are cores. */
function isCrowded(group: readonly Tried[]): boolean {
  return group.every(({ tried, consequences }) => isHang(tried) && worstOf(consequences)?.kind === 'hung');
}

/** As long as a client is told to wait. */
const waitMs = 1_000;

const isOutage = ({ kind }: Try): boolean => kind.lasts === true;

function isLastOfOperation({ tried: { kind, point }, seen }: Tried): boolean {
  if (kind.id !== '503') return false;
  const last = seen.requests.filter(({ operation }) => operation === point.operation).at(-1);
  return last !== undefined && last.fault !== null;
}

const isHang = ({ stage }: Try): boolean => stage === 'hangs';

function isGrave({ consequences }: Tried): boolean {
  return consequences.some(({ grade }) => grade !== 'E');
}

interface Confirming {
  bases: ReadonlyMap<string, Baseline>;
  runTries: (batch: readonly Try[]) => Promise<Ran[]>;
  jobs: number;
  width: number;
  tell: (doing: string) => void;
}

const mostCandidates = 3;

// The mildest that shows the same again stands for its group: first worlds beside each other, then what was not seen alone.
async function confirmAll(groups: readonly Tried[][], { bases, runTries, jobs, width, tell }: Confirming) {
  const done = new Map<readonly Tried[], Tried[]>(
    groups.filter((group) => !group.some(isGrave)).map((group) => [group, [...group]]),
  );
  const waiting = new Map(
    groups.filter((group) => !done.has(group)).map((group) => [(group[0] as Tried).tried, group]),
  );
  const again = async (batch: readonly Try[], groupOf: (one: Try) => readonly Tried[] | undefined): Promise<void> => {
    tell(`once more: ${batch.map(tryId).join(', ')}`);
    for (const { one, tried } of await runTries(batch)) {
      const group = groupOf(one);
      const shown =
        tried &&
        sameAgain(
          group?.find((former) => former.tried === one),
          tried,
        );
      if (group === undefined || shown === undefined) continue;
      const place = group.findIndex((former) => former.tried === one);
      done.set(group, [shown, ...group.filter((_, index) => index > place)]);
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
  const alone = groups
    .filter((group) => !done.has(group))
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
  return {
    finds: groups.flatMap((group) => confirmedOf(done.get(group) ?? [])),
    flaky: groups.filter((group) => !done.has(group) && !isCrowded(group)).flatMap(confirmedOf),
    // More runs were made at a time than there are cores: such a run may be late because of the others.
    late: groups.filter((group) => !done.has(group) && isCrowded(group)).flat(),
  };
}

function sameAgain(former: Tried | undefined, again: Tried): Tried | undefined {
  if (former === undefined) return undefined;
  const worst = worstOf(former.consequences)?.kind;
  const consequences = again.consequences.filter(({ kind }) => former.consequences.some((was) => was.kind === kind));
  if (!consequences.some(({ kind }) => kind === worst)) return undefined;
  return { ...again, consequences, output: again.output.length > 0 ? again.output : former.output };
}

/** Does something as often as there is something to do, several at a time. */
async function inParallel(jobs: number, work: () => Promise<boolean>): Promise<void> {
  // What one has left over, another one that has ended could have taken.
  const worker = async (): Promise<void> => {
    while (await work());
  };
  await Promise.all(Array.from({ length: jobs }, worker));
}
