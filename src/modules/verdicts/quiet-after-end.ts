// The rule that a container, hosted agent or job is no longer polled after a response has shown its end.

import { forEach, type Sliced } from '../../core/slices.js';
import { counted } from '../../core/words.js';
import type { JournalEntry } from '../journal/journal-entry.js';
import { apart, fieldIn, groupedBy, sequencesOf, succeeded } from './reading.js';
import { type Relate, relateIn } from './relations.js';
import { conclude, type Evidence, evidenceOf, type Judgement, type Rule } from './verdict.js';

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
    'The client stops polling a container that has failed, stopped or been deleted, a hosted agent in error and a job that has ended; two more GETs, and one per minute, are allowed.',
  *judge(records): Sliced<Judgement> {
    const wrong: Evidence[] = [];
    const unclear: Evidence[] = [];
    let ends = 0;
    for (const sequence of sequencesOf(records)) {
      const relate = yield* relateIn(sequence, thingOf);
      yield;
      const found: End[] = [];
      yield* forEach(groupedBy(sequence, thingOf), (entries) => {
        for (const end of endsIn(entries, relate)) found.push(end);
      });
      for (const { telling, polls } of found) {
        ends++;
        for (const [sure, into] of [
          [true, wrong],
          [false, unclear],
        ] as const)
          for (const poll of polls.filter(({ isSure }) => !sure || isSure).slice(allowedPolls))
            into.push(
              evidenceOf(
                poll.entry,
                `still polls, although ${telling.requestId} reported that the ${nounOf(telling)} ${endOf(telling)}`,
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
  return things[pollOf.get(operation ?? '') ?? '']?.noun ?? '';
}

interface End {
  telling: JournalEntry;
  /** Requests that came when the end was known, each soon after the previous one. */
  polls: { entry: JournalEntry; isSure: boolean }[];
}

function endsIn(entries: readonly JournalEntry[], relate: Relate): End[] {
  const ends: End[] = [];
  let current: End | undefined;
  let last: JournalEntry | undefined;
  for (const entry of entries) {
    const isPoll = things[entry.operation ?? ''] !== undefined;
    const relation = isPoll && current !== undefined ? relate(current.telling, entry) : 'apart';
    const isRare = last !== undefined && apart(last, entry) + timerMs >= rareMs;
    if (relation !== 'apart' && !isRare) current?.polls.push({ entry, isSure: relation === 'after' });
    last = entry;
    if (endOf(entry) !== undefined) {
      // Checking that a deletion worked is not polling.
      if (current !== undefined && isPoll) continue;
      current = { telling: entry, polls: [] };
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
