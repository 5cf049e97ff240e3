// The rule that a client waits as long as a response asks.

import { counted } from '../../core/words.js';
import type { JournalEntry } from '../journal/journal-entry.js';
import { headerOf, keptWait, sequencesOf, toldWait, waited } from './reading.js';
import { aloneIn, contentOf, isSameConnection, type Relate, type Relation, relateIn } from './relations.js';
import { conclude, type Evidence, evidenceOf, type Rule, type VerdictContext, waitText } from './verdict.js';

/** Of the answers that told a caller to wait only the newest are remembered, for each operation. */
const mostOpen = 64;

/**
 * After an answer that told it to wait (429 or 503), a caller sends the same request no earlier than the earliest of its
 * headers says. A request of other content counts when it is of the same operation, or refused for the same rate window,
 * and comes by the same connection: then one worker has sent both, or it is unclear.
 */
export const retryAfterObeyed: Rule = {
  id: 'retry-after-obeyed',
  title: 'Waits as long as Retry-After says',
  demands: 'After a response with Retry-After, the client sends no request under the same limit before that time.',
  judge(records, context) {
    const wrong: Evidence[] = [];
    const unclear: Evidence[] = [];
    let told = 0;
    for (const sequence of sequencesOf(records)) {
      const relation = relationIn(sequence, context);
      let open: JournalEntry[] = [];
      for (const entry of sequence) {
        const met = open.filter((one) => relation(one, entry) !== 'apart');
        const early = met.filter((one) => !keptWait(one, entry));
        const kept = met.filter((one) => !early.includes(one));
        // Where several were told, the one that has waited is taken for the one that comes.
        const [first] = kept.length > 0 ? [] : early;
        if (first !== undefined) {
          const isSure = early.some((one) => relation(one, entry) === 'after');
          (isSure ? wrong : unclear).push(evidenceOf(entry, message(first, entry)));
        }
        const done = kept.length > 0 ? kept : early.filter((one) => relation(one, entry) === 'after');
        if (done.length > 0) open = open.filter((one) => !done.includes(one));
        if (entry.retryAfter === null || entry.status < 400) continue;
        told++;
        open.push(entry);
        if (open.length > mostOpen) open.shift();
      }
    }
    return conclude(
      told,
      wrong,
      {
        none: 'No answer told the client to wait; a fault with a 429 and retryAfter shows what it does then.',
        pass: `${counted(told, 'answer')} told the client to wait, and nothing was sent too early.`,
        fail: `${counted(wrong.length, 'request')} came before the time that an earlier answer had named: wait for Retry-After (error.retryAfter in the body) seconds first.`,
      },
      unclear,
    );
  },
};

function relationIn(sequence: readonly JournalEntry[], { queryNames }: VerdictContext): Relate {
  const contents = new Map(sequence.map((entry) => [entry, contentOf(entry, queryNames)]));
  const same = relateIn(sequence, (entry) => contents.get(entry));
  const any = relateIn(sequence, ({ operation }) => operation ?? '');
  const isAlone = aloneIn(sequence);
  return (told, later): Relation => {
    if (contents.get(told) === contents.get(later)) return same(told, later);
    if (!countsAgainst(told, later)) return 'apart';
    const relation = any(told, later);
    if (isAlone(later)) return relation;
    return isSameConnection(told, later) && relation !== 'apart' ? 'unclear' : 'apart';
  };
}

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
  return headerOf(responseHeaders, 'x-ratelimit-limit');
}

// Of its window, give or take the second to which it is rounded up.
function endOf(refused: JournalEntry): number {
  return refused.at + toldWait(refused);
}
