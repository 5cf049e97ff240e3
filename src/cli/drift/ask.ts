// Asks one side the questions. Of its answers nothing is kept but what they say without values; the key goes to one host.

import { setTimeout as sleep } from 'node:timers/promises';
import { parsedJson } from '../../core/json.js';
import type { Endpoint } from '../../http/endpoint.js';
import { addFacts, type DriftAnswer, type Facts } from '../../tools/drift/facts.js';
import { firstId, listOf, nowhere, type Question, timesOf } from '../../tools/drift/questions.js';

export interface Side {
  /** Where paths begin. */
  base: string;
  key: string;
  /** A key of nobody, in the form of this side's. */
  wrongKey: string;
  /** Milliseconds between two requests. */
  pauseMs: number;
  /** Requests of one run. */
  most: number;
  /** Hears of each answer to the key's own questions. */
  onAnswer?: (question: Question, path: string, answer: DriftAnswer & { text: string }) => void;
  /** Called now and then, as many requests fill a window. */
  beforeEach?: () => void;
}

export interface Asked {
  /** What was said to each question, by its id. */
  facts: Map<string, Facts>;
  /** The assumptions that the answers named. */
  assumptions: Map<string, string[]>;
  /** Why a question was not answered: this says nothing of what the answer is. */
  couldNot: Map<string, string>;
  /** The questions about something that this side does not have. */
  without: Set<string>;
  isAnyRead: boolean;
}

const patienceMs = 10_000;
const longestBody = 2_000_000;
/** The share of its window that is left to whoever else has the key. */
const leftOver = 0.2;

/** Asks all questions in their order. */
export async function askAll(questions: readonly Question[], surface: readonly Endpoint[], side: Side): Promise<Asked> {
  const asked: Asked = {
    facts: new Map(),
    assumptions: new Map(),
    couldNot: new Map(),
    without: new Set(),
    isAnyRead: false,
  };
  const ids = new Map<string, string>();
  let sent = 0;
  let stop: string | undefined;
  // What a list shows first is asked for afterwards.
  for (const question of [...questions].sort((a, b) => Number(a.of === 'first') - Number(b.of === 'first'))) {
    const id = question.of === 'first' ? ids.get(listOf(surface, question)?.path ?? '') : nowhere;
    if (id === undefined) {
      asked.without.add(question.id);
      continue;
    }
    for (let time = 0; time < timesOf(question); time++) {
      if (sent >= side.most) stop ??= `${side.most} requests were sent`;
      if (stop !== undefined) {
        if (time === 0) asked.couldNot.set(question.id, stop);
        break;
      }
      sent++;
      side.beforeEach?.();
      if (sent > 1 && side.pauseMs > 0) await sleep(side.pauseMs);
      const path = question.path.replace(/\{\w+\}/g, encodeURIComponent(id));
      const answer = await ask(side, question, path);
      if ('why' in answer) {
        asked.couldNot.set(question.id, answer.why);
        break;
      }
      if (answer.status < 300) {
        asked.isAnyRead = true;
        const found = firstId(answer.body);
        if (question.of === null && question.as === 'key' && found !== undefined) ids.set(question.path, found);
      }
      asked.facts.set(question.id, addFacts(asked.facts.get(question.id) ?? {}, answer));
      const named = answer.headers['x-emulator-assumption']?.split(', ') ?? [];
      asked.assumptions.set(question.id, [...new Set([...(asked.assumptions.get(question.id) ?? []), ...named])]);
      if (time === 0 && question.as === 'key' && question.of !== 'nowhere') side.onAnswer?.(question, path, answer);
      if (isNearlyFull(answer)) stop ??= 'the rate limit of the key is nearly used up';
    }
  }
  return asked;
}

function isNearlyFull({ headers }: DriftAnswer): boolean {
  const [limit, left] = [Number(headers['x-ratelimit-limit']), Number(headers['x-ratelimit-remaining'])];
  return limit > 0 && left / limit < leftOver;
}

type Outcome = (DriftAnswer & { text: string }) | { why: string };

async function ask({ base, key, wrongKey }: Side, { as, method }: Question, path: string): Promise<Outcome> {
  const headers: Record<string, string> = { accept: 'application/json' };
  if (as !== 'nobody') headers.authorization = `Bearer ${as === 'key' ? key : wrongKey}`;
  const signal = AbortSignal.timeout(patienceMs);
  try {
    const answer = await fetch(base + path, { method, headers, redirect: 'manual', signal });
    const all = Object.fromEntries(answer.headers);
    const text = await bounded(answer);
    if (answer.status >= 300 && answer.status < 400) return { why: `it redirects (${answer.status})` };
    if (answer.status === 429 || answer.status >= 500) return { why: `it answers ${answer.status}` };
    if (text === undefined) return { why: `its answer has more than ${longestBody} characters` };
    const type = all['content-type'] ?? '';
    const body = /json/.test(type) && text !== '' ? parsedJson(text) : undefined;
    if (/html/.test(type) || (/json/.test(type) && text !== '' && body === undefined))
      return { why: 'its answer is a page, or no whole JSON' };
    return { status: answer.status, headers: all, body, text };
  } catch {
    return { why: signal.aborted ? `it does not answer within ${patienceMs / 1_000} s` : 'the connection fails' };
  }
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
