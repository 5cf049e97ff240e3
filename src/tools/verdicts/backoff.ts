// The rule that a client backs off while its requests keep failing.

import { counted } from '../../core/words.js';
import type { JournalEntry } from '../journal/journal-entry.js';
import { begunAt, failedForNow, groupedBy, keptWait, sequencesOf, waited } from './reading.js';
import { contentsOf, type Relate, relateIn } from './relations.js';
import { conclude, type Evidence, evidenceOf, type Judgement, type Rule, waitText } from './verdict.js';

const fewest = 3;
/** A wait of this length counts as backing off, whatever came before. */
const longMs = 60_000;
/** A wait this many times as long as all before it in the series, and as the next one, starts a new series. */
const forgetsAfter = 10;
const shortMs = 100;
const mostWorkers = 16;
/** Jitter is up to a quarter either way: a wait that was planned no shorter than an earlier one is at least this part of it. */
const shrunk = 0.75 / 1.25;
/** Such jitter makes one of two waits that were planned equal at most this many times as long as the other. */
const grown = 1.25 / 0.75;
/** If there are only two waits, those that double differ by more than this in spite of such jitter. */
const equal = 1.1;

/**
 * When the same request of a caller fails three times or more in a row (429, 5xx, or no answer), the waits between its
 * attempts should grow. Those fail that come at once more than once in a row, that are constant, or that fall; others that
 * do not grow, as random ones may, are unclear. A first repetition at once is left out. A success, or a wait ten times as
 * long as those around it, starts a new series. Waits that a response asked for, and the client kept, are not compared.
 */
export const backoffGrows: Rule = {
  id: 'backoff-grows',
  title: 'Waits longer after each failure',
  demands:
    'The client repeats a request that fails three or more times after increasing delays, or after the delay in Retry-After.',
  judge(records, { queryNames }): Judgement {
    const wrong: Evidence[] = [];
    const unclear: Evidence[] = [];
    let runs = 0;
    for (const sequence of sequencesOf(records)) {
      const contents = contentsOf(sequence, queryNames);
      const relate = relateIn(sequence, (entry) => contents.get(entry));

      for (const attempts of groupedBy(sequence, (entry) => contents.get(entry))) {
        if (attempts.length < fewest) continue;
        for (const { verdict, evidence } of judgeAttempts(attempts, relate)) {
          runs++;
          if (verdict === 'fail') wrong.push(evidence);
          if (verdict === 'unclear') unclear.push(evidence);
        }
      }
    }
    return conclude(
      runs,
      wrong,
      {
        none: 'No request failed three times in a row; a fault that answers the first three with a 503 shows what the client does then.',
        pass: `${counted(runs, 'request')} failed three times or more, each repeated after growing delays.`,
        fail: `Of ${counted(runs, 'request')} that kept failing, ${wrong.length} did not back off: double the delay after each failure.`,
        unclear: `Of ${counted(runs, 'request')} that kept failing, ${unclear.length} may not have backed off: the waits do not grow, but may be random, or those of several workers.`,
      },
      unclear,
    );
  },
};

interface Found {
  verdict: 'pass' | 'fail' | 'unclear';
  evidence: Evidence;
}

function judgeAttempts(attempts: readonly JournalEntry[], relate: Relate): Found[] {
  const isOneAfterTheOther = attempts.every((entry, index) => {
    const before = attempts[index - 1];
    return before === undefined || relate(before, entry) === 'after';
  });
  return isOneAfterTheOther
    ? runsOf(attempts, beginsAnew).map(judgeSequence)
    : runsOf(attempts, isLong).flatMap(judgeWorkers);
}

function judgeSequence(run: readonly JournalEntry[]): Found {
  const found = judged(run);
  if (found.verdict !== 'fail' || !run.some(hasOthers)) return found;
  // Two workers whose requests never overlap cannot be told from one; each has then tried at least twice.
  const isShared = sharedBy(run, 2)?.every(({ length }) => length > 1) === true;
  return isShared ? { ...found, verdict: 'unclear' } : found;
}

// Several workers, or requests that were planned together: judged per connection, or split among as many workers.
function judgeWorkers(run: readonly JournalEntry[]): Found[] {
  const lanes = groupedBy(run, laneOf);
  if (lanes.every(({ length }) => length === 1)) return [];
  const found = lanes.flatMap((lane) => runsOf(lane, beginsAnew)).map(judged);
  if (found.length > 0 && found.every(({ verdict }) => verdict === 'pass')) return found;
  const whole = judged(run);
  if (whole.verdict === 'pass') return [whole];
  const shares = sharedBy(run, lanes.length);
  if (shares === undefined) return [{ ...whole, verdict: 'unclear' }];
  return shares.filter(({ length }) => length >= fewest).map(judged);
}

function hasOthers({ connection }: JournalEntry): boolean {
  return (connection?.others ?? 0) > 0;
}

function laneOf({ connection }: JournalEntry): string {
  return `${connection?.number} ${connection?.openedAt}`;
}

type Splits = (wait: number, longest: number | undefined, next: number | undefined) => boolean;

/** Failures in a row, each with the attempt that ended it. */
function runsOf(attempts: readonly JournalEntry[], splits: Splits): JournalEntry[][] {
  const runs: JournalEntry[][] = [];
  let run: JournalEntry[] = [];
  let longest: number | undefined;
  const end = (): void => {
    if (run.filter(failedForNow).length >= fewest) runs.push(run);
    run = [];
    longest = undefined;
  };
  for (const [index, entry] of attempts.entries()) {
    const before = run.at(-1);
    if (before !== undefined) {
      const wait = waitBetween(before, entry);
      const next = attempts[index + 1];
      if (splits(wait, longest, next === undefined ? undefined : waitBetween(entry, next))) end();
      else longest = Math.max(wait, longest ?? 0);
    }
    if (failedForNow(entry)) run.push(entry);
    else {
      if (run.length > 0) run.push(entry);
      end();
    }
  }
  end();
  return runs;
}

// An attempt that comes after a long wait, and is itself followed by a shorter one, belongs to another series.
function beginsAnew(wait: number, longest: number | undefined, next: number | undefined): boolean {
  const others = [longest, next].filter((other) => other !== undefined);
  const isMuchMore = others.length > 0 && others.every((other) => wait > forgetsAfter * Math.max(shortMs, other));
  return isMuchMore || (wait >= longMs && next !== undefined && next < wait * shrunk);
}

function isLong(wait: number): boolean {
  return wait >= longMs;
}

function waitBetween(before: JournalEntry, after: JournalEntry): number {
  return Math.max(0, waited(before, after));
}

function judged(run: readonly JournalEntry[]): Found {
  const waits = waitsIn(run);
  const list = waits.slice(0, 8).map(waitText);
  return {
    verdict: isHeedless(run) ? 'fail' : verdictOn(waits),
    evidence: evidenceOf(
      run.at(-1) as JournalEntry,
      `${counted(run.length, 'attempt')} at the same request, with these waits: ${list.join(', ')}${waits.length > 8 ? ', …' : ''}`,
    ),
  };
}

/** Came again within a moment three times in a row although each response had asked to wait: no jitter does that. */
function isHeedless(run: readonly JournalEntry[]): boolean {
  const waits = run.slice(1).map((entry, index) => {
    const before = run[index] as JournalEntry;
    return (before.retryAfter ?? 0) > 0 && !keptWait(before, entry) ? waitBetween(before, entry) : Infinity;
  });
  return waits.some((_, from) => from + 3 <= waits.length && waits.slice(from, from + 3).every((ms) => ms < shortMs));
}

function waitsIn(run: readonly JournalEntry[]): number[] {
  return run.slice(1).flatMap((entry, index) => {
    const before = run[index];
    if (before === undefined || (before.retryAfter !== null && keptWait(before, entry))) return [];
    return [waitBetween(before, entry)];
  });
}

function verdictOn(all: readonly number[]): Found['verdict'] {
  const waits = all.map((ms) => Math.min(ms, longMs));
  if (waits.length < 2) return 'pass';
  if (comesAtOnce(waits)) return 'fail';
  // Many clients repeat once without a wait, and back off from there.
  const [first = 0, ...others] = waits;
  const rest = first < atOnceMs ? others : waits;
  if (rest.length === 1 ? (rest[0] ?? 0) >= shortMs : hasGrown(rest)) return 'pass';
  return isConstant(rest) || falls(rest) ? 'fail' : 'unclear';
}

/** A client that does not wait at all comes again within this, if the machine is not busy. */
const atOnceMs = 8;
/** Waits in a row that are all shorter than this are no chance, as they may be where the first is drawn between 0 and 100 ms. */
const inARow: readonly (readonly [waits: number, ms: number])[] = [
  [2, 5],
  [3, 20],
  [4, 60],
  [5, 100],
];

function comesAtOnce(waits: readonly number[]): boolean {
  const areShorter = (from: number, count: number, ms: number): boolean =>
    from + count <= waits.length && waits.slice(from, from + count).every((wait) => wait < ms);
  return (
    areShorter(0, 2, atOnceMs) || inARow.some(([count, ms]) => waits.some((_, from) => areShorter(from, count, ms)))
  );
}

function hasGrown(waits: readonly number[]): boolean {
  const [first = 0] = waits;
  const sorted = [...waits].sort((a, b) => a - b);
  // Such short waits may grow by chance on a busy machine.
  if ((sorted[Math.floor((sorted.length - 1) / 2)] ?? 0) < shortMs) return false;
  let longest = 0;
  for (const wait of waits) {
    if (wait < longest * shrunk) return false;
    longest = Math.max(longest, wait);
  }
  return (waits.at(-1) ?? 0) >= longMs || longest > first * (waits.length === 2 ? equal : grown);
}

/**
 * Up to which coefficient of variation so many waits are constant. Waits that are drawn between 0 and a limit that doubles
 * (full jitter) are so by chance once in 200 times at most; of two waits nothing can be said.
 */
const constant = [0, 0, 0, 0.03, 0.08, 0.172, 0.2, 0.22];
/** Waits that never fall by more than this part, and end this many times as long as they began, have reached a limit. */
const level = 0.02;
const risen = 1.25;

function isConstant(waits: readonly number[]): boolean {
  const hasReachedLimit =
    (waits.at(-1) ?? 0) > risen * (waits[0] ?? 0) &&
    waits.every((wait, index) => index === 0 || wait >= (waits[index - 1] ?? 0) * (1 - level));
  if (hasReachedLimit) return false;
  const mean = waits.reduce((sum, wait) => sum + wait, 0) / waits.length;
  const variance = waits.reduce((sum, wait) => sum + (wait - mean) ** 2, 0) / waits.length;
  return Math.sqrt(variance) < mean * (constant[Math.min(waits.length, constant.length - 1)] ?? 0);
}

const evenly = 0.02;

/** Four waits that are shorter each time, or three that are so by the same step or the same factor. */
function falls(waits: readonly number[]): boolean {
  if (waits.length < 3 || waits.some((wait, index) => index > 0 && wait >= (waits[index - 1] ?? 0))) return false;
  const [a = 0, b = 0, c = 0] = waits;
  return waits.length > 3 || isNear(a - b, b - c) || isNear(a / b, b / c);
}

const isNear = (one: number, other: number): boolean => Math.abs(one - other) <= evenly * Math.max(one, other);

/** The attempts split among this many workers, so that each of them backs off; undefined if no such split is found. */
function sharedBy(run: readonly JournalEntry[], workers: number): JournalEntry[][] | undefined {
  if (workers > mostWorkers) return undefined;
  const shares: JournalEntry[][] = Array.from({ length: workers }, () => []);
  for (const entry of run) {
    // The worker that has waited longest sends next.
    const share = shares
      .filter((one) => one.length === 0 || isBackingOff([...one.slice(-2), entry]))
      .sort((a, b) => begunOf(a) - begunOf(b))[0];
    if (share === undefined) return undefined;
    share.push(entry);
  }
  return shares.every((share) => verdictOn(waitsIn(share)) === 'pass') ? shares : undefined;
}

function begunOf(share: readonly JournalEntry[]): number {
  const last = share.at(-1);
  return last === undefined ? Infinity : begunAt(last);
}

// Judged by the attempts so far.
function isBackingOff(share: readonly JournalEntry[]): boolean {
  const waits = waitsIn(share);
  const [before, last] = waits.length > 1 ? waits : [shortMs / shrunk, waits[0]];
  return last === undefined || last >= Math.min(longMs, before ?? 0) * shrunk;
}
