// Asks one side the questions. Of its answers nothing is kept but what they say without values.

import { isTree } from '../../core/tree.js';
import type { Endpoint } from '../../http/endpoint.js';
import { addFacts, type Facts } from '../../tools/drift/facts.js';
import { firstId, listOf, nowhere, type Question, timesOf } from '../../tools/drift/questions.js';
import type { Account } from './account.js';
import type { Answered, Line, Outcome } from './line.js';

/** What one side has said. */
export class Asked {
  /** What was said to each question, by its id. */
  readonly facts = new Map<string, Facts>();
  /** The assumptions that the answers named. */
  readonly assumptions = new Map<string, string[]>();
  /** Why a question was not answered: this says nothing of what the answer is. */
  readonly couldNot = new Map<string, string>();
  /** The questions about something that this side does not have. */
  readonly without = new Set<string>();
  isAnyRead = false;
  isEmulator = false;
  /** The version that it says it has. */
  version: string | undefined;

  /** Notes what came of a question. */
  note({ id, operation }: Question, outcome: Outcome): Answered | undefined {
    if ('why' in outcome) {
      this.couldNot.set(id, outcome.why);
      return undefined;
    }
    if (outcome.status < 300) this.isAnyRead = true;
    if ('x-emulator' in outcome.headers) this.isEmulator = true;
    const { version } = isTree(outcome.body) && operation === 'platform.health' ? outcome.body : {};
    if (typeof version === 'string' && /^[\w.+-]{1,40}$/.test(version)) this.version = version;
    this.facts.set(id, addFacts(this.facts.get(id) ?? {}, outcome));
    this.rests(id, outcome.headers['x-emulator-assumption']?.split(', ') ?? []);
    return outcome;
  }

  /** Notes that the answer to a question rests on assumptions. */
  rests(id: string, on: readonly string[]): void {
    this.assumptions.set(id, [...new Set([...(this.assumptions.get(id) ?? []), ...on])]);
  }
}

/** Hears of each answer to the key's own questions. */
export type Hears = (question: Question, path: string, answer: Answered) => void;

/** Asks questions in their order. */
export async function askAll(
  questions: readonly Question[],
  surface: readonly Endpoint[],
  line: Line,
  { asked = new Asked(), account, hears }: { asked?: Asked; account?: Account; hears?: Hears } = {},
): Promise<Asked> {
  const ids = new Map<string, string>();
  // What a list shows first is asked for afterwards.
  for (const question of [...questions].sort((a, b) => Number(a.of === 'first') - Number(b.of === 'first'))) {
    const id = question.of === 'first' ? ids.get(listOf(surface, question)?.path ?? '') : nowhere;
    if (id === undefined) {
      asked.without.add(question.id);
      continue;
    }
    const path = question.path.replace(/\{\w+\}/g, encodeURIComponent(id));
    for (let time = 0; time < timesOf(question); time++) {
      const sent = { ...question, path };
      const outcome = await (question.makes === undefined ? line.send(sent) : account?.refused(question));
      if (outcome === undefined) continue;
      // What was asked once is known.
      if ('why' in outcome && time > 0) break;
      const answer = asked.note(question, outcome);
      if (answer === undefined) break;
      const found = answer.status < 300 ? firstId(answer.body) : undefined;
      if (question.of === null && question.as === 'key' && found !== undefined) ids.set(question.path, found);
      if (time === 0 && question.as === 'key' && question.of !== 'nowhere') hears?.(question, path, answer);
    }
  }
  return asked;
}
