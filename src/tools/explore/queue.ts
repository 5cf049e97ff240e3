// The tries and their order: one point of a class, worlds beside each other in one run, hangs last, and pairs after single
// faults.

import { hashSecret } from '../../core/random.js';
import { isOtherwise, stages, type Try, triesAt, tryId } from './fault-kinds.js';
import type { Tried } from './finds.js';
import { type Declared, nameOf, type Point, pointsIn } from './points.js';

export interface Plan {
  tries: Try[];
  /** Tries that are left out because another one represents them. */
  merged: number;
  /** Points that are represented by another one. */
  mergedPoints: number;
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
  let mergedPoints = 0;
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
      mergedPoints++;
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
  return { tries: [...tries.filter((one) => !isHang(one)), ...tries.filter(isHang)], merged, mergedPoints };
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

function inOrder(tries: readonly Try[]): Try[] {
  return [...tries].sort((a, b) => stages.indexOf(a.stage) - stages.indexOf(b.stage));
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
export const isOutage = ({ kind }: Try): boolean => kind.id === 'outage';

/** The outages at requests after which, refused with a single 503, the client sends no other of the operation. */
export function outagesLikeOne503(tries: readonly Try[], results: readonly Pick<Tried, 'tried' | 'seen'>[]): Try[] {
  const ended = results.filter(({ tried: { kind, point, first }, seen }) => {
    if (kind.id !== '503' || first !== undefined) return false;
    return seen.requests.findLast(({ operation }) => operation === point.operation)?.fault != null;
  });
  const names = new Set(ended.map(({ tried }) => nameOf(tried.point)));
  return tries.filter((one) => isOutage(one) && names.has(nameOf(one.point)));
}

/**
 * The next run: the first try that waits, and one for each other world.
 *
 * @param most how many: where the client waits long, no more than the worlds that the command uses at the same time, as the
 *   others would wait for it
 */
export function nextBatch(waiting: readonly Try[], most: number): Try[] {
  const batch = new Map<string, Try>();
  const [next] = waiting;
  if (next?.kind.isForAll === true) return [next];
  for (const one of waiting) {
    if (batch.size >= most) break;
    if (!batch.has(one.point.label) && one.kind.isForAll !== true) batch.set(one.point.label, one);
  }
  return [...batch.values()];
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
