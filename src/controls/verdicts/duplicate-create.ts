// The rule that nothing is created twice because an answer got lost.

import type { JournalEntry } from '../../store/journal-entry.js';
import { byBeginning, groupedBy, identityOf, knew, sequencesOf, succeeded } from './reading.js';
import { conclude, counted, type Evidence, evidenceOf, type Rule } from './verdict.js';

/** What creates or charges something that stays, and the operations that show whether it is there. */
const creations: Record<string, readonly string[]> = {
  'agents.create': ['agents.list', 'agents.get'],
  'agents.clone': ['agents.list', 'agents.get'],
  'containers.create': ['containers.list', 'containers.get', 'containers.quota'],
  'images.generate': [],
  'keys.create': ['keys.list', 'keys.get'],
  'knowledge.upload': ['knowledge.list'],
  'topup.create': [],
  'videos.generate': [],
  'voice.clone': ['voice.list', 'voice.get', 'voice.jobs'],
};

/** They show a charge, whatever it was for. */
const accountLooks = ['account.balance', 'account.summary', 'account.transactions'];

/**
 * After a request to create something whose answer was lost, or was an error though the thing had been made, the same
 * caller does not send it again (equal path and body) before it has looked whether it is there. Operations whose whole
 * result is their answer (chat, embeddings, speech) are left out: to repeat them is the only way to have it.
 */
export const noDuplicateCreate: Rule = {
  id: 'no-duplicate-create',
  title: 'Creates nothing twice',
  demands:
    'After a lost answer to a creation, the client looks whether the thing is there before it asks for it again.',
  judge(records) {
    const wrong: Evidence[] = [];
    let lost = 0;
    for (const sequence of sequencesOf(records)) {
      const looks = sequence.filter(succeeded);
      for (const attempts of groupedBy(sequence, creationOf)) {
        for (const [index, entry] of attempts.entries()) {
          if (!leavesOpen(entry)) continue;
          lost++;
          const again = attempts.slice(index + 1).find((later) => knew(later, entry));
          if (again === undefined || looks.some((look) => looksBetween(look, entry, again))) continue;
          wrong.push(evidenceOf(again, `sends ${entry.requestId} again, whose answer was lost, without having looked`));
        }
      }
    }
    return conclude(lost, wrong, {
      none: 'No answer to a creation was lost; a fault of phase "after" on containers.create shows what happens then.',
      pass: `${counted(lost, 'answer')} to creations got lost, and nothing was sent again blindly.`,
      fail: `${counted(wrong.length, 'creation')} was sent again without looking: list what is there first, and create only what is missing.`,
    });
  },
};

function creationOf(entry: JournalEntry): string | undefined {
  const { operation } = entry;
  return operation !== null && Object.hasOwn(creations, operation) ? identityOf(entry) : undefined;
}

// The client cannot know whether it was created. An error in the place of the answer counts as a lost answer.
function leavesOpen({ outcome, fault }: JournalEntry): boolean {
  return outcome === 'lost' || (outcome === 'aborted' && fault !== null);
}

function looksBetween(look: JournalEntry, lost: JournalEntry, again: JournalEntry): boolean {
  const shows = [...(creations[lost.operation ?? ''] ?? []), ...accountLooks];
  return byBeginning(lost, look) < 0 && byBeginning(look, again) < 0 && shows.includes(look.operation ?? '');
}
