// The rule that nothing is created twice because a response was lost.

import { counted } from '../../core/words.js';
import type { JournalEntry } from '../journal/journal-entry.js';
import { deletedIn, isRenamed, type Lost, nameOf, settles } from './existence.js';
import { sequencesOf, succeeded } from './reading.js';
import { contentsOf, relateIn } from './relations.js';
import { conclude, type Evidence, evidenceOf, type Judgement, type Rule } from './verdict.js';

/** Operations that create or charge something that lasts, each with the operations that show whether it exists. */
const creations: Record<string, readonly string[]> = {
  'agents.create': ['agents.list', 'agents.get'],
  'agents.clone': ['agents.list', 'agents.get'],
  'containers.create': ['containers.list', 'containers.get', 'containers.quota'],
  'hostedAgents.create': ['hostedAgents.list', 'hostedAgents.get'],
  'images.generate': [],
  'keys.create': ['keys.list', 'keys.get'],
  'knowledge.upload': ['knowledge.list'],
  'topup.create': [],
  'videos.generate': [],
  'voice.clone': ['voice.list', 'voice.get', 'voice.jobs'],
};

/** The number of lost creations that are remembered for each caller; the oldest are dropped. */
const mostOpen = 64;

/**
 * When the response to a creation is lost, or is an error although the resource was created, the caller must check
 * whether the resource exists before it sends the request again, and must not if a response shows that it does. This holds
 * for the same content and, if the resource does exist, for other content under the same name, and for the same content
 * under that name with something added while both stay. The balance does not show whether it exists. The same payment with
 * USDC, sent again, is no second one. Operations whose only result is their response (chat, embeddings,
 * speech) are left out: repeating them is the only way to get it.
 */
export const noDuplicateCreate: Rule = {
  id: 'no-duplicate-create',
  title: 'Does not create anything twice',
  demands:
    'After a lost response to a creation, the client checks whether the resource exists before it creates it again.',
  judge(records, { queryNames }): Judgement {
    const wrong: Evidence[] = [];
    const unclear: Evidence[] = [];
    let lost = 0;
    for (const sequence of sequencesOf(records)) {
      const creating = sequence.filter(({ operation }) => isCreation(operation));
      const contents = contentsOf(creating, queryNames);
      const things = new Map<JournalEntry, string>();
      for (const entry of creating) void things.set(entry, thingOf(entry) ?? contents.get(entry) ?? '');
      const relate = relateIn(sequence, (entry) => things.get(entry));
      const deleted = deletedIn(sequence);
      const asksAgain = (entry: JournalEntry, { entry: one, id }: Lost): boolean =>
        !isSamePayment(entry, one) &&
        (contents.get(entry) === contents.get(one) ||
          (one.happened === true &&
            (things.get(entry) === things.get(one) ||
              (entry.status < 400 && !deleted.has(entry.subject) && !deleted.has(id) && isRenamed(entry, one)))));
      let open: Lost[] = [];
      for (const entry of sequence) {
        if (succeeded(entry))
          open = open.filter((one) => !settles(entry, one, creations[one.entry.operation ?? ''] ?? []));
        if (!isCreation(entry.operation) || isQuestion(entry)) continue;
        const repeated = open.filter((one) => asksAgain(entry, one) && relate(one.entry, entry) !== 'apart');
        const last = repeated.at(-1)?.entry;
        if (last !== undefined) {
          const isSure = repeated.some((one) => relate(one.entry, entry) === 'after');
          (isSure ? wrong : unclear).push(
            evidenceOf(entry, `repeats ${last.requestId}, whose response was lost, without checking what exists`),
          );
          open = open.filter((one) => !repeated.includes(one));
        }
        if (!leavesOpen(entry)) continue;
        lost++;
        open.push({ entry, id: entry.subject });
        if (open.length > mostOpen) open.shift();
      }
    }
    return conclude(
      lost,
      wrong,
      {
        none: 'No response to a creation was lost; a fault of phase "after" on containers.create shows what the client does then.',
        pass: `${counted(lost, 'response')} to a creation got lost, and the client repeated nothing without checking first.`,
        fail: `${counted(wrong.length, 'creation')} repeated without checking: list what exists first, and create only what is missing.`,
      },
      unclear,
    );
  },
};

function thingOf(entry: JournalEntry): string | undefined {
  const name = nameOf(entry);
  return name && `${entry.operation} ${name.field} ${name.value}`;
}

// A payment is settled once: the same one, sent again, buys nothing more.
function isSamePayment({ paymentHash }: JournalEntry, lost: JournalEntry): boolean {
  return paymentHash !== undefined && paymentHash === lost.paymentHash;
}

// What can only be paid creates nothing without a payment: the answer names the price.
function isQuestion({ operation, paymentHash }: JournalEntry): boolean {
  return operation === 'topup.create' && paymentHash === undefined;
}

/** Whether an operation creates something that lasts even if its response is lost. */
export function isCreation(operation: string | null): boolean {
  return operation !== null && Object.hasOwn(creations, operation);
}

// The client cannot know whether the resource was created. An error that replaces the response counts as a lost one.
function leavesOpen({ outcome, fault, happened }: JournalEntry): boolean {
  return outcome === 'lost' || (outcome === 'aborted' && (fault !== null || happened === true));
}
