// The rule that a client waits as long as a response asks.

import { counted } from '../../core/words.js';
import type { JournalEntry } from '../journal/journal-entry.js';
import { headerOf, keptWait, sequencesOf, toldWait, waited } from './reading.js';
import { afterIdle, aloneIn, contentsOf, isSameConnection, type Relate, type Relation, relateIn } from './relations.js';
import {
  conclude,
  type Evidence,
  evidenceOf,
  type Judgement,
  type Rule,
  type VerdictContext,
  waitText,
} from './verdict.js';

/** The number of responses that asked a caller to wait that are remembered for each operation; the oldest are dropped. */
const mostOpen = 64;

/**
 * After a response that asks it to wait (429 or 503), a caller repeats the request no earlier than the earliest of its
 * headers says. A request with other content also counts if it uses the same connection, and either calls the same
 * operation or is refused for the same rate window. Where it may have waited for that connection, planned before, the case
 * is unclear; requests by other connections may be those of another process.
 */
export const retryAfterObeyed: Rule = {
  id: 'retry-after-obeyed',
  title: 'Waits as long as Retry-After says',
  demands: 'After a response with Retry-After, the client sends no request under the same limit before that time.',
  judge(records, context): Judgement {
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
        // If several workers were asked to wait, this request is taken for that of one which has waited.
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
        none: 'No response told the client to wait; a fault with a 429 and retryAfter shows what the client does then.',
        pass: `${counted(told, 'response')} told the client to wait, and no request came too early.`,
        fail: `${counted(wrong.length, 'request')} came before the time that an earlier response had named: wait as many seconds as Retry-After says (in the body, error.retryAfter).`,
      },
      unclear,
    );
  },
};

function relationIn(sequence: readonly JournalEntry[], { queryNames }: VerdictContext): Relate {
  const contents = contentsOf(sequence, queryNames);
  const same = relateIn(sequence, (entry) => contents.get(entry));

  const any = relateIn(sequence, ({ operation }) => operation ?? '');

  const isAlone = aloneIn(sequence);

  const isAfterIdle = afterIdle(sequence);

  return (told, later): Relation => {
    if (contents.get(told) === contents.get(later)) return same(told, later);
    if (!countsAgainst(told, later)) return 'apart';
    const relation = any(told, later);
    if (isAlone(later)) return relation;
    if (!isSameConnection(told, later) || relation === 'apart') return 'apart';
    return isAfterIdle(later) ? 'after' : 'unclear';
  };
}

function message(told: JournalEntry, early: JournalEntry): string {
  return `came ${waitText(waited(told, early))} after ${told.requestId}, which asked for a wait of ${waitText(toldWait(told))}`;
}

// A forced response and a 503 concern only their own operation.
function countsAgainst(told: JournalEntry, later: JournalEntry): boolean {
  if (told.operation === later.operation) return true;
  const refused = [told, later].every(({ status, fault }) => status === 429 && fault === null);
  return refused && sizeOf(told) === sizeOf(later) && Math.abs(endOf(told) - endOf(later)) < 1_000;
}

// The header of a refused request names the window that refused it.
function sizeOf({ responseHeaders }: JournalEntry): string | undefined {
  return headerOf(responseHeaders, 'x-ratelimit-limit');
}

// The end of the window, which the header rounds up to a second.
function endOf(refused: JournalEntry): number {
  return refused.at + toldWait(refused);
}
