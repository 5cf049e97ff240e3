// The rule that a container is no longer polled after a response has shown its end.

import { forEach, type Sliced } from '../../core/slices.js';
import { counted } from '../../core/words.js';
import type { JournalEntry } from '../journal/journal-entry.js';
import { apart, fieldIn, groupedBy, sequencesOf, succeeded } from './reading.js';
import { type Relate, relateIn } from './relations.js';
import { conclude, type Evidence, evidenceOf, type Judgement, type Rule } from './verdict.js';

const allowedPolls = 2;
const endStates = ['failed', 'stopped'];
const concerned = ['containers.get', 'containers.create', 'containers.update', 'containers.delete'];

/** Requests this far apart are not polling. */
const rareMs = 60_000;
const timerMs = 50;

/**
 * After a response has shown that a container failed, stopped, was deleted or does not exist, the caller may get it
 * twice more, and then once a minute. A later response with another status, or a new deployment, lifts this limit.
 */
export const quietAfterEnd: Rule = {
  id: 'quiet-after-end',
  title: 'Stops polling what has ended',
  demands:
    'The client stops polling a container that has failed, stopped or been deleted; two more GETs, and one per minute, are allowed.',
  *judge(records): Sliced<Judgement> {
    const wrong: Evidence[] = [];
    const unclear: Evidence[] = [];
    let ends = 0;
    for (const sequence of sequencesOf(records)) {
      const relate = yield* relateIn(sequence, containerOf);
      yield;
      const found: End[] = [];
      yield* forEach(groupedBy(sequence, containerOf), (entries) => {
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
                `still polls, although ${telling.requestId} reported that the container ${endOf(telling)}`,
              ),
            );
      }
    }
    return conclude(
      ends,
      wrong,
      {
        none: 'No GET of a container showed that it had ended, and none was deleted; poll one with the image tag fail-exec-format, or delete one, to try it.',
        pass: `The end of a container was reported ${counted(ends, 'time')}, and the client stopped polling each time.`,
        fail: `${counted(wrong.length, 'poll')} of containers whose end had been reported: stop polling at failed, stopped and 404.`,
      },
      unclear,
    );
  },
};

function containerOf({ operation, subject }: JournalEntry): string | undefined {
  return concerned.includes(operation ?? '') ? (subject ?? undefined) : undefined;
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
    const isPoll = entry.operation === 'containers.get';
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

/** The end of the container that a response shows, or undefined. */
function endOf(entry: JournalEntry): string | undefined {
  if (entry.outcome !== 'answered') return undefined;
  if (entry.operation === 'containers.delete') return entry.status === 200 ? 'was deleted' : undefined;
  if (entry.operation !== 'containers.get') return undefined;
  if (entry.status === 404) return 'does not exist';
  const status = entry.status === 200 ? (fieldIn(entry.responseBody, 'status') ?? '') : '';
  return endStates.includes(status) ? `has ${status}` : undefined;
}
