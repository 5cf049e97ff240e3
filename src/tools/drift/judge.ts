// Lays the differences of a run at the assumptions that they refute.

import type { AssumptionId } from '../../http/assumptions.js';
import { type Difference, type Documented, differencesOf } from './compare.js';
import type { Facts } from './facts.js';
import { assumptionFor, isTouched, nameOf } from './ledger.js';
import type { Question } from './questions.js';

/** No answer names them, as each one rests on them. */
const ofEveryAnswer = ['limits.bucket', 'limits.headers'];

/** What the emulator said to each question, by its id. */
export interface Said {
  facts: ReadonlyMap<string, Facts>;
  /** The assumptions that its answers named. */
  assumptions: ReadonlyMap<string, readonly string[]>;
}

export interface Judged {
  differences: (Difference & { question: string; assumption: AssumptionId | null })[];
  /** The questions that both sides have answered. */
  answered: Set<string>;
  /** The assumptions of which an answer says something. */
  touched: Set<AssumptionId>;
}

/** Compares what both sides have said; a question that one of them has not answered says nothing. */
export function judged(
  questions: readonly Question[],
  ours: Said,
  theirs: ReadonlyMap<string, Facts>,
  documented: Documented,
): Judged {
  const differences = new Map<string, Judged['differences'][number]>();
  const answered = new Set<string>();
  const touched = new Set<AssumptionId>();
  for (const question of questions) {
    const [our, their] = [ours.facts.get(question.id), theirs.get(question.id)];
    if (our === undefined || their === undefined) continue;
    answered.add(question.id);
    const named = [...(ours.assumptions.get(question.id) ?? []), ...ofEveryAnswer];
    for (const one of differencesOf(question, our, their, documented))
      if (!differences.has(nameOf(one)))
        differences.set(nameOf(one), { ...one, question: question.id, assumption: assumptionFor(one, named) });
    for (const id of named) if (isTouched(id, question.operation, their)) touched.add(id as AssumptionId);
  }
  return { differences: [...differences.values()], answered, touched };
}
