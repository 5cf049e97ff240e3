// The rule that a client waits as long as an answer told it to.

import { counted } from '../../kernel/words.js';
import type { JournalEntry } from '../../store/journal-entry.js';
import { burstsOf, keptWait, knew, sequencesOf, toldWait, waited } from './reading.js';
import { conclude, type Evidence, evidenceOf, type Rule, waitText } from './verdict.js';

/**
 * After an answer with Retry-After (429 or 503), the caller's next request of the same operation comes no earlier. A
 * request of another operation counts when it was refused for the same rate window. Those that were on their way do not.
 */
export const retryAfterObeyed: Rule = {
  id: 'retry-after-obeyed',
  title: 'Waits as long as it is told',
  demands: 'After an answer with Retry-After, nothing that counts against the same limit is sent before that time.',
  judge(records) {
    const wrong: Evidence[] = [];
    let told = 0;
    for (const sequence of sequencesOf(records)) {
      const bursts = burstsOf(sequence);
      let open: JournalEntry[] = [];
      for (const entry of sequence) {
        const met = open.filter((one) => knew(entry, one, bursts) && countsAgainst(one, entry));
        const early = met.find((one) => !keptWait(one, entry));
        if (early !== undefined) wrong.push(evidenceOf(entry, message(early, entry)));
        if (met.length > 0) open = open.filter((one) => !met.includes(one));
        if (entry.retryAfter === null || entry.status < 400) continue;
        told++;
        open.push(entry);
      }
    }
    return conclude(told, wrong, {
      none: 'No answer told the client to wait; a fault with a 429 and retryAfter shows what it does then.',
      pass: `${counted(told, 'answer')} told the client to wait, and nothing was sent too early.`,
      fail: `${counted(wrong.length, 'request')} came before the time that an earlier answer had named: wait for Retry-After (error.retryAfter in the body) seconds first.`,
    });
  },
};

function message(told: JournalEntry, early: JournalEntry): string {
  return `came ${waitText(waited(told, early))} after ${told.requestId}, which said ${waitText(toldWait(told))}`;
}

// A forced answer and a 503 speak of their operation only.
function countsAgainst(told: JournalEntry, later: JournalEntry): boolean {
  if (told.operation === later.operation) return true;
  const refused = [told, later].every(({ status, fault }) => status === 429 && fault === null);
  return refused && sizeOf(told) === sizeOf(later) && Math.abs(endOf(told) - endOf(later)) < 1_000;
}

// The header of a refused request tells of the window that refused it.
function sizeOf({ responseHeaders }: JournalEntry): string | undefined {
  return Object.entries(responseHeaders).find(([name]) => name.toLowerCase() === 'x-ratelimit-limit')?.[1];
}

// Of its window, give or take the second to which it is rounded up.
function endOf(refused: JournalEntry): number {
  return refused.at + toldWait(refused);
}
