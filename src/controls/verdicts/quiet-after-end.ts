// The rule that a container is no longer polled once its end was told.

import { counted } from '../../kernel/words.js';
import type { JournalEntry } from '../../store/journal-entry.js';
import { burstsOf, fieldIn, groupedBy, knew, sequencesOf, succeeded } from './reading.js';
import { conclude, type Evidence, evidenceOf, type Rule } from './verdict.js';

const allowedLooks = 2;
const endStates = ['failed', 'stopped'];
const concerned = ['containers.get', 'containers.create', 'containers.update', 'containers.delete'];

/**
 * Once a caller was told that a container has failed, has stopped, is deleted or is not there, it gets that container
 * at most twice more. A later answer with another status, or a new deployment, ends the silence.
 */
export const quietAfterEnd: Rule = {
  id: 'quiet-after-end',
  title: 'Stops polling at the end',
  demands: 'A container that has failed, stopped or gone is no longer polled; two further looks are let pass.',
  judge(records) {
    const wrong: Evidence[] = [];
    let ends = 0;
    const containers = sequencesOf(records).flatMap((sequence) =>
      groupedBy(sequence, ({ operation, subject }) =>
        concerned.includes(operation ?? '') ? (subject ?? undefined) : undefined,
      ),
    );
    for (const entries of containers) {
      for (const { telling, looks } of endsIn(entries)) {
        ends++;
        for (const look of looks.slice(allowedLooks))
          wrong.push(evidenceOf(look, `polls it on, though ${telling.requestId} told that it ${endOf(telling)}`));
      }
    }
    return conclude(ends, wrong, {
      none: 'No container came to its end; deploy the image tag fail-exec-format, or delete one, to try it.',
      pass: `${counted(ends, 'end')} of containers told, and the polling ended too.`,
      fail: `${counted(wrong.length, 'look')} at containers whose end had been told: stop polling at failed, stopped and 404.`,
    });
  },
};

interface End {
  telling: JournalEntry;
  /** Those that came when the end was known. */
  looks: JournalEntry[];
}

function endsIn(entries: readonly JournalEntry[]): End[] {
  const ends: End[] = [];
  const bursts = burstsOf(entries);
  let current: End | undefined;
  for (const entry of entries) {
    const isLook = entry.operation === 'containers.get';
    if (isLook && current !== undefined && knew(entry, current.telling, bursts)) current.looks.push(entry);
    if (endOf(entry) !== undefined) {
      // Looking whether a deletion has worked is no polling on.
      if (current !== undefined && isLook) continue;
      current = { telling: entry, looks: [] };
      ends.push(current);
    } else if (succeeded(entry)) {
      // It runs again, or is still being deleted: this look was not in vain.
      if (isLook) current?.looks.pop();
      current = undefined;
    }
  }
  return ends;
}

/** What an answer told of the container's end, or undefined. */
function endOf(entry: JournalEntry): string | undefined {
  if (entry.outcome !== 'answered') return undefined;
  if (entry.operation === 'containers.delete') return entry.status === 200 ? 'is deleted' : undefined;
  if (entry.operation !== 'containers.get') return undefined;
  if (entry.status === 404) return 'is not there';
  const status = entry.status === 200 ? (fieldIn(entry.responseBody, 'status') ?? '') : '';
  return endStates.includes(status) ? `has ${status}` : undefined;
}
