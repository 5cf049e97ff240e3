// The lives of things that level 3 asks about: made, read, made again, removed, read again. Some facts follow only from several
// answers of a life: its price, its stages, what a deletion leaves. They are made here, and hold no value of the account.

import { isTree, type Tree } from '../../core/tree.js';
import type { Endpoint } from '../../http/endpoint.js';
import { makingBody, type Noun, sumOf } from './nouns.js';
import type { Question } from './questions.js';

/** What a life goes through, in this order; not every noun has all. */
const stepNames = ['fails', 'create', 'listed', 'read', 'again', 'window', 'delete', 'gone', 'refused'] as const;

export type StepName = (typeof stepNames)[number];

export interface Lifecycle {
  noun: Noun;
  /** What it costs at worst, in credits: as much as may be gone at one time. */
  price: number;
  steps: Partial<Record<StepName, Question>>;
}

/** Requests in a minute that a key of the run may send. */
export const windowSize = 5;

/** An image that no registry has. */
const lostTag = 'fail-image-not-found';

/**
 * The lives of a profile's nouns, those that cost nothing first.
 *
 * @param image that a container runs
 * @param read the operation that a new key is tried with
 */
export function lifecyclesOf(nouns: readonly Noun[], image: string, read: Endpoint | undefined): Lifecycle[] {
  return nouns.map((noun) => lifeOf(noun, image, read)).sort((a, b) => a.price - b.price);
}

function lifeOf(noun: Noun, image: string, read: Endpoint | undefined): Lifecycle {
  const { name, create, list, get, remove, price } = noun;
  const question = (step: StepName, { id, method, path }: Endpoint, more: Partial<Question> = {}): Question => ({
    id: `${name}: ${meanings[step]}`,
    operation: id,
    level: '3',
    as: 'key',
    method,
    path,
    of: path.includes('{') ? 'own' : null,
    ...more,
  });
  const body = {
    ...(create.upload === undefined ? makingBody(noun, image) : { name: '{name}', cloneType: 'instant' }),
    ...(name === 'keys' && { permissions: [], rateLimit: windowSize }),
  };
  const make = { body, makes: name, price };
  const lost = `${image.replace(/(:[^/:]*)?(@.*)?$/, '')}:${lostTag}`;
  const steps: Lifecycle['steps'] = {
    // It has another name, so that the next one is a beginning, too.
    ...(noun.isRefunded && { fails: question('fails', create, { ...make, body: renamed(makingBody(noun, lost)) }) }),
    create: question('create', create, make),
    listed: question('listed', list),
    read: question('read', get),
    // A second voice would cost as much as the first one.
    ...(name !== 'voice' && { again: question('again', create, { ...make, place: 'idempotency' }) }),
    ...(name === 'keys' && read !== undefined && { window: question('window', read, { place: 'window' }) }),
    delete: question('delete', remove),
    gone: question('gone', get, { operation: remove.id, place: 'deletion' }),
    ...(name === 'keys' &&
      read !== undefined && { refused: question('refused', read, { operation: remove.id, place: 'deletion' }) }),
  };
  return { noun, price: sumOf(price, steps.again === undefined ? 0 : price), steps };
}

const renamed = (body: Tree): Tree => {
  const text = JSON.stringify(body).replaceAll('"{name}"', '"{name}-lost"');
  return JSON.parse(text) as Tree;
};

const meanings: Record<StepName, string> = {
  fails: 'one that fails',
  create: 'create one',
  listed: 'list it',
  read: 'read it',
  again: 'the same create again',
  window: 'use it up',
  delete: 'delete it',
  gone: 'read the deleted one',
  refused: 'use the deleted one',
};

/** The questions of lives, in their order. */
export const questionsIn = (lives: readonly Lifecycle[]): Question[] =>
  lives.flatMap(({ steps }) => stepNames.flatMap((name) => steps[name] ?? []));

/** What a step that makes something says of its price. */
export function priceFacts(before: number, after: number, body: unknown): string[] {
  const cost = sumOf(before, -after);
  const { creditsDeducted, creditsRemaining } = isTree(body) ? body : {};
  return [
    `=${cost}`,
    ...said('creditsDeducted', creditsDeducted, cost),
    ...said('creditsRemaining', creditsRemaining, after),
  ];
}

/** What the answer of a step says that it took; 0: it says nothing. */
export const deductedIn = (body: unknown): number =>
  isTree(body) && typeof body.creditsDeducted === 'number' ? body.creditsDeducted : 0;

const said = (name: string, value: unknown, wanted: number): string[] =>
  typeof value === 'number' ? [`${name} is ${sumOf(value) === sumOf(wanted) ? 'true' : 'wrong'}`] : [];

/** What a failure gives back of what was taken. */
export function refundFact(before: number, taken: number, after: number): string {
  return after >= before - 1e-6 ? 'in full' : after > before - taken + 1e-6 ? 'in part' : 'none';
}

/** Which stage has come before which; and whether the end came within twice the time that was told. */
export function stageFacts(stages: readonly string[], isInTime: boolean): string[] {
  const pairs = stages.flatMap((one, index) => stages.slice(index + 1).map((later) => `${one} before ${later}`));
  return [...new Set(pairs), isInTime ? 'in time' : 'late'];
}

/** What a key that is used up says of its window. */
export function windowFacts(allowed: number, remaining: readonly number[], lengthMs: number): string[] {
  const falls = remaining.every((left, index) => index === 0 || left === (remaining[index - 1] ?? 0) - 1);
  const seconds = Math.round(lengthMs / 5_000) * 5;
  return [
    `=${allowed}`,
    ...(remaining.length > 1 ? [falls ? 'remaining falls by one' : 'remaining does not fall by one'] : []),
    ...(Number.isFinite(seconds) ? [`of ${seconds} s`] : []),
  ];
}

const over = /^(running|failed|stopped|completed|ready|active|error|deleted)$/;

export const isOver = (stage: string): boolean => over.test(stage);

const usualMs = 10 * 60_000;
const longestMs = 60_000;

/** How long something is expected to take, and the time until the next look: each is a request, so they come less and less often. */
export function patienceOf(body: unknown): { expectedMs: number; nextMs(waited: number): number } {
  const { expectedDurationMs, intervalMs } = isTree(body) && isTree(body.polling) ? body.polling : {};
  const least = typeof intervalMs === 'number' ? intervalMs : 1_000;
  return {
    expectedMs: typeof expectedDurationMs === 'number' ? Math.min(expectedDurationMs, 3 * usualMs) : usualMs,
    nextMs: (waited) => Math.min(Math.max(least, waited / 3), longestMs),
  };
}
