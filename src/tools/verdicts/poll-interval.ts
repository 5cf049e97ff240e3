// The rule that clients poll no faster than the platform advises.

import { counted } from '../../core/words.js';
import type { Endpoint, PolledNoun, Polling } from '../../http/endpoint.js';
import type { JournalEntry } from '../journal/journal-entry.js';
import { readingOf, tolerance } from './poll-readings.js';
import { apart, failedForNow, fieldIn, sequencesOf, succeeded } from './reading.js';
import { contentOf, relateIn, singleOnConnections } from './relations.js';
import {
  conclude,
  type Evidence,
  evidenceOf,
  type Judgement,
  type Rule,
  type VerdictContext,
  waitText,
} from './verdict.js';

/** The interval in milliseconds for a job whose creation is not in the journal. */
const usualForJobs = 250;
/** How many earlier polls are compared with each new one: several workers may poll at the same time. */
const remembered = 16;
const mostPending = 64;

/**
 * While a deployment, a job or the cloning of a voice is in progress, a caller polls it by the same operation no more often than
 * `polling.intervalMs` of the response to its creation says, from start to start of the requests; a tenth less is
 * accepted. The first poll may come at once. A poll after a failed one is a retry, which other rules judge. One extra read
 * is accepted, and so are the look at what became of a failed change, and several watchers of which each keeps the interval.
 */
export const pollIntervalObeyed: Rule = {
  id: 'poll-interval-obeyed',
  title: 'Polls no more often than advised',
  demands:
    'The client polls a running operation no faster than the interval that the response to its creation advised.',
  judge(records, context): Judgement {
    const pairs: Pair[] = [];
    for (const sequence of sequencesOf(records)) for (const pair of pairsIn(sequence, context)) pairs.push(pair);
    const early = pairs.filter((pair) => isEarly(pair) && pair.isExcused !== true);
    const excused = pairs.filter(({ isExcused }) => isExcused).length;
    const evidence = (isSure: boolean): Evidence[] =>
      early
        .filter((pair) => pair.isSure === isSure)
        .map(({ entry, gap, interval }) =>
          evidenceOf(entry, `came ${waitText(gap)} after the previous poll; ${waitText(interval)} is advised`),
        );
    const wrong = evidence(true);
    const advised = early.findLast(({ isSure }) => isSure)?.interval ?? 0;
    return conclude(
      pairs.length,
      wrong,
      {
        none: 'Nothing was polled while it was in progress; poll a deployment with realistic timing to try it.',
        pass: `${counted(pairs.length, 'repeated poll')} of what was in progress, none too early${excused === 0 ? '' : `: ${counted(excused, 'poll')} came sooner, as an extra read or by another watcher`}.`,
        fail: `${wrong.length} of ${counted(pairs.length, 'repeated poll')} came too early: wait polling.intervalMs (${waitText(advised)}) between two polls.`,
      },
      evidence(false),
    );
  },
};

interface Poll {
  entry: JournalEntry;
  /** Its place in the sequence. */
  index: number;
  /** Whether what it showed was still in progress. */
  goesOn: boolean;
}

/** A repeated poll, and how long after the previous one it came. */
interface Pair {
  entry: JournalEntry;
  gap: number;
  interval: number;
  isSure: boolean;
  /** All polls with this one may be those of clients that keep the interval. */
  isExcused?: true;
}

const isEarly = ({ gap, interval }: Pair): boolean => gap < interval * tolerance;

/** The polls of one thing while it is in progress. */
interface Run {
  polls: JournalEntry[];
  pairs: Pair[];
}

function pairsIn(sequence: readonly JournalEntry[], context: VerdictContext): Pair[] {
  const keys = new Map<JournalEntry, string | undefined>();
  for (const entry of sequence) void keys.set(entry, polledBy(entry, context));
  const keyOf = (entry: JournalEntry): string | undefined => keys.get(entry);
  const relate = relateIn(sequence, keyOf);
  const isSingle = singleOnConnections(sequence);
  const polled = new Map<string, Poll[]>();
  /** The place in the sequence at which a thing, or any thing of its noun, was last begun. */
  const begunAt = new Map<string, number>();
  const intervals = new Map<string, number>();
  const pending = new Set<string>();
  const runs: Run[] = [];
  const runOf = new Map<string, Run>();
  /** What was to be changed by a request that failed: the next read looks what became of it, before the waiting begins. */
  const doubted = new Set<string>();
  for (const [index, entry] of sequence.entries()) {
    const { subject } = entry;
    const { begins: begun } = declarationOf(entry, context) ?? {};
    if (begun !== undefined && succeeded(entry)) {
      const interval = positive(fieldIn(entry.responseBody, 'intervalMs'));
      if (interval !== undefined) for (const what of [subject ?? begun, begun]) intervals.set(what, interval);
      if (begun === 'voice' && subject !== null && pending.size < mostPending) pending.add(subject);
      begunAt.set(begun, index);
      begunAt.set(`${begun} ${subject}`, index);
    }
    const polls = declarationOf(entry, context)?.polls;
    const key = keyOf(entry);
    if (subject !== null && entry.method !== 'GET' && failedForNow(entry)) doubted.add(subject);
    if (polls !== undefined && subject !== null && succeeded(entry) && doubted.delete(subject)) continue;
    if (polls === undefined || key === undefined) continue;
    const former = polled.get(key) ?? [];
    // Lists show everything of their kind.
    const since = begunAt.get(subject === null ? polls.for : `${polls.for} ${subject}`) ?? -1;
    const before = former.findLast((one) => one.index > since && relate(one.entry, entry) !== 'apart');
    let run = runOf.get(key);
    if (run === undefined || before?.goesOn !== true) {
      run = { polls: [], pairs: [] };
      runs.push(run);
      runOf.set(key, run);
    }
    run.polls.push(entry);
    if (before?.goesOn === true)
      run.pairs.push({
        entry,
        gap: apart(before.entry, entry),
        interval: intervals.get(subject ?? '') ?? intervals.get(polls.for) ?? usual(polls.for, context),
        isSure: relate(before.entry, entry) === 'after' && !(isSingle(before.entry) && isSingle(entry)),
      });
    polled.set(key, [
      ...former.slice(1 - remembered),
      { entry, index, goesOn: succeeded(entry) && showsUnderWay(polls, entry, pending) },
    ]);
    if (polls.for === 'voice' && succeeded(entry)) forgetDone(pending, polls, entry);
  }
  for (const { polls, pairs } of runs) {
    const early = pairs.filter(isEarly);
    if (early.length === 0) continue;
    const reading = readingOf(polls, early[0]?.interval ?? 0);
    for (const pair of early) {
      if (reading === 'kept') pair.isExcused = true;
      if (reading === 'broken') pair.isSure = true;
    }
  }
  return runs.flatMap(({ pairs }) => pairs);
}

function declarationOf({ operation }: JournalEntry, { endpointOf }: VerdictContext): Endpoint | undefined {
  return operation === null ? undefined : endpointOf(operation);
}

/** The subject of a poll and its operation, as a key; undefined for other requests. */
function polledBy(entry: JournalEntry, context: VerdictContext): string | undefined {
  const polls = declarationOf(entry, context)?.polls;
  if (polls === undefined) return undefined;
  const { operation, subject } = entry;
  return `${polls.for} ${subject ?? ''} ${polls.anyQuery ? operation : contentOf(entry, context.queryNames)}`;
}

function usual(noun: PolledNoun, { pollingIntervalMs }: VerdictContext): number {
  return noun === 'container' ? pollingIntervalMs : usualForJobs;
}

function showsUnderWay({ underWay }: Polling, { responseBody }: JournalEntry, pending: ReadonlySet<string>): boolean {
  return underWay?.(responseBody ?? '') ?? [...pending].some((id) => responseBody?.includes(id) !== true);
}

// A voice in the list is done, and one whose job has failed will never be in it.
function forgetDone(pending: Set<string>, polls: Polling, entry: JournalEntry): void {
  const { subject, responseBody, status } = entry;
  for (const id of pending) {
    const isListed = polls.underWay === undefined && responseBody?.includes(id) === true;
    const isMeant = polls.underWay !== undefined && (subject ?? id) === id;
    const isOver = status === 200 && responseBody !== null && !showsUnderWay(polls, entry, pending);
    if (isListed || (isMeant && isOver)) pending.delete(id);
  }
}

function positive(text: string | undefined): number | undefined {
  const number = Number(text);
  return number > 0 ? number : undefined;
}
