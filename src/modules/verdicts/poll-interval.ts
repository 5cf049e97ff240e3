// The rule that clients poll no faster than the platform advises.

import { forEach, type Sliced } from '../../core/slices.js';
import { counted } from '../../core/words.js';
import type { Endpoint, PolledNoun, Polling } from '../../http/endpoint.js';
import type { JournalEntry } from '../journal/journal-entry.js';
import { endpoints } from '../platform/surface.js';
import { apart, fieldIn, sequencesOf, succeeded } from './reading.js';
import { contentOf, relateIn } from './relations.js';
import {
  conclude,
  type Evidence,
  evidenceOf,
  type Judgement,
  type Rule,
  type VerdictContext,
  waitText,
} from './verdict.js';

const tolerance = 0.9;
/** Where the answer that began a job was not seen. */
const usualForJobs = 250;
/** How many looks before the last one are remembered, for workers that look side by side. */
const remembered = 16;
const mostPending = 64;

const declared = Object.fromEntries(endpoints.map((endpoint) => [endpoint.id, endpoint]));

/**
 * While something is under way (a deployment, the cloning of a voice), one caller's looks at it by one operation lie at
 * least `polling.intervalMs` of its create answer apart (a tenth less is let pass), from beginning to beginning. The
 * first look may come at once. A look after a failed one is a retry, which other rules judge.
 */
export const pollIntervalObeyed: Rule = {
  id: 'poll-interval-obeyed',
  title: 'Polls no more often than advised',
  demands:
    'The client polls a running operation no faster than the interval that the response to its creation advised.',
  *judge(records, context): Sliced<Judgement> {
    const pairs: Pair[] = [];
    for (const sequence of sequencesOf(records)) for (const pair of yield* pairsIn(sequence, context)) pairs.push(pair);
    const early = pairs.filter(({ gap, interval }) => gap < interval * tolerance);
    const evidence = (isSure: boolean): Evidence[] =>
      early
        .filter((pair) => pair.isSure === isSure)
        .map(({ entry, gap, interval }) =>
          evidenceOf(entry, `came ${waitText(gap)} after the last look; ${waitText(interval)} is advised`),
        );
    const wrong = evidence(true);
    const advised = early.findLast(({ isSure }) => isSure)?.interval ?? 0;
    return conclude(
      pairs.length,
      wrong,
      {
        none: 'Nothing was polled while it was under way; watch a deployment with realistic timing to try it.',
        pass: `${counted(pairs.length, 'repeated look')} at what was under way, none too early.`,
        fail: `${wrong.length} of ${counted(pairs.length, 'repeated look')} came too early: wait polling.intervalMs (${waitText(advised)}) between two.`,
      },
      evidence(false),
    );
  },
};

interface Look {
  entry: JournalEntry;
  /** Its place in the sequence. */
  index: number;
  /** What it showed was still under way. */
  goesOn: boolean;
}

/** A look, and how long after the one before it came. */
interface Pair {
  entry: JournalEntry;
  gap: number;
  interval: number;
  isSure: boolean;
}

function* pairsIn(sequence: readonly JournalEntry[], context: VerdictContext): Sliced<Pair[]> {
  const keys = new Map<JournalEntry, string | undefined>();
  yield* forEach(sequence, (entry) => void keys.set(entry, lookedAt(entry, context)));
  const keyOf = (entry: JournalEntry): string | undefined => keys.get(entry);
  const relate = relateIn(sequence, keyOf);
  const looks = new Map<string, Look[]>();
  /** When things of a noun, and single ones, were last begun: places in the sequence. */
  const begunAt = new Map<string, number>();
  const intervals = new Map<string, number>();
  const pending = new Set<string>();
  const pairs: Pair[] = [];
  for (const [index, entry] of sequence.entries()) {
    yield;
    const { subject } = entry;
    const { begins: begun } = declarationOf(entry) ?? {};
    if (begun !== undefined && succeeded(entry)) {
      const interval = positive(fieldIn(entry.responseBody, 'intervalMs'));
      if (interval !== undefined) for (const what of [subject ?? begun, begun]) intervals.set(what, interval);
      if (begun === 'voice' && subject !== null && pending.size < mostPending) pending.add(subject);
      begunAt.set(begun, index);
      begunAt.set(`${begun} ${subject}`, index);
    }
    const polls = declarationOf(entry)?.polls;
    const key = keyOf(entry);
    if (polls === undefined || key === undefined) continue;
    const former = looks.get(key) ?? [];
    // Lists show everything of their kind.
    const since = begunAt.get(subject === null ? polls.for : `${polls.for} ${subject}`) ?? -1;
    const before = former.findLast((one) => one.index > since && relate(one.entry, entry) !== 'apart');
    if (before?.goesOn === true)
      pairs.push({
        entry,
        gap: apart(before.entry, entry),
        interval: intervals.get(subject ?? '') ?? intervals.get(polls.for) ?? usual(polls.for, context),
        isSure: relate(before.entry, entry) === 'after',
      });
    looks.set(key, [
      ...former.slice(1 - remembered),
      { entry, index, goesOn: succeeded(entry) && showsUnderWay(polls, entry, pending) },
    ]);
    if (polls.for === 'voice' && succeeded(entry)) forgetDone(pending, polls, entry);
  }
  return pairs;
}

function declarationOf({ operation }: JournalEntry): Endpoint | undefined {
  return operation !== null && Object.hasOwn(declared, operation) ? declared[operation] : undefined;
}

/** By what and at what a look was, or undefined. */
function lookedAt(entry: JournalEntry, { queryNames }: VerdictContext): string | undefined {
  const polls = declarationOf(entry)?.polls;
  if (polls === undefined) return undefined;
  const { operation, subject } = entry;
  return `${polls.for} ${subject ?? ''} ${polls.anyQuery ? operation : contentOf(entry, queryNames)}`;
}

function usual(noun: PolledNoun, { pollingIntervalMs }: VerdictContext): number {
  return noun === 'container' ? pollingIntervalMs : usualForJobs;
}

function showsUnderWay({ underWay }: Polling, { responseBody }: JournalEntry, pending: ReadonlySet<string>): boolean {
  return underWay?.test(responseBody ?? '') ?? [...pending].some((id) => responseBody?.includes(id) !== true);
}

// A voice that a list holds is done, and one whose job has failed will never be.
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
