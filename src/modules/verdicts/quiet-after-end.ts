// The rule that a container is no longer polled after a response has shown its end.

import { forEach, type Sliced } from '../../core/slices.js';
import { counted } from '../../core/words.js';
import type { JournalEntry } from '../journal/journal-entry.js';
import { apart, fieldIn, groupedBy, sequencesOf, succeeded } from './reading.js';
import { type Relate, relateIn } from './relations.js';
import { conclude, type Evidence, evidenceOf, type Judgement, type Rule } from './verdict.js';

const allowedLooks = 2;
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
      const relate = relateIn(sequence, containerOf);
      yield;
      const found: End[] = [];
      yield* forEach(groupedBy(sequence, containerOf), (entries) => {
        for (const end of endsIn(entries, relate)) found.push(end);
      });
      for (const { telling, looks } of found) {
        ends++;
        for (const [sure, into] of [
          [true, wrong],
          [false, unclear],
        ] as const)
          for (const look of looks.filter(({ isSure }) => !sure || isSure).slice(allowedLooks))
            into.push(
              evidenceOf(look.entry, `polls it on, though ${telling.requestId} told that it ${endOf(telling)}`),
            );
      }
    }
    return conclude(
      ends,
      wrong,
      {
        none: 'No container came to its end; deploy the image tag fail-exec-format, or delete one, to try it.',
        pass: `${counted(ends, 'end')} of containers told, and the polling ended too.`,
        fail: `${counted(wrong.length, 'look')} at containers whose end had been told: stop polling at failed, stopped and 404.`,
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
  looks: { entry: JournalEntry; isSure: boolean }[];
}

function endsIn(entries: readonly JournalEntry[], relate: Relate): End[] {
  const ends: End[] = [];
  let current: End | undefined;
  let last: JournalEntry | undefined;
  for (const entry of entries) {
    const isLook = entry.operation === 'containers.get';
    const relation = isLook && current !== undefined ? relate(current.telling, entry) : 'apart';
    const isRare = last !== undefined && apart(last, entry) + timerMs >= rareMs;
    if (relation !== 'apart' && !isRare) current?.looks.push({ entry, isSure: relation === 'after' });
    last = entry;
    if (endOf(entry) !== undefined) {
      // Checking that a deletion worked is not polling.
      if (current !== undefined && isLook) continue;
      current = { telling: entry, looks: [] };
      ends.push(current);
    } else if (succeeded(entry)) {
      // The container runs again or is still being deleted, so this poll had a purpose.
      if (current?.looks.at(-1)?.entry === entry) current.looks.pop();
      current = undefined;
    }
  }
  return ends;
}

/** The end of the container that a response shows, or undefined. */
function endOf(entry: JournalEntry): string | undefined {
  if (entry.outcome !== 'answered') return undefined;
  if (entry.operation === 'containers.delete') return entry.status === 200 ? 'is deleted' : undefined;
  if (entry.operation !== 'containers.get') return undefined;
  if (entry.status === 404) return 'is not there';
  const status = entry.status === 200 ? (fieldIn(entry.responseBody, 'status') ?? '') : '';
  return endStates.includes(status) ? `has ${status}` : undefined;
}
