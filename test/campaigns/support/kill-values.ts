// The knowledge of clients about an emulator that is killed: what was acknowledged, and what nobody can say.

import type { Answer } from '../../support/emulator.js';
import { asSent } from '../../support/emulator.js';

/** No answer came: the process has ended, or is about to. */
export class Unanswered extends Error {}

/** The target of requests: an emulator, or a world of it, as it is reached now. */
export interface Place {
  url: string;
  apiKey: string;
}

/** Hears of every answer. */
export type OnAnswer = () => void;

/**
 * Sends a request.
 *
 * @throws Unanswered where nobody answers, or the emulator says that it ends; Error for any other refusal
 */
export async function ask(
  { url, apiKey }: Place,
  onAnswer: OnAnswer,
  method: string,
  path: string,
  body?: unknown,
): Promise<any> {
  const answer = await tell({ url, apiKey }, method, path, body);
  onAnswer();
  if (answer.status < 300) return answer.body;
  if (answer.status === 503 && /is closed|has ended/.test(answer.text)) throw new Unanswered();
  throw new Error(`${method} ${path} was answered ${answer.status}: ${answer.text.slice(0, 300)}`);
}

async function tell(
  { url, apiKey }: Place,
  method: string,
  path: string,
  body: unknown,
): Promise<Omit<Answer, 'headers'>> {
  try {
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${apiKey}` },
      ...(body !== undefined && { body: asSent(body) }),
    });
    const text = await response.text();
    return { status: response.status, text, body: text.startsWith('{') ? JSON.parse(text) : text };
  } catch {
    throw new Unanswered();
  }
}

/** A value that requests change one after the other. Until an answer comes it is as before, or as it was asked to be. */
export class Value<Content> {
  private options: string[];

  constructor(content: Content) {
    this.options = [JSON.stringify(content ?? null)];
  }

  /** The value, or those that it may be. */
  get possible(): Content[] {
    return this.options.map((text) => JSON.parse(text) as Content);
  }

  /** Changes it with a request; `next` is what it may be afterwards, in order of preference. */
  async change<Result>(next: readonly Content[], act: () => Promise<Result>): Promise<Result> {
    const asked = next.map((content) => JSON.stringify(content ?? null));
    this.options = [...new Set([...this.options, ...asked])];
    const result = await act();
    this.options = [...new Set(asked)];
    return result;
  }

  /** Says what is wrong with a value that was read; from then on it is the value. */
  seen(content: Content, name: string): string[] {
    const text = JSON.stringify(content ?? null);
    const problems = this.options.includes(text)
      ? []
      : [`${name} is ${text.slice(0, 600)}, and should be ${this.options.join(' or ').slice(0, 600)}`];
    this.options = [text];
    return problems;
  }
}

/** Things that clients make and end, each with what is known of it; null: it is not there. */
export class Things {
  private readonly all = new Map<string, Value<string | null>>();

  constructor(private readonly kind: string) {}

  /** The names of those that are there for certain. */
  get names(): string[] {
    return [...this.all].flatMap(([name, { possible }]) => (possible.includes(null) ? [] : name));
  }

  of(name: string): Value<string | null> {
    const value = this.all.get(name) ?? new Value<string | null>(null);
    this.all.set(name, value);
    return value;
  }

  /** Makes one with a request that says what it is. */
  make<Result>(name: string, detail: string, act: () => Promise<Result>): Promise<Result> {
    return this.of(name).change([detail], act);
  }

  async end(name: string, act: () => Promise<unknown>): Promise<void> {
    await this.of(name).change([null], act);
  }

  /** Says what is wrong with all of them, as they were read. */
  seen(read: ReadonlyMap<string, string>): string[] {
    const problems = [...this.all].flatMap(([name, value]) =>
      value.seen(read.get(name) ?? null, `${this.kind} ${name}`),
    );
    const strange = [...read.keys()].filter((name) => !this.all.has(name));
    return [...problems, ...strange.map((name) => `nobody has made the ${this.kind} ${name}`)];
  }
}
