// The account on one side, as a run changes it: what it spends, what it makes, and that all of it is removed again. What is made
// is written down before it is asked for, so that `drift clean` finds it after a kill.

import * as z from 'zod';
import { isTree } from '../../core/tree.js';
import { counted } from '../../core/words.js';
import type { Endpoint } from '../../http/endpoint.js';
import { type Noun, shownIn, sumOf, type Thing, thingsIn } from '../../tools/drift/nouns.js';
import type { Question } from '../../tools/drift/questions.js';
import { balanceIn } from '../../tools/incidents/money.js';
import type { Line, Outcome } from './line.js';

const thing = z.object({ noun: z.string(), id: z.string().nullable(), name: z.string() });

/** Something that the run has asked for: its id is null until an answer tells it. */
export type Made = z.output<typeof thing>;

export const journalFile = z.object({
  against: z.string(),
  profile: z.string(),
  name: z.string().regex(/^drift-[0-9a-f]{8}$/),
  made: z.array(thing).max(1_000),
});

/** The file drift/undo-<run>.json. */
export type Journal = z.output<typeof journalFile>;

/** A thing that a list shows. */
export type Listed = Thing & { noun: string };

/** What a step that makes something came to. */
export interface Making {
  outcome: Outcome;
  made: Made;
  /** The balance before and after it; undefined: it cannot be read. */
  before: number | undefined;
  after: number | undefined;
}

const looks = 10;
/** Pauses between looks at what is being removed. */
const pauses = 6;

export class Account {
  readonly made: Made[] = [];
  private begun: number | undefined;
  private balance: number | undefined;

  constructor(
    readonly line: Line,
    readonly nouns: readonly Noun[],
    private readonly surface: readonly Endpoint[],
    /** Credits that the run may spend. */
    private readonly budget: number,
    /** Writes down what is to be removed. */
    private readonly save: (made: readonly Made[]) => void,
  ) {}

  /** Reads the balance. */
  async readBalance(): Promise<number | undefined> {
    const read = this.surface.find(({ id }) => id === 'account.balance');
    if (read === undefined) return undefined;
    const answer = await this.line.send({ operation: read.id, method: 'GET', path: read.path, isUndo: true });
    this.balance = 'why' in answer ? undefined : balanceIn(answer.body);
    this.begun ??= this.balance;
    return this.balance;
  }

  /** Why something is not asked for that price; undefined: it may be. */
  whyTooDear(price: number): string | undefined {
    if (price <= 0) return undefined;
    if (this.balance === undefined || this.begun === undefined) return 'not asked: the balance could not be read';
    const left = sumOf(this.budget, -Math.max(0, sumOf(this.begun, -this.balance)));
    return price > left
      ? `not asked: it costs at worst ${counted(price, 'credit')}, and ${left} of the budget are left`
      : undefined;
  }

  /** Asks for something to be made. A step that costs more than its price is the last one. */
  async make(question: Question, body = question.body, name = this.line.side.name): Promise<Making> {
    const { makes: noun = '', price = 0, operation } = question;
    const made: Made = { noun, id: null, name };
    const before = this.balance;
    const why = this.whyTooDear(price);
    if (why !== undefined) return { outcome: { why }, made, before, after: before };
    this.made.push(made);
    this.save(this.made);
    const outcome = await this.line.send({ ...question, body });
    if ('why' in outcome) return { outcome, made, before, after: undefined };
    if (outcome.status >= 300) {
      this.forget(made);
      return { outcome, made, before, after: before };
    }
    made.id = shownIn(outcome.body, 'id') ?? null;
    this.save(this.made);
    const after = await this.readBalance();
    const cost = before === undefined || after === undefined ? 0 : sumOf(before, -after);
    if (cost > price) this.line.stop ??= `${operation} costs ${cost} credits, its price is ${price}`;
    return { outcome, made, before, after };
  }

  /** Sends what should be refused; what is made all the same is removed at once. */
  async refused(question: Question): Promise<Outcome> {
    const { outcome, made } = await this.make(question);
    if (made.id !== null) await this.remove(made);
    return outcome;
  }

  /** What was made is gone, or was never made. */
  forget(made: Made): void {
    if (!this.made.includes(made)) return;
    this.made.splice(this.made.indexOf(made), 1);
    this.save(this.made);
  }

  nounOf({ noun }: Made): Noun | undefined {
    return this.nouns.find(({ name }) => name === noun);
  }

  /** The things of all nouns; undefined: a list cannot be read. */
  async inventory(): Promise<Listed[] | undefined> {
    const all: Listed[] = [];
    for (const { name: noun, list } of this.nouns) {
      const answer = await this.line.send({ operation: list.id, method: 'GET', path: list.path, isUndo: true });
      const things = 'why' in answer || answer.status >= 300 ? undefined : thingsIn(answer.body);
      if (things === undefined) return undefined;
      all.push(...things.map((one) => ({ ...one, noun })));
    }
    return all;
  }

  /** Removes a thing. @returns whether it is seen to be gone */
  async remove(made: Made): Promise<boolean> {
    const noun = this.nounOf(made);
    if (noun === undefined || made.id === null) return false;
    const path = (of: Endpoint): string => of.path.replace(/\{\w+\}/, encodeURIComponent(made.id ?? ''));
    const { remove, get } = noun;
    await this.line.send({ operation: remove.id, method: 'DELETE', path: path(remove), isUndo: true });
    const answer = await this.line.send({ operation: get.id, method: 'GET', path: path(get), isUndo: true });
    const isGone = !('why' in answer) && (answer.status === 404 || answer.status === 410);
    if (isGone) this.forget(made);
    return isGone;
  }

  /**
   * Removes what the run has made and is still there.
   *
   * @param before what the lists showed at the beginning; undefined: it is not known, so only the run's own names count
   * @returns the names of what is not as it was
   */
  async undo(
    before: readonly Listed[] | undefined,
    isOwn: (made: Made) => Promise<boolean> = async () => true,
  ): Promise<string[]> {
    await this.learnIds();
    for (const made of [...this.made].reverse()) if (made.id !== null && (await isOwn(made))) await this.remove(made);
    let after = await this.inventory();
    for (let look = 1; look < looks && after?.some((one) => this.isStill(one)) === true; look++) {
      await this.line.side.wait(pauses * this.line.side.pauseMs);
      after = await this.inventory();
    }
    if (after === undefined) return [...this.made.map(titleOf), 'the lists cannot be read any more'];
    const now = after;
    // What a list shows as leaving is gone; what no answer has told an id of, and no list shows, was never made.
    for (const made of [...this.made])
      if (made.id === null || now.some(({ id, isLeaving }) => isLeaving && id === made.id)) this.forget(made);
    const isNew = (one: Listed): boolean =>
      before === undefined ? one.name.startsWith(this.line.side.name) : !before.some(({ id }) => id === one.id);
    const added = now.filter((one) => !one.isLeaving && isNew(one));
    const unseen = this.made.filter((made) => !added.some(({ id }) => id === made.id));
    const lost = (before ?? []).filter(({ id, isLeaving }) => !isLeaving && !now.some((one) => one.id === id));
    return [...[...added, ...unseen].map(titleOf), ...lost.map((one) => `${titleOf(one)} is gone`)];
  }

  private isStill({ id, isLeaving }: Thing): boolean {
    return !isLeaving && this.made.some((made) => made.id === id);
  }

  /** The ids of what an answer did not tell, by the names that the run gave. */
  private async learnIds(): Promise<void> {
    if (!this.made.some(({ id }) => id === null)) return;
    const known = new Set(this.made.map(({ id }) => id));
    for (const one of (await this.inventory()) ?? []) {
      if (!one.isOurs || !one.name.startsWith(this.line.side.name) || known.has(one.id)) continue;
      const open = this.made.find(({ id, noun }) => id === null && noun === one.noun);
      if (open === undefined) this.made.push({ noun: one.noun, id: one.id, name: one.name });
      else open.id = one.id;
    }
    this.save(this.made);
  }
}

export const titleOf = ({ noun, name, id }: Pick<Made, 'noun' | 'name' | 'id'>): string =>
  `${noun}: ${name}${id === null || id === name ? '' : ` (${id})`}`;

/** Whether an answer shows the name of a run. */
export const shows = (outcome: Outcome, name: string): boolean =>
  !('why' in outcome) && isTree(outcome.body) && outcome.text.includes(name);
