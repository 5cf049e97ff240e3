// The rule that a container, hosted agent or job is no longer polled after a response has shown its end.

import { counted } from '../../core/words.js';
import type { JournalEntry } from '../journal/journal-entry.js';
import { areOfOneLoop } from './poll-readings.js';
import { apart, fieldIn, groupedBy, sequencesOf, succeeded } from './reading.js';
import { contentOf, type Relate, type Relation, relateIn } from './relations.js';
import { conclude, type Evidence, evidenceOf, type Judgement, type Rule, type VerdictContext } from './verdict.js';

const allowedPolls = 2;

/** What is polled, and the operations that tell of it. */
const things: Record<string, { noun: string; operations: readonly string[]; ends: Record<string, string> }> = {
  'containers.get': {
    noun: 'container',
    operations: ['containers.create', 'containers.update', 'containers.delete'],
    ends: { failed: 'has failed', stopped: 'has stopped' },
  },
  'hostedAgents.get': {
    noun: 'hosted agent',
    operations: ['provision', 'resume', 'wake', 'delete'].map((name) => `hostedAgents.${name}`),
    ends: { error: 'is in error' },
  },
  'jobs.get': { noun: 'job', operations: [], ends: { completed: 'has completed', failed: 'has failed' } },
};

/** The operation by which what an operation tells of is polled. */
const pollOf = new Map(
  Object.entries(things).flatMap(([poll, { operations }]) => [poll, ...operations].map((one) => [one, poll] as const)),
);

/** Requests this far apart are not polling. */
const rareMs = 60_000;
const timerMs = 50;

/**
 * After a response has shown that a container failed, stopped, was deleted or does not exist, that a hosted agent is in
 * error or gone, or that a job has ended, the caller may get it twice more, and then once a minute. A later response with another status, or a new deployment, lifts this limit.
 */
export const quietAfterEnd: Rule = {
  id: 'quiet-after-end',
  title: 'Stops polling what has ended',
  demands:
    'The client stops polling a container that has failed, stopped or been deleted, a hosted agent in error and a job that has ended, by a GET of it or by the list; two more GETs, and one per minute, are allowed.',
  judge(records, context): Judgement {
    const wrong: Evidence[] = [];
    const unclear: Evidence[] = [];
    let ends = 0;
    for (const sequence of sequencesOf(records)) {
      const relate = relateIn(sequence, thingOf);

      const found: End[] = [];
      for (const entries of groupedBy(sequence, thingOf)) {
        for (const end of endsIn(entries, relate)) found.push(end);
      }
      for (const end of endsInLists(sequence, context)) found.push(end);
      for (const end of found) {
        ends++;
        const { telling } = end;
        for (const [sure, into] of [
          [true, wrong],
          [false, unclear],
        ] as const)
          for (const poll of pollsOf(end, sure).slice(allowedPolls))
            into.push(
              evidenceOf(
                poll,
                `still polls, although ${telling.requestId} reported that the ${nounOf(telling)} ${end.end}`,
              ),
            );
      }
    }
    return conclude(
      ends,
      wrong,
      {
        none: 'No GET of a container, hosted agent or job showed that it had ended, and no container was deleted; poll one with the image tag fail-exec-format, or delete one, to try it.',
        pass: `The end of something was reported ${counted(ends, 'time')}, and the client stopped polling each time.`,
        fail: `${counted(wrong.length, 'poll')} of what had been reported to have ended: stop polling at failed, stopped, error, completed and 404.`,
      },
      unclear,
    );
  },
};

// What a request tells of: its kind, and its id.
function thingOf({ operation, subject }: JournalEntry): string | undefined {
  const poll = pollOf.get(operation ?? '');
  return poll === undefined || subject === null ? undefined : `${poll} ${subject}`;
}

function nounOf({ operation }: JournalEntry): string {
  return things[pollOf.get(operation ?? '') ?? listed(operation)]?.noun ?? '';
}

interface End {
  telling: JournalEntry;
  /** How it ended, in words. */
  end: string;
  /** Requests that came after it was told, each soon after the previous one. */
  polls: { entry: JournalEntry; relation: Relation }[];
}

/** The polls whose client knew the end; not only the sure ones: also those that may have been on their way. */
function pollsOf({ telling, polls }: End, isSure: boolean): JournalEntry[] {
  const entries = polls.map(({ entry }) => entry);
  // Whichever connections it uses, a loop waits for each response.
  if (areOfOneLoop([telling, ...entries])) return entries;
  const known = polls.filter(({ relation }) => relation === 'after' || (relation === 'unclear' && !isSure));
  return known.map(({ entry }) => entry);
}

function endsIn(entries: readonly JournalEntry[], relate: Relate): End[] {
  const ends: End[] = [];
  let current: End | undefined;
  let last: JournalEntry | undefined;
  for (const entry of entries) {
    const isPoll = things[entry.operation ?? ''] !== undefined;
    const relation = isPoll && current !== undefined ? relate(current.telling, entry) : 'apart';
    const isRare = last !== undefined && apart(last, entry) + timerMs >= rareMs;
    if (isPoll && !isRare) current?.polls.push({ entry, relation });
    last = entry;
    const end = endOf(entry);
    if (end !== undefined) {
      // Checking that a deletion worked is not polling.
      if (current !== undefined && isPoll) continue;
      current = { telling: entry, end, polls: [] };
      ends.push(current);
    } else if (succeeded(entry)) {
      // The container runs again or is still being deleted, so this poll had a purpose.
      if (current?.polls.at(-1)?.entry === entry) current.polls.pop();
      current = undefined;
    }
  }
  return ends;
}

/** The end of the thing that a response shows, or undefined. */
function endOf({ outcome, operation, status, responseBody }: JournalEntry): string | undefined {
  if (outcome !== 'answered' || operation === null) return undefined;
  if (operation.endsWith('.delete')) return status === 200 ? 'was deleted' : undefined;
  const thing = things[operation];
  if (thing === undefined) return undefined;
  if (status === 404) return 'does not exist';
  return status === 200 ? thing.ends[fieldIn(responseBody, 'status') ?? ''] : undefined;
}

/** The thing of a list, as it is polled one by one. */
const listed = (operation: string | null): string => operation?.replace(/\.list$/, '.get') ?? '';

/**
 * The ends that lists showed of what their caller had begun. It then polls on by the same list where nothing else in it is
 * under way, and nothing was changed meanwhile: a list is read for more than one reason.
 */
function endsInLists(sequence: readonly JournalEntry[], context: VerdictContext): End[] {
  const keyOf = (entry: JournalEntry): string | undefined => {
    const isList = entry.operation?.endsWith('.list') === true && things[listed(entry.operation)] !== undefined;
    return isList ? contentOf(entry, context.queryNames) : undefined;
  };
  const relate = relateIn(sequence, keyOf);
  const ends: End[] = [];
  /** What was begun and not shown in an end, by its operations. */
  const open = new Map<string, Set<string>>();
  const current = new Map<string, End>();
  const last = new Map<string, JournalEntry>();
  for (const entry of sequence) {
    const { operation, subject } = entry;
    const noun = operation?.split('.')[0] ?? '';
    const begun = open.get(noun) ?? new Set();
    open.set(noun, begun);
    if (entry.method !== 'GET') {
      current.clear();
      if (subject !== null && succeeded(entry)) begun.add(subject);
    }
    const key = keyOf(entry);
    if (key === undefined || !succeeded(entry)) continue;
    const known = current.get(key);
    const former = last.get(key);
    last.set(key, entry);
    const isBusy = context.endpointOf(operation ?? '')?.polls?.underWay?.(entry.responseBody ?? '') !== false;
    if (isBusy) {
      current.delete(key);
      continue;
    }
    const isRare = former !== undefined && apart(former, entry) + timerMs >= rareMs;
    if (known !== undefined && !isRare) known.polls.push({ entry, relation: relate(known.telling, entry) });
    const shown = [...begun].map((id) => endInList(entry, id)).filter((end) => end !== undefined);
    begun.clear();
    const [end] = shown;
    if (end === undefined || known !== undefined) continue;
    const made: End = { telling: entry, end, polls: [] };
    current.set(key, made);
    ends.push(made);
  }
  return ends;
}

function endInList({ operation, responseBody }: JournalEntry, id: string): string | undefined {
  const [, rest] = responseBody?.split(`{"id":"${id}"`) ?? [];
  const status = fieldIn(rest?.split('{"id":"')[0] ?? null, 'status');
  return things[listed(operation)]?.ends[status ?? ''];
}
