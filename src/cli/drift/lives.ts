// Lives things on one side: makes them, looks until they are ready, makes them again, removes them.

import { fixturePath, readBytes } from '../../core/files.js';
import { isTree } from '../../core/tree.js';
import { addFacts, addRelation } from '../../tools/drift/facts.js';
import * as lives from '../../tools/drift/lifecycles.js';
import { shownIn, thingsIn } from '../../tools/drift/nouns.js';
import type { Question } from '../../tools/drift/questions.js';
import type { Account, Made, Making } from './account.js';
import type { Asked } from './ask.js';
import type { Answered, Line, Outcome } from './line.js';

const mostLooks = 60;
const goneLooks = 15;

export class Lives {
  private readonly line: Line;

  constructor(
    private readonly account: Account,
    private readonly asked: Asked,
  ) {
    this.line = account.line;
  }

  async live(life: lives.Lifecycle): Promise<void> {
    const { steps, price } = life;
    const why = this.account.whyTooDear(price) ?? (await this.fail(life));
    if (why !== undefined) return this.skip(life, why);
    const { create } = steps;
    if (create === undefined) return;
    const making = await this.make(create);
    const { made } = making;
    if (made.id === null) return this.skip(life, 'nothing was made that could be asked about');
    if (steps.create?.makes === 'containers' || steps.create?.makes === 'voice')
      await this.settle(create, life, making);
    await this.look(steps.listed, made, (answer, question) => {
      const has = thingsIn(answer.body)?.some(({ id }) => id === made.id) === true;
      this.relate(question, 'list', has ? 'has it' : 'lacks it');
    });
    await this.look(steps.read, made);
    const second = steps.again === undefined ? undefined : await this.repeat(steps.again, made);
    const key = keyIn(making.outcome);
    if (steps.window !== undefined && key !== undefined) await this.useUp(steps.window, key);
    const removed = await this.look(steps.delete, made);
    await this.seeGone(life, making, removed !== undefined && removed.status < 300);
    if (steps.refused !== undefined && key !== undefined) {
      this.asked.note(steps.refused, await this.line.send({ ...steps.refused, key }));
      this.restsOnDeletion(life, steps.refused);
    }
    if (second !== undefined && second.id !== made.id && second.id !== null) await this.account.remove(second);
    // A deletion may have given something back.
    if (price > 0) await this.account.readBalance();
  }

  /** Lives one that fails, which is paid back. @returns why the rest is not asked */
  private async fail(life: lives.Lifecycle): Promise<string | undefined> {
    const question = life.steps.fails;
    if (question === undefined) return undefined;
    const making = await this.make(question, `${this.line.side.name}-lost`);
    const { made, before, after } = making;
    if (made.id === null || before === undefined || after === undefined) return undefined;
    const isFailed = (await this.settle(question, life, making)) === 'failed';
    let balance = await this.account.readBalance();
    for (let look = 0; look < 3 && balance !== undefined && balance < before && this.line.stop === undefined; look++) {
      await this.line.side.wait(lives.patienceOf(bodyOf(making.outcome)).nextMs(0));
      balance = await this.account.readBalance();
    }
    const taken = Math.max(before - after, lives.deductedIn(bodyOf(making.outcome)));
    if (balance !== undefined && isFailed && taken > 0)
      this.relate(question, 'refund', lives.refundFact(before, taken, balance));
    await this.account.remove(made);
    return this.account.whyTooDear(life.price);
  }

  private async make(question: Question, name?: string): Promise<Making> {
    const body = question.makes === 'voice' ? voiceForm(this.line.side.name) : question.body;
    const making = await this.account.make(question, body, name);
    const { outcome, made, before, after } = making;
    this.asked.note(question, outcome);
    // One that fails at once may be paid back before the balance is read.
    const isUnclear = name !== undefined && after === before;
    if (made.id !== null && before !== undefined && after !== undefined && !isUnclear)
      for (const kind of lives.priceFacts(before, after, bodyOf(outcome))) this.relate(question, 'price', kind);
    return making;
  }

  /** Looks until a thing is ready or has failed. @returns its last stage; undefined: no more may be asked */
  private async settle(
    question: Question,
    { noun }: lives.Lifecycle,
    { outcome, made }: Making,
  ): Promise<string | undefined> {
    const body = bodyOf(outcome);
    const { nextMs, expectedMs } = lives.patienceOf(body);
    const stages = [shownIn(body, 'status') ?? 'made'];
    let isInTime = true;
    let waited = 0;
    for (let look = 0; look < mostLooks && !lives.isOver(stages.at(-1) ?? ''); look++) {
      if (waited > 2 * expectedMs) isInTime = false;
      if (!isInTime || this.line.stop !== undefined) break;
      const ms = nextMs(waited);
      waited += ms;
      for (const stage of await this.stagesAfter(ms, pathOf(noun.get.path, made), noun.get.id))
        if (stage !== stages.at(-1)) stages.push(stage);
    }
    if (this.line.stop !== undefined) return undefined;
    for (const kind of lives.stageFacts(stages, isInTime)) this.relate(question, 'stages', kind);
    return stages.at(-1);
  }

  // The emulator is looked at more often, as each of its stages counts.
  private async stagesAfter(ms: number, path: string, operation: string): Promise<string[]> {
    const { looksAtOnce = 1 } = this.line.side;
    const stages: string[] = [];
    for (let look = 0; look < looksAtOnce; look++) {
      await this.line.side.wait(ms / looksAtOnce);
      const answer = await this.line.send({ operation, method: 'GET', path });
      const stage = 'why' in answer ? undefined : shownIn(answer.body, 'status');
      if (stage !== undefined) stages.push(stage);
    }
    return stages;
  }

  private async look(
    question: Question | undefined,
    made: Made,
    tell?: (answer: Answered, question: Question) => void,
  ): Promise<Answered | undefined> {
    if (question === undefined) return undefined;
    const outcome = await this.line.send({ ...question, path: pathOf(question.path, made) });
    const answer = this.asked.note(question, outcome);
    if (answer !== undefined) tell?.(answer, question);
    return answer;
  }

  private async repeat(question: Question, first: Made): Promise<Made> {
    const { made, outcome } = await this.make(question);
    if (made.id !== null)
      this.relate(question, 'idempotency', made.id === first.id ? 'the same thing' : 'another thing');
    // One thing is removed once.
    if (made.id === first.id && !('why' in outcome)) this.account.forget(made);
    return made;
  }

  private async useUp(question: Question, key: string): Promise<void> {
    const remaining: number[] = [];
    let lengthMs = Number.NaN;
    for (let sent = 0; sent <= 2 * lives.windowSize; sent++) {
      const outcome = await this.line.send({ ...question, key, isCounted: true });
      if ('why' in outcome && outcome.refusal === undefined) return void this.asked.note(question, outcome);
      const { headers } = 'why' in outcome ? (outcome.refusal as Answered) : outcome;
      if (sent === 0) lengthMs = untilReset(headers);
      if ('why' in outcome) {
        this.asked.facts.set(question.id, addFacts({}, outcome.refusal as Answered));
        for (const kind of lives.windowFacts(sent, remaining, lengthMs)) this.relate(question, 'window', kind);
        return;
      }
      remaining.push(Number(headers['x-ratelimit-remaining'] ?? Number.NaN));
    }
    this.asked.facts.set(question.id, { window: ['without an end'] });
  }

  private async seeGone(life: lives.Lifecycle, { made, outcome: created }: Making, isRemoved: boolean): Promise<void> {
    const question = life.steps.gone;
    if (question === undefined) return;
    let outcome: Outcome = { why: 'nothing was asked' };
    let waited = 0;
    for (let look = 0; look < (isRemoved ? goneLooks : 1); look++) {
      outcome = await this.line.send({ ...question, path: pathOf(question.path, made) });
      if ('why' in outcome || outcome.status >= 300) break;
      const isLeaving = shownIn(outcome.body, 'status') === 'deleting';
      const ms = isLeaving ? lives.patienceOf(bodyOf(created)).nextMs(waited) : 0;
      waited += ms;
      await this.line.side.wait(Math.max(ms, 6 * this.line.side.pauseMs));
      if (isLeaving) outcome = { why: 'it is still being deleted' };
    }
    this.asked.note(question, outcome);
    this.restsOnDeletion(life, question);
    if (!('why' in outcome) && (outcome.status === 404 || outcome.status === 410)) this.account.forget(made);
  }

  // What is said of a deleted thing rests on what is assumed of the deletion, too.
  private restsOnDeletion({ steps }: lives.Lifecycle, { id }: Question): void {
    this.asked.rests(id, this.asked.assumptions.get(steps.delete?.id ?? '') ?? []);
  }

  private relate({ id }: Question, place: Parameters<typeof addRelation>[1], kind: string): void {
    const facts = this.asked.facts.get(id);
    if (facts !== undefined) addRelation(facts, place, kind);
  }

  /** Says of the questions of a life that were not answered why. */
  private skip({ steps }: lives.Lifecycle, why: string): void {
    for (const question of Object.values(steps))
      if (!this.asked.facts.has(question.id) && !this.asked.couldNot.has(question.id))
        this.asked.couldNot.set(question.id, this.line.stop ?? why);
  }
}

const pathOf = (path: string, { id }: Made): string => path.replace(/\{\w+\}/, encodeURIComponent(id ?? ''));

const bodyOf = (outcome: Outcome): unknown => ('why' in outcome ? undefined : outcome.body);

/** The value of a key that was just made: it is kept in memory alone. */
function keyIn(outcome: Outcome): string | undefined {
  const body = bodyOf(outcome);
  return isTree(body) && typeof body.plainKey === 'string' ? body.plainKey : undefined;
}

/** For how long a window goes on, by what its first answer says. */
function untilReset(headers: Record<string, string>): number {
  const reset = headers['x-ratelimit-reset'] ?? '';
  const at = /^\d+$/.test(reset) ? Number(reset) * 1_000 : Date.parse(reset);
  return at - Date.parse(headers.date ?? '');
}

function voiceForm(name: string): FormData {
  const form = new FormData();
  form.append('name', name);
  form.append('cloneType', 'instant');
  form.append('file0', new Blob([new Uint8Array(readBytes(fixturePath('audio', 'voice.wav')))]), 'voice.wav');
  return form;
}
