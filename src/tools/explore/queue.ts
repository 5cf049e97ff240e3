// The tries and their order: one point of a class, those beside an incident first, worlds beside each other in one run, hangs
// last, each find once more, and pairs after single faults.

import { hashSecret } from '../../core/random.js';
import { countsOf } from './baseline.js';
import { isOtherwise, stages, type Try, triesAt, tryId } from './fault-kinds.js';
import { groupsOf, type Tried, worstOf } from './finds.js';
import type { Idle } from './idle-faults.js';
import { type Declared, nameOf, type Point, pointsIn } from './points.js';

export interface Plan {
  tries: Try[];
  /** Tries that are left out because another one represents them. */
  merged: number;
}

/** Whether the client waits for a response that never comes. */
export const isHang = ({ stage }: Try): boolean => stage === 'hangs';

/**
 * The tries of all points. Of points that are alike in one world the first is tried; those that are alike in different
 * worlds are tried later than the first of them, as their tests may use other code.
 *
 * @param modes failure modes in groups of those that look alike to a client, of which the first is tried
 * @param full each point is tried, and each mode
 */
export function planOf(points: readonly Point[], modes: readonly (readonly string[])[], full: boolean): Plan {
  const tried = full ? modes.flat() : modes.flatMap(([mode]) => mode ?? []);
  const own = new Set<string>();
  const anywhere = new Set<string>();
  const first: Try[] = [];
  const later: Try[] = [];
  let merged = 0;
  for (const point of points) {
    const key = `${point.label}\n${point.alike}`;
    // A failure after the client's last poll is the same to it as any other.
    const seenModes = point.hasDeployed || full ? tried : tried.slice(0, 1);
    const all = triesAt(point, seenModes);
    const tries = full
      ? all
      : all.filter((one) => one.kind.isAlike !== true && isFirst(one.kind.isForAll === true ? anywhere : own, one));
    merged +=
      all.length -
      tries.length +
      (all.some(({ kind }) => kind.mode !== undefined) ? modes.flat().length - seenModes.length : 0);
    if (own.has(key) && !full) {
      merged += tries.length;
      continue;
    }
    own.add(key);
    // A client that waits for ever in one world does so in the others.
    if (!anywhere.has(point.alike)) first.push(...tries);
    else {
      const quick = full ? tries : tries.filter((one) => !isHang(one));
      later.push(...quick);
      merged += tries.length - quick.length;
    }
    anywhere.add(point.alike);
  }
  const tries = [...inOrder(first), ...inOrder(later)];
  return { tries: [...tries.filter((one) => !isHang(one)), ...tries.filter(isHang)], merged };
}

/** Kinds of which one is enough for each operation in a world. */
const onceOnly: readonly string[] = ['hang', 'unheard', 'unusual'];

// An outage that begins later is a part of the first one, and a client that waits for ever for one answer of an
// operation does so for the next one.
function isFirst(seen: Set<string>, { kind, point: { label, operation } }: Try): boolean {
  if (kind.lasts === undefined && !onceOnly.includes(kind.id)) return true;
  // A run for this fault alone: one for each operation is enough.
  const key = [kind.isForAll === true ? '' : label, operation, kind.id].join('\n');
  if (seen.has(key)) return false;
  seen.add(key);
  return true;
}

// A client that was mended for an incident is likeliest to fail beside it.
function inOrder(tries: readonly Try[]): Try[] {
  const rankOf = ({ stage, point }: Try): number => stages.indexOf(stage) + (point.isBesideFault ? 0 : stages.length);
  return [...tries].sort((a, b) => rankOf(a) - rankOf(b));
}

/** Some tries, in their order: which ones the seed decides. */
export function drawn(tries: readonly Try[], count: number, seed: string): Try[] {
  const lot = (one: Try): string => hashSecret(`${seed}\n${tryId(one)}`);
  const first = new Set(
    tries
      .map((one) => [lot(one), one] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .slice(0, count)
      .map(([, one]) => one),
  );
  return tries.filter((one) => first.has(one));
}

/** Whether the client waits long: for a response that never comes, or for a deployment that times out. */
export const isSlow = (one: Try): boolean => isHang(one) || one.kind.mode === 'timeout';

/** Whether each request of an operation is refused from one on. */
const isOutage = ({ kind }: Try): boolean => kind.id === 'outage';

/** Many clients give up after 30 s: of such a one nobody may say that it never ends. */
export const usualTimeoutMs = 32_000;

/** A run of the command with faults in its worlds. */
export interface Run {
  /** At most one try for each world. */
  batch: readonly Try[];
  /** It is to show once more what another run has shown. */
  isAgain: boolean;
}

/** What a run showed of a try; without what was seen if the fault met no request. */
export interface Ran {
  one: Try;
  tried: Tried | undefined;
  /** Only a run of its own can tell. */
  isUnclear: boolean;
  /** It was the only try of its run. */
  isAlone: boolean;
  /** Why its fault was not met. */
  idle?: Idle;
}

/** All that is known of the tries: what to do next follows from it. */
export interface Known {
  planned: readonly Try[];
  /** What came of each try, by its id, and what was seen when it was made once more. */
  first: ReadonlyMap<string, readonly Ran[]>;
  again: ReadonlyMap<string, readonly Ran[]>;
  underWay: readonly Run[];
  /** How long there may still be runs. */
  leftMs: number;
}

export interface Bounds {
  /** How many runs at a time. */
  jobs: number;
  /** How many worlds the command uses at the same time. */
  width: number;
  /** Whether what others show already is tried, too. */
  full: boolean;
  /** What a run without faults takes. */
  usualMs: number;
  /** Each try is made so often, and nothing once more: who does not do the same in each run shows little in one. */
  repeat?: number;
}

/** Runs that only wait leave the cores free. */
const moreOfWaiting = 3;
/** How many of the tries of a finding are made once more, until one shows it again. */
const mostCandidates = 3;

/**
 * The next run; undefined: none now, and none at all if nothing is under way. First comes what a client ends, then outages,
 * then what it may wait long for, which others would have to wait for, too. In the end each finding is seen once more, with no
 * run beside it: a machine that is busy may show what the client does not do.
 */
export function next(known: Known, bounds: Bounds): Run | undefined {
  const { jobs, width, full, repeat } = bounds;
  const { planned, again, underWay, leftMs } = known;
  if (leftMs <= 0) return undefined;
  const busy = new Set(underWay.flatMap(({ batch }) => batch));
  const groups = repeat === undefined ? groupsKnown(known).filter((group) => isOpen(group, again)) : [];
  const candidates = groups.flatMap((group) =>
    group.some(({ tried }) => busy.has(tried)) ? [] : (candidatesOf(group, again)[0] ?? []),
  );
  const hasTime = leftMs > confirmingMs(groups, bounds);
  const hungs = settledIn(known.first).filter(isHung);
  const timesOf = (one: Try): number => known.first.get(tryId(one))?.length ?? 0;
  const isMade = (one: Try): boolean =>
    repeat === undefined ? settledRan(known.first, one) !== undefined : timesOf(one) >= repeat;
  const isLong = (one: Try): boolean => isSlow(one) || hungs.some(({ tried }) => isLike(one, tried));
  const open = hasTime
    ? planned.filter((one) => !busy.has(one) && !isMade(one)).sort((a, b) => timesOf(a) - timesOf(b))
    : [];
  // No run of a try says how the next one is to be made, where each is made several times.
  const first = repeat === undefined ? known.first : new Map<string, readonly Ran[]>();
  const merged = new Set(mergedOutages(known, full));
  const steps = [
    { waiting: open.filter((one) => !isLong(one) && !isOutage(one)), ran: first, atOnce: jobs },
    { waiting: open.filter((one) => !isLong(one) && !merged.has(one)), ran: first, atOnce: jobs },
    { waiting: open.filter((one) => !merged.has(one)), ran: first, atOnce: moreOfWaiting * jobs, most: width },
    { waiting: candidates.filter((one) => !waits(one)).map(({ tried }) => tried), ran: again, atOnce: 1 },
    { waiting: candidates.map(({ tried }) => tried), ran: again, atOnce: moreOfWaiting * jobs, most: width },
  ];
  for (const { waiting, ran, atOnce, most = Infinity } of steps) {
    if (waiting.length > 0)
      return underWay.length < atOnce ? { batch: batchOf(waiting, most, ran), isAgain: ran === again } : undefined;
    // What comes next follows from what this shows.
    if (underWay.length > 0) return undefined;
  }
  return undefined;
}

// The first try that waits, and one for each other world; those that were unclear come last, and in the end by themselves.
function batchOf(waiting: readonly Try[], most: number, ran: Known['first']): Try[] {
  const timesOf = (one: Try): number => ran.get(tryId(one))?.length ?? 0;
  const isAlone = (one: Try): boolean => {
    const runs = ran.get(tryId(one)) ?? [];
    return runs.length > 1 || runs.some(({ tried }) => tried !== undefined);
  };
  const sorted = [...waiting].sort((a, b) => timesOf(a) - timesOf(b));
  const [head] = sorted;
  if (head === undefined || isAlone(head)) return sorted.slice(0, 1);
  return nextBatch(
    sorted.filter((one) => !isAlone(one)),
    most,
  );
}

/**
 * The first try that waits, and one for each other world.
 *
 * @param most how many: where the client waits long, no more than the worlds that the command uses at the same time, as the
 *   others would wait for it
 */
export function nextBatch(waiting: readonly Try[], most: number): Try[] {
  const batch = new Map<string, Try>();
  const [head] = waiting;
  if (head?.kind.isForAll === true) return [head];
  for (const one of waiting) {
    if (batch.size >= most) break;
    if (!batch.has(one.point.label) && one.kind.isForAll !== true) batch.set(one.point.label, one);
  }
  return [...batch.values()];
}

/** What came of a try in the end; undefined: nothing that is clear yet. */
export function settledRan(first: Known['first'], one: Try): Ran | undefined {
  return first.get(tryId(one))?.find(({ isUnclear }) => !isUnclear);
}

const settledIn = (first: Known['first']): Tried[] =>
  [...first.values()].flatMap((runs) => runs.find(({ isUnclear }) => !isUnclear)?.tried ?? []);

/** The tries with consequences, in groups of those that show the same. */
export function groupsKnown({ planned, first }: Pick<Known, 'planned' | 'first'>): Tried[][] {
  // In the order of the plan, whichever run ended first: the first of a group gives its finding the name.
  return groupsOf(planned.flatMap((one) => settledRan(first, one)?.tried ?? []));
}

/** The outages that a single 503 has shown already: the client sends no other request of the operation after it. */
export function mergedOutages({ planned, first }: Pick<Known, 'planned' | 'first'>, full: boolean): Try[] {
  if (full) return [];
  const ended = settledIn(first).filter(({ tried: { kind, point, first: before }, seen }) => {
    if (kind.id !== '503' || before !== undefined) return false;
    return seen.requests.findLast(({ operation }) => operation === point.operation)?.fault != null;
  });
  const names = new Set(ended.map(({ tried }) => nameOf(tried.point)));
  return planned.filter((one) => isOutage(one) && names.has(nameOf(one.point)));
}

/** Whether a find that counts was not seen again yet. */
function isOpen(group: readonly Tried[], again: Known['again']): boolean {
  return group.some(isGrave) && !group.some((one) => shownAgain(one, again) !== undefined);
}

/** What a try has shown once more. */
function shownAgain(former: Tried, again: Known['again']): Tried | undefined {
  const runs = again.get(tryId(former.tried)) ?? [];
  return runs
    .flatMap(({ tried, isUnclear }) => (tried === undefined || isUnclear ? [] : (sameAgain(former, tried) ?? [])))
    .at(0);
}

// What a run of its own did not show again is not made once more.
function candidatesOf(group: readonly Tried[], again: Known['again']): Tried[] {
  return group
    .slice(0, mostCandidates)
    .filter(({ tried }) => again.get(tryId(tried))?.some(({ isAlone }) => isAlone) !== true);
}

// The time that it takes to see open finds once more, about.
function confirmingMs(groups: readonly Tried[][], { jobs, width, usualMs }: Bounds): number {
  const finds = groups.flatMap(([one]) => one ?? []);
  const ofWorlds = countsOf(finds.filter((one) => !waits(one)).map(({ tried }) => tried.point.label));
  const waiting = Math.ceil(finds.filter(waits).length / (moreOfWaiting * jobs * width));
  return waiting * usualTimeoutMs + Math.max(0, ...ofWorlds.values()) * usualMs;
}

function sameAgain(former: Tried, again: Tried): Tried | undefined {
  const worst = worstOf(former.consequences)?.grade;
  const consequences = again.consequences.filter(({ kind }) => former.consequences.some((was) => was.kind === kind));
  if (!consequences.some(({ grade }) => grade === worst)) return undefined;
  const { output, places } = again.output.length > 0 ? again : former;
  return { ...again, consequences, output, places };
}

/** Tries that show the same: first the mildest one that was seen again, if any was. */
export interface Shown {
  group: readonly Tried[];
  /** `unconfirmed`: there was no time to see it again; `flaky`: it was not there again. */
  is: 'seen again' | 'unconfirmed' | 'flaky';
}

/** What was found in the end. */
export function shownIn(known: Pick<Known, 'planned' | 'first' | 'again'>): Shown[] {
  const { again } = known;
  return groupsKnown(known).map((group): Shown => {
    if (!group.some(isGrave)) return { group, is: 'seen again' };
    const place = group.findIndex((one) => shownAgain(one, again) !== undefined);
    const [first, ...others] = group.slice(Math.max(0, place)) as [Tried, ...Tried[]];
    if (place !== -1) return { group: [shownAgain(first, again) ?? first, ...others], is: 'seen again' };
    return {
      group,
      is: candidatesOf(group, again).length < Math.min(group.length, mostCandidates) ? 'flaky' : 'unconfirmed',
    };
  });
}

/** Whether the client never ended. */
export function isHung({ consequences }: Pick<Tried, 'consequences'>): boolean {
  return consequences.some(({ kind }) => kind === 'hung');
}

/** Whether it is worse than to fail with the platform's error. */
export function isGrave({ consequences }: Tried): boolean {
  return consequences.some(({ grade }) => grade !== 'E');
}

const waits = (one: Tried): boolean => isHung(one) || isSlow(one.tried);

// After what a client does not end, it may not end after this either: in the same world, a fault of the same operation, or
// another one that lasts.
function isLike({ point, kind }: Try, hung: Try): boolean {
  if (point.label !== hung.point.label) return false;
  return point.operation === hung.point.operation || (kind.lasts !== undefined && hung.kind.lasts !== undefined);
}

/** Stages that are not tried as a second fault: they last, take long, or end the client's work. */
const single: readonly Try['stage'][] = ['errors', 'deployments', 'outages', 'hangs'];

/**
 * The pairs that follow from what clients did after one fault: of each class of requests in a world that came after it, one.
 *
 * @param survived the results of first faults that did no harm
 */
export function pairsOf(survived: readonly Pick<Tried, 'tried' | 'seen'>[], declared: Declared): Try[] {
  const classes = new Set<string>();
  return survived.flatMap(({ tried, seen }) => {
    if (tried.kind.lasts !== undefined || tried.kind.mode !== undefined || isOtherwise(tried.kind)) return [];
    const met = seen.requests.findIndex(({ fault }) => fault !== null);
    return pointsIn(seen, declared).flatMap((point) => {
      const key = `${point.label}\n${point.alike}`;
      if (met === -1 || point.index < met || classes.has(key)) return [];
      classes.add(key);
      return triesAt(point, [])
        .filter(({ stage, kind }) => !single.includes(stage) && kind.isAlike !== true && !isOtherwise(kind))
        .map((second): Try => ({ ...second, first: tried }));
    });
  });
}
