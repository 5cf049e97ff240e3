// The line to one side: every request of a run goes through it, counted and in measure; the key goes to one host.

import { setTimeout as sleep } from 'node:timers/promises';
import { parsedJson } from '../../core/json.js';
import type { DriftAnswer } from '../../tools/drift/facts.js';
import { namePlace } from '../../tools/drift/nouns.js';
import type { Asker } from '../../tools/drift/questions.js';

export interface Side {
  /** Where paths begin. */
  base: string;
  key: string;
  /** A key of nobody, in the form of this side's. */
  wrongKey: string;
  /** What the run names the things that it makes. */
  name: string;
  /** Milliseconds between two requests. */
  pauseMs: number;
  /** Requests of one run. */
  most: number;
  /** Requests that are kept back, to remove what was made. */
  reserve?: number;
  /** Waits for the platform to do something; the emulator's clock jumps. */
  wait(ms: number): Promise<void>;
  /** Looks at what changes, for each look of the platform's side; by default 1. */
  looksAtOnce?: number;
  /** Called before a request, as many requests fill a window. */
  beforeEach?: () => void;
}

export interface Sent {
  operation: string;
  method: string;
  path: string;
  as?: Asker;
  /** In the place of the side's own. */
  key?: string;
  /** An object of JSON, text as it is, or a form. */
  body?: unknown;
  /** It removes what the run has made: neither a stop nor the reserve holds it back. */
  isUndo?: boolean;
  /** It counts in its window. */
  isCounted?: boolean;
}

export type Answered = DriftAnswer & { text: string };

/** What came; or why nothing can be said of it, perhaps with the refusal of a rate limit. */
export type Outcome = Answered | { why: string; refusal?: Answered; isSilent?: true };

const patienceMs = 10_000;
const longestBody = 2_000_000;
/** Requests without an answer, one after the other, after which no more is asked. */
const mostSilent = 8;
/** The share of its window that is left to whoever else has the key. */
const leftOver = 0.2;

export class Line {
  /** Why no more is asked. */
  stop: string | undefined;
  private sent = 0;
  private silent = 0;
  private largestLimit = 0;
  /** The operations whose own windows are nearly used up. */
  private readonly full = new Set<string>();

  constructor(readonly side: Side) {}

  async send(request: Sent): Promise<Outcome> {
    const { most, reserve = 0, pauseMs } = this.side;
    const { isUndo = false, operation, as = 'key' } = request;
    if (!isUndo && this.sent >= most - reserve) this.stop ??= `${this.sent} requests were sent`;
    if (!isUndo && this.stop !== undefined) return { why: this.stop };
    if (!isUndo && as === 'key' && this.full.has(operation))
      return { why: 'the rate limit of its operation is nearly used up' };
    if (this.sent >= most) return { why: `${this.sent} requests were sent` };
    this.sent++;
    if (request.isCounted !== true) this.side.beforeEach?.();
    if (this.sent > 1 && pauseMs > 0) await sleep(pauseMs);
    const answer = await this.ask(request);
    this.silent = 'why' in answer && answer.isSilent === true ? this.silent + 1 : 0;
    if (this.silent >= mostSilent) this.stop ??= 'it answers no more';
    // A key of the run's own may be used up.
    if (request.key === undefined) this.watchLimit(operation, 'why' in answer ? answer.refusal : answer);
    return answer;
  }

  // The largest window is the key's; a smaller one is that of an operation.
  private watchLimit(operation: string, answer: DriftAnswer | undefined): void {
    const [limit = 0, left = 0] = ['limit', 'remaining'].map((name) =>
      Number(answer?.headers[`x-ratelimit-${name}`] ?? 0),
    );
    if (!(limit > 0)) return;
    this.largestLimit = Math.max(this.largestLimit, limit);
    if (left / limit >= leftOver) return;
    if (limit < this.largestLimit) this.full.add(operation);
    else this.stop ??= 'the rate limit of the key is nearly used up';
  }

  private async ask({ method, path, as = 'key', key, body }: Sent): Promise<Outcome> {
    const { base, wrongKey } = this.side;
    const headers: Record<string, string> = { accept: 'application/json' };
    if (as !== 'nobody') headers.authorization = `Bearer ${key ?? (as === 'key' ? this.side.key : wrongKey)}`;
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const isText = body !== undefined && !(body instanceof FormData);
    if (isText) headers['content-type'] = 'application/json';
    const sent = isText ? text.replaceAll(namePlace, this.side.name) : (body as FormData | undefined);
    const signal = AbortSignal.timeout(patienceMs);
    try {
      const init = { method, headers, redirect: 'manual', signal, ...(sent !== undefined && { body: sent }) } as const;
      return outcomeOf(await fetch(base + path, init));
    } catch {
      const why = signal.aborted ? `it does not answer within ${patienceMs / 1_000} s` : 'the connection fails';
      return { why, isSilent: true };
    }
  }
}

async function outcomeOf(answer: Response): Promise<Outcome> {
  const { status } = answer;
  const headers = Object.fromEntries(answer.headers);
  const text = await bounded(answer);
  if (status >= 300 && status < 400) return { why: `it redirects (${status})` };
  if (text === undefined) return { why: `its answer has more than ${longestBody} characters` };
  const type = headers['content-type'] ?? '';
  const body = /json/.test(type) && text !== '' ? parsedJson(text) : undefined;
  if (status === 429) return { why: 'it answers 429', refusal: { status, headers, body, text } };
  if (status >= 500) return { why: `it answers ${status}` };
  if (/html/.test(type) || (/json/.test(type) && text !== '' && body === undefined))
    return { why: 'its answer is a page, or no whole JSON' };
  return { status, headers, body, text };
}

async function bounded(answer: Response): Promise<string | undefined> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of answer.body ?? []) {
    length += piece.length;
    if (length > longestBody) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}
